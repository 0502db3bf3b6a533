// RUN: dmc-opt %s -split-input-file -verify-diagnostics --verify-levels=false
// One function per numbered constraint.

#m = #dmc.mesh<"a" = 2, "b" = 4>
#r = #dmc.layout<#m, [{}, {}]>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @partition_c1(%x: tensor<8x4xf32, #r>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.partition %x along {"a"} in 0 : tensor<8x4xf32, #r> to tensor<4x4xf32, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#r = #dmc.layout<#m, [{}, {}]>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @partition_c2(%x: tensor<8x4xf32, #r>) {
  // expected-error @below {{dimension 2 does not exist in a tensor of rank 2}}
  dmc.partition %x along {"a"} in 2 : tensor<8x4xf32, #r> to tensor<8x4xf32, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a1 = #dmc.layout<#m, [{}, {"a"}]>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @partition_c3(%x: tensor<8x4xf32, #a1>) {
  // expected-error @below {{axis "a" is not replicated in the operand's layout}}
  dmc.partition %x along {"a"} in 0 : tensor<8x4xf32, #a1> to tensor<8x4xf32, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#b0 = #dmc.layout<#m, [{"b"}, {}]>
#ab0 = #dmc.layout<#m, [{"a", "b"}, {}]>
// The axes go to the minor end, not to the major one.
func.func @partition_c4(%x: tensor<8x4xf32, #b0>) {
  // expected-error @below {{expected the result's layout to be [{"b", "a"}, {}], found [{"a", "b"}, {}]}}
  dmc.partition %x along {"a"} in 0 : tensor<8x4xf32, #b0> to tensor<8x4xf32, #ab0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#n = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#r = #dmc.layout<#n, [{}, {}]>
func.func @combine_c1(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected layouts on one mesh}}
  dmc.combine %x along {"a"} in 0 : tensor<8x4xf32, #a0> to tensor<8x4xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#r = #dmc.layout<#m, [{}, {}]>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @combine_c2(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{dimension -1 does not exist}}
  dmc.combine %x along {"a"} in -1 : tensor<8x4xf32, #a0> to tensor<8x4xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#ab0 = #dmc.layout<#m, [{"a", "b"}, {}]>
#b0 = #dmc.layout<#m, [{"b"}, {}]>
// Only the minor end moves: combining "a" does not leave a split by "b".
func.func @combine_c3(%x: tensor<8x4xf32, #ab0>) {
  // expected-error @below {{expected the axes to be the minor end of dimension 0 of the operand's layout}}
  dmc.combine %x along {"a"} in 0 : tensor<8x4xf32, #ab0> to tensor<8x4xf32, #b0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#ab0 = #dmc.layout<#m, [{"a", "b"}, {}]>
#r = #dmc.layout<#m, [{}, {}]>
func.func @combine_c4(%x: tensor<8x4xf32, #ab0>) {
  // expected-error @below {{expected the result's layout to be [{"a"}, {}], found [{}, {}]}}
  dmc.combine %x along {"b"} in 0 : tensor<8x4xf32, #ab0> to tensor<8x4xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#m, [{}], sum {"a"}>
func.func @reduce_c1(%x: tensor<8xf32, #p>) {
  // expected-error @below {{expected operand and result to have layouts}}
  dmc.reduce %x over {"a"} : tensor<8xf32, #p> to tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#r = #dmc.layout<#m, [{}]>
func.func @reduce_c2(%x: tensor<8xf32, #p>) {
  // expected-error @below {{axis "b" is not partial in the operand's layout}}
  dmc.reduce %x over {"b"} : tensor<8xf32, #p> to tensor<8xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#p = #dmc.layout<#m, [{}], sum {"a", "b"}>
#r = #dmc.layout<#m, [{}]>
// One reduction is missing.
func.func @reduce_c3(%x: tensor<8xf32, #p>) {
  // expected-error @below {{expected the result's layout to be [{}], sum {"b"}, found [{}]}}
  dmc.reduce %x over {"a"} : tensor<8xf32, #p> to tensor<8xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{}], placed {"a" = 1}>
#r = #dmc.layout<#m, [{}]>
func.func @replicate_c1(%x: tensor<8xf32, #s>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.replicate %x over {"a"} : tensor<8xf32, #s> to tensor<8xf64, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
func.func @replicate_c2(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected axes that are placed in the operand's layout}}
  dmc.replicate %x over {"a"} : tensor<8xf32, #a0> to tensor<8xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{}], placed {"a" = 1}>
func.func @replicate_c3(%x: tensor<8xf32, #s>) {
  // expected-error @below {{expected the result's layout to be [{}], found [{}], placed {"a" = 1}}}
  dmc.replicate %x over {"a"} : tensor<8xf32, #s> to tensor<8xf32, #s>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#r = #dmc.layout<#m, [{}]>
func.func @spread_c1(%x: tensor<8xf32, #r>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.spread %x over {"a"} : tensor<8xf32, #r> to tensor<4xf32, #p>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#ab0 = #dmc.layout<#m, [{"a", "b"}]>
#p = #dmc.layout<#m, [{"b"}], sum {"a"}>
func.func @spread_c2(%x: tensor<8xf32, #ab0>) {
  // expected-error @below {{axis "a" is not the minor end of dimension 0}}
  dmc.spread %x over {"a"} : tensor<8xf32, #ab0> to tensor<8xf32, #p>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#pa = #dmc.layout<#m, [{}], sum {"a"}>
#pab = #dmc.layout<#m, [{}], max {"a", "b"}>
// One combiner per layout.
func.func @spread_c3(%x: tensor<8xf32, #pa>) {
  // expected-error @below {{expected the result's layout to be [{}], sum {"a", "b"}, found [{}], max {"a", "b"}}}
  dmc.spread %x over {"b"} : tensor<8xf32, #pa> to tensor<8xf32, #pab>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{}], placed {"a" = 1}>
#r = #dmc.layout<#m, [{}]>
func.func @place_c1(%x: tensor<8xf32, #r>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.place %x over {"a"} : tensor<8xf32, #r> to tensor<4xf32, #s>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
#s = #dmc.layout<#m, [{}], placed {"a" = 1}>
func.func @place_c2(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{axis "a" is not replicated in the operand's layout}}
  dmc.place %x over {"a"} : tensor<8xf32, #a0> to tensor<8xf32, #s>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#r = #dmc.layout<#m, [{}]>
func.func @place_c3(%x: tensor<8xf32, #r>) {
  // expected-error @below {{expected axes that are placed in the result's layout}}
  dmc.place %x over {"a"} : tensor<8xf32, #r> to tensor<8xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#a1 = #dmc.layout<#m, [{}, {"a"}]>
func.func @exchange_c1(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.exchange %x along {"a"} from 0 to 1 : tensor<8x4xf32, #a0> to tensor<4x8xf32, #a1>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @exchange_c2(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected two dimensions, found 0 twice}}
  dmc.exchange %x along {"a"} from 0 to 0 : tensor<8x4xf32, #a0> to tensor<8x4xf32, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a1 = #dmc.layout<#m, [{}, {"a"}]>
func.func @exchange_c3(%x: tensor<8x4xf32, #a1>) {
  // expected-error @below {{expected the axes to be the minor end of dimension 0}}
  dmc.exchange %x along {"a"} from 0 to 1 : tensor<8x4xf32, #a1> to tensor<8x4xf32, #a1>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#r = #dmc.layout<#m, [{}, {}]>
func.func @exchange_c4(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected the result's layout to be [{}, {"a"}], found [{}, {}]}}
  dmc.exchange %x along {"a"} from 0 to 1 : tensor<8x4xf32, #a0> to tensor<8x4xf32, #r>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @permute_c1(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.permute %x : tensor<8xf32, #a0> to tensor<4xf32, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 2>
#a0 = #dmc.layout<#m, [{"a"}], sum {"b"}>
#b0 = #dmc.layout<#m, [{"b"}], sum {"a"}>
func.func @permute_c2(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected the same partial axes before and after}}
  dmc.permute %x : tensor<8xf32, #a0> to tensor<8xf32, #b0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a0 = #dmc.layout<#m, [{"a"}]>
#b0 = #dmc.layout<#m, [{"b"}]>
func.func @permute_c3(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected dimension 0 of size 8 to be cut into as many blocks before as after, found 2 and 4}}
  dmc.permute %x : tensor<8xf32, #a0> to tensor<8xf32, #b0>
  return
}

// -----
// 7 in blocks of 4 is cut at 2, 4 and 6; in blocks of 3 at 2, 3, 5 and 6.
#m = #dmc.mesh<"a" = 2, "b" = 3>
#ab = #dmc.layout<#m, [{"a", "b"}]>
#ba = #dmc.layout<#m, [{"b", "a"}]>
func.func @permute_c3_places(%x: tensor<7xf32, #ab>) {
  // expected-error @below {{expected dimension 0 of size 7 to be cut at the same places before and after, found {2, 2, 2, 1} and {2, 1, 2, 1, 1}}}
  dmc.permute %x : tensor<7xf32, #ab> to tensor<7xf32, #ba>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 2>
#a0 = #dmc.layout<#m, [{"a"}], placed {"b" = 1}>
#b0 = #dmc.layout<#m, [{"b"}]>
func.func @permute_c4(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected no more holders of a block after than before, found axes placed or splitting that then replicate}}
  dmc.permute %x : tensor<8xf32, #a0> to tensor<8xf32, #b0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @redistribute_c1(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected operand and result of one shape and element type}}
  dmc.redistribute %x : tensor<8xf32, #a0> to tensor<8xf64, #a0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 2>
#a0 = #dmc.layout<#m, [{"a"}], sum {"b"}>
#b0 = #dmc.layout<#m, [{"a"}]>
func.func @redistribute_c2(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected the same partial axes before and after}}
  dmc.redistribute %x : tensor<8xf32, #a0> to tensor<8xf32, #b0>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @reshard_c1(%x: tensor<8xf32, #a0>) {
  // expected-error @below {{expected operand and result to have layouts}}
  dmc.reshard %x : tensor<8xf32, #a0> to tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#m, [{}], placed {"a" = 1}>
func.func @constrain_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected a layout without placed axes}}
  dmc.constrain %x : tensor<8xf32> to #p
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @constrain_c2(%x: tensor<8xf32>) {
  // expected-error @below {{open dimension 1 does not exist or is listed twice}}
  dmc.constrain %x : tensor<8xf32> to #a0 open [1]
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @constrain_c3(%x: tensor<8xf32>) {
  // expected-error @below {{expected priorities of 0 or more, found -1}}
  dmc.constrain %x : tensor<8xf32> to #a0 priority [-1]
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @constrain_c3_count(%x: tensor<8xf32>) {
  // expected-error @below {{expected a priority for each of the 1 dimensions, found 2}}
  dmc.constrain %x : tensor<8xf32> to #a0 priority [0, 1]
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#a0 = #dmc.layout<#m, [{"a"}]>
func.func @constrain_c4(%x: tensor<8xf32>) {
  // expected-error @below {{replicated axes: }}
  dmc.constrain %x : tensor<8xf32> to #a0 replicated {"a"}
  return
}

// -----

#m = #dmc.mesh<"a" = 2, "b" = 4>
#p = #dmc.layout<#m, [{}], sum {"a"}>
func.func @spread_c2_partial(%x: tensor<8xf32, #p>) {
  // expected-error @below {{axis "a" is partial already}}
  %0 = dmc.spread %x over {"a"} : tensor<8xf32, #p> to tensor<8xf32, #p>
  return
}

// -----

#m = #dmc.mesh<"a" = 4>
#p = #dmc.layout<#m, [{"a":(1)2}]>
#q = #dmc.layout<#m, [{}], sum {"a"}>
func.func @spread_c2_part(%x: tensor<8xf32, #p>) {
  // expected-error @below {{a part of axis "a" has another state}}
  %0 = dmc.spread %x over {"a"} : tensor<8xf32, #p> to tensor<8xf32, #q>
  return
}
