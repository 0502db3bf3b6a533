// RUN: dmc-interpret %s --print | FileCheck %s

// Every move on a dimension of 5 over 2 x 2 positions: blocks [0, 2), [2, 3), [3, 5), and an empty one.
#m = #dmc.mesh<"a" = 2, "b" = 2>
#r = #dmc.layout<#m, [{}]>
#a = #dmc.layout<#m, [{"a"}]>
#b = #dmc.layout<#m, [{"b"}]>
#ab = #dmc.layout<#m, [{"a", "b"}]>
#ba = #dmc.layout<#m, [{"b", "a"}]>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#ap = #dmc.layout<#m, [{"a"}], sum {"b"}>
#pp = #dmc.layout<#m, [{}], sum {"a", "b"}>
#max = #dmc.layout<#m, [{}], max {"b"}>
#placed = #dmc.layout<#m, [{}], placed {"b" = 1}>
#rr = #dmc.layout<#m, [{}, {}]>
#ra = #dmc.layout<#m, [{}, {"a"}]>
#ar = #dmc.layout<#m, [{"a"}, {}]>
#abr = #dmc.layout<#m, [{"a", "b"}, {}]>
#abx = #dmc.layout<#m, [{"a"}, {"b"}]>

func.func @main() -> (tensor<5xi32, #ab>, tensor<5xi32, #a>, tensor<5xi32, #r>, tensor<5xi32, #r>, tensor<5xi32, #a>,
                      tensor<5xi32, #r>, tensor<5x3xi32, #ra>, tensor<5x3xi32, #abx>, tensor<5xi32, #ba>,
                      tensor<5xi32, #r>, tensor<5xi32, #b>, tensor<5xf32, #r>, tensor<5xi32, #r>) {
  %x = arith.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi32, #r>
  // CHECK: result 0: {{.*}} = [10, 11, 12, 13, 14]
  %a = dmc.partition %x along {"a"} in 0 : tensor<5xi32, #r> to tensor<5xi32, #a>
  %ab = dmc.partition %a along {"b"} in 0 : tensor<5xi32, #a> to tensor<5xi32, #ab>
  // CHECK: result 1: {{.*}} = [10, 11, 12, 13, 14]
  %1 = dmc.combine %ab along {"b"} in 0 : tensor<5xi32, #ab> to tensor<5xi32, #a>
  // CHECK: result 2: {{.*}} = [10, 11, 12, 13, 14]
  %2 = dmc.combine %ab along {"a", "b"} in 0 : tensor<5xi32, #ab> to tensor<5xi32, #r>
  // Partial values of a constant: the first holds it.
  // CHECK: result 3: {{.*}} = [10, 11, 12, 13, 14]
  %p = arith.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi32, #p>
  %3 = dmc.reduce %p over {"a"} : tensor<5xi32, #p> to tensor<5xi32, #r>
  // Replicated axes spread to the first position.
  // CHECK: result 4: {{.*}} = [10, 11, 12, 13, 14]
  %ap = dmc.spread %a over {"b"} : tensor<5xi32, #a> to tensor<5xi32, #ap>
  %4 = dmc.reduce %ap over {"b"} : tensor<5xi32, #ap> to tensor<5xi32, #a>
  // Split axes spread their blocks.
  // CHECK: result 5: {{.*}} = [10, 11, 12, 13, 14]
  %pp = dmc.spread %ab over {"a", "b"} : tensor<5xi32, #ab> to tensor<5xi32, #pp>
  %5 = dmc.reduce %pp over {"a", "b"} : tensor<5xi32, #pp> to tensor<5xi32, #r>
  // CHECK: result 6: {{.*}} = {{\[\[}}0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14]]
  %y = arith.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14]]> : tensor<5x3xi32, #ar>
  %6 = dmc.exchange %y along {"a"} from 0 to 1 : tensor<5x3xi32, #ar> to tensor<5x3xi32, #ra>
  // CHECK: result 7: {{.*}} = {{\[\[}}0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14]]
  %yab = dmc.partition %y along {"b"} in 0 : tensor<5x3xi32, #ar> to tensor<5x3xi32, #abr>
  %7 = dmc.exchange %yab along {"b"} from 0 to 1 : tensor<5x3xi32, #abr> to tensor<5x3xi32, #abx>
  // CHECK: result 8: {{.*}} = [10, 11, 12, 13, 14]
  %8 = dmc.permute %ab : tensor<5xi32, #ab> to tensor<5xi32, #ba>
  // CHECK: result 9: {{.*}} = [10, 11, 12, 13, 14]
  %place = dmc.place %x over {"b"} : tensor<5xi32, #r> to tensor<5xi32, #placed>
  %9 = dmc.replicate %place over {"b"} : tensor<5xi32, #placed> to tensor<5xi32, #r>
  // CHECK: result 10: {{.*}} = [10, 11, 12, 13, 14]
  %any = dmc.reshard %ap : tensor<5xi32, #ap> to tensor<5xi32, #pp>
  %10 = dmc.reshard %any : tensor<5xi32, #pp> to tensor<5xi32, #b>
  // The neutral element of a float sum is -0.0: no sign is lost.
  // CHECK: result 11: {{.*}} = [-0, 1, -1, nan, -inf]
  %f = arith.constant dense<[-0.0, 1.0, -1.0, 0x7fc00000, 0xff800000]> : tensor<5xf32, #pp>
  %11 = dmc.reduce %f over {"a", "b"} : tensor<5xf32, #pp> to tensor<5xf32, #r>
  // CHECK: result 12: {{.*}} = [10, 11, 12, 13, 14]
  %max = dmc.spread %x over {"b"} : tensor<5xi32, #r> to tensor<5xi32, #max>
  %12 = dmc.reduce %max over {"b"} : tensor<5xi32, #max> to tensor<5xi32, #r>
  return %ab, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<5xi32, #ab>, tensor<5xi32, #a>,
    tensor<5xi32, #r>, tensor<5xi32, #r>, tensor<5xi32, #a>, tensor<5xi32, #r>, tensor<5x3xi32, #ra>,
    tensor<5x3xi32, #abx>, tensor<5xi32, #ba>, tensor<5xi32, #r>, tensor<5xi32, #b>, tensor<5xf32, #r>,
    tensor<5xi32, #r>
}
