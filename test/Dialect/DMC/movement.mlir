// RUN: dmc-opt %s --verify-levels=false | dmc-opt --verify-levels=false | FileCheck %s

#mesh_2x4 = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh_2x4, [{}, {}]>
#d0 = #dmc.layout<#mesh_2x4, [{"data"}, {}]>
#dm0 = #dmc.layout<#mesh_2x4, [{"data", "model"}, {}]>
#md0 = #dmc.layout<#mesh_2x4, [{"model", "data"}, {}]>
#d1 = #dmc.layout<#mesh_2x4, [{}, {"data"}]>
#p = #dmc.layout<#mesh_2x4, [{}, {}], sum {"data"}>
#pmax = #dmc.layout<#mesh_2x4, [{}, {}], max {"data", "model"}>
#s0 = #dmc.layout<#mesh_2x4, [{}, {}], placed {"data" = 1}>
#sub = #dmc.layout<#mesh_2x4, [{"model":(2)2}, {}], sum {"data"}, placed {"model":(1)2 = 1}>

// CHECK-DAG: #[[$R:.*]] = #dmc.layout<#mesh_data2_model4, [{}, {}]>
// CHECK-DAG: #[[$D0:.*]] = #dmc.layout<#mesh_data2_model4, [{"data"}, {}]>
// CHECK-DAG: #[[$P:.*]] = #dmc.layout<#mesh_data2_model4, [{}, {}], sum {"data"}>

// Sub-axes, a combiner and a placed axis print as they are read.
// CHECK-DAG: #dmc.layout<#mesh_data2_model4, [{"model":(2)2}, {}], sum {"data"}, placed {"model":(1)2 = 1}>

// CHECK-LABEL: @moves
func.func @moves(%x: tensor<8x4xf32, #r>, %p: tensor<8x4xf32, #p>, %s: tensor<8x4xf32, #s0>,
                 %dm: tensor<8x4xf32, #dm0>) -> tensor<8x4xf32, #d1> {
  // CHECK: dmc.partition %{{.*}} along {"data"} in 0 : tensor<8x4xf32, #[[$R]]> to tensor<8x4xf32, #[[$D0]]>
  %0 = dmc.partition %x along {"data"} in 0 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d0>
  // CHECK: dmc.combine %{{.*}} along {"data"} in 0
  %1 = dmc.combine %0 along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  // CHECK: dmc.reduce %{{.*}} over {"data"} : tensor<8x4xf32, #[[$P]]> to tensor<8x4xf32, #[[$R]]>
  %2 = dmc.reduce %p over {"data"} : tensor<8x4xf32, #p> to tensor<8x4xf32, #r>
  // CHECK: dmc.replicate %{{.*}} over {"data"}
  %3 = dmc.replicate %s over {"data"} : tensor<8x4xf32, #s0> to tensor<8x4xf32, #r>
  // CHECK: dmc.spread %{{.*}} over {"data"}
  %4 = dmc.spread %x over {"data"} : tensor<8x4xf32, #r> to tensor<8x4xf32, #p>
  // CHECK: dmc.spread %{{.*}} over {"data", "model"}
  %5 = dmc.spread %dm over {"data", "model"} : tensor<8x4xf32, #dm0> to tensor<8x4xf32, #pmax>
  // CHECK: dmc.place %{{.*}} over {"data"}
  %6 = dmc.place %x over {"data"} : tensor<8x4xf32, #r> to tensor<8x4xf32, #s0>
  // CHECK: dmc.permute
  %7 = dmc.permute %dm : tensor<8x4xf32, #dm0> to tensor<8x4xf32, #md0>
  // CHECK: dmc.redistribute
  %10 = dmc.redistribute %7 : tensor<8x4xf32, #md0> to tensor<8x4xf32, #dm0>
  // CHECK: dmc.reshard
  %8 = dmc.reshard %7 : tensor<8x4xf32, #md0> to tensor<8x4xf32, #p>
  // CHECK: dmc.exchange %{{.*}} along {"data"} from 0 to 1
  %9 = dmc.exchange %0 along {"data"} from 0 to 1 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #d1>
  return %9 : tensor<8x4xf32, #d1>
}

// CHECK-LABEL: @sub_axes
func.func private @sub_axes(tensor<8x4xf32, #sub>)

// CHECK-LABEL: @constrain
func.func @constrain(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: dmc.constrain %{{.*}} : tensor<8x4xf32> to #[[$D0]] open [1] priority [2, 0]{{$}}
  %0 = dmc.constrain %x : tensor<8x4xf32> to #d0 open [1] priority [2, 0]
  // The attribute in place, and all clauses.
  // CHECK: dmc.constrain %{{.*}} : tensor<8x4xf32> to #layout_model1x2_r open [0, 1] replicated {"data"} group 3 allow forward {x}
  %1 = dmc.constrain %0 : tensor<8x4xf32> to #dmc.layout<#mesh_2x4, [{"model":(1)2}, {}]> open [0, 1] replicated {"data"} group 3 allow forward {x}
  return %1 : tensor<8x4xf32>
}

// Partial axes are a set.
// CHECK-LABEL: @spread_before_partial
func.func @spread_before_partial(%p: tensor<8xf32, #dmc.layout<#mesh_2x4, [{}], sum {"model"}>>) {
  // CHECK: dmc.spread %{{.*}} over {"data"}
  %0 = dmc.spread %p over {"data"} : tensor<8xf32, #dmc.layout<#mesh_2x4, [{}], sum {"model"}>>
    to tensor<8xf32, #dmc.layout<#mesh_2x4, [{}], sum {"data", "model"}>>
  return
}

// A part of an axis in a set is in the set.
#x4 = #dmc.mesh<"x" = 4>
#sum_x = #dmc.layout<#x4, [{}], sum {"x"}>
#sum_major = #dmc.layout<#x4, [{}], sum {"x":(1)2}>
#placed_x = #dmc.layout<#x4, [{}], placed {"x" = 3}>
#placed_major = #dmc.layout<#x4, [{}], placed {"x":(1)2 = 1}>
// CHECK-LABEL: @parts_of_sets
func.func @parts_of_sets(%p: tensor<4xf32, #sum_x>, %q: tensor<4xf32, #placed_x>) {
  // CHECK: dmc.reduce %{{.*}} over {"x":(2)2}
  %0 = dmc.reduce %p over {"x":(2)2} : tensor<4xf32, #sum_x> to tensor<4xf32, #sum_major>
  // CHECK: dmc.replicate %{{.*}} over {"x":(2)2}
  %1 = dmc.replicate %q over {"x":(2)2} : tensor<4xf32, #placed_x> to tensor<4xf32, #placed_major>
  // CHECK: dmc.place %{{.*}} over {"x":(2)2}
  %2 = dmc.place %1 over {"x":(2)2} : tensor<4xf32, #placed_major> to tensor<4xf32, #placed_x>
  return
}
