// RUN: dmc-opt %s --canonicalize --verify-levels=false | FileCheck %s
// The cancel and merge laws as folders.

#mesh_2x4 = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh_2x4, [{}, {}]>
#d0 = #dmc.layout<#mesh_2x4, [{"data"}, {}]>
#dm0 = #dmc.layout<#mesh_2x4, [{"data", "model"}, {}]>
#md0 = #dmc.layout<#mesh_2x4, [{"model", "data"}, {}]>
#d1 = #dmc.layout<#mesh_2x4, [{}, {"data"}]>
#p = #dmc.layout<#mesh_2x4, [{}, {}], sum {"data"}>
#pdm = #dmc.layout<#mesh_2x4, [{}, {}], sum {"data", "model"}>
#pm = #dmc.layout<#mesh_2x4, [{}, {}], sum {"model"}>
#s0 = #dmc.layout<#mesh_2x4, [{}, {}], placed {"data" = 0}>

// CHECK-LABEL: @partition_of_combine
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @partition_of_combine(%x: tensor<8x4xf32, #d0>) -> tensor<8x4xf32, #d0> {
  %0 = dmc.combine %x along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  %1 = dmc.partition %0 along {"data"} in 0 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d0>
  return %1 : tensor<8x4xf32, #d0>
}

// Another dimension is another set of blocks: nothing cancels.
// CHECK-LABEL: @partition_elsewhere
// CHECK: dmc.combine
// CHECK: dmc.partition
func.func @partition_elsewhere(%x: tensor<8x4xf32, #d0>) -> tensor<8x4xf32, #d1> {
  %0 = dmc.combine %x along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  %1 = dmc.partition %0 along {"data"} in 1 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d1>
  return %1 : tensor<8x4xf32, #d1>
}

// CHECK-LABEL: @combine_of_partition
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @combine_of_partition(%x: tensor<8x4xf32, #r>) -> tensor<8x4xf32, #r> {
  %0 = dmc.partition %x along {"data"} in 0 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d0>
  %1 = dmc.combine %0 along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// Whether one collective is faster follows from the machine: dmc-merge-moves decides.
// CHECK-LABEL: @combines_stay
// CHECK-NEXT: dmc.combine
// CHECK-NEXT: dmc.combine
func.func @combines_stay(%x: tensor<8x4xf32, #dm0>) -> tensor<8x4xf32, #r> {
  %0 = dmc.combine %x along {"model"} in 0 : tensor<8x4xf32, #dm0> to tensor<8x4xf32, #d0>
  %1 = dmc.combine %0 along {"data"} in 0 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// CHECK-LABEL: @reduce_of_spread
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @reduce_of_spread(%x: tensor<8x4xf32, #r>) -> tensor<8x4xf32, #r> {
  %0 = dmc.spread %x over {"data"} : tensor<8x4xf32, #r> to tensor<8x4xf32, #p>
  %1 = dmc.reduce %0 over {"data"} : tensor<8x4xf32, #p> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// The split's block is not the whole: reduce after a spread of a split stays.
// CHECK-LABEL: @reduce_of_split_spread
// CHECK: dmc.spread
// CHECK: dmc.reduce
func.func @reduce_of_split_spread(%x: tensor<8x4xf32, #d0>) -> tensor<8x4xf32, #r> {
  %0 = dmc.spread %x over {"data"} : tensor<8x4xf32, #d0> to tensor<8x4xf32, #p>
  %1 = dmc.reduce %0 over {"data"} : tensor<8x4xf32, #p> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// CHECK-LABEL: @reduces_stay
// CHECK-NEXT: dmc.reduce
// CHECK-NEXT: dmc.reduce
func.func @reduces_stay(%x: tensor<8x4xf32, #pdm>) -> tensor<8x4xf32, #r> {
  %0 = dmc.reduce %x over {"model"} : tensor<8x4xf32, #pdm> to tensor<8x4xf32, #p>
  %1 = dmc.reduce %0 over {"data"} : tensor<8x4xf32, #p> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// CHECK-LABEL: @replicate_of_place
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @replicate_of_place(%x: tensor<8x4xf32, #r>) -> tensor<8x4xf32, #r> {
  %0 = dmc.place %x over {"data"} : tensor<8x4xf32, #r> to tensor<8x4xf32, #s0>
  %1 = dmc.replicate %0 over {"data"} : tensor<8x4xf32, #s0> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}

// CHECK-LABEL: @exchange_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @exchange_back(%x: tensor<8x4xf32, #d0>) -> tensor<8x4xf32, #d0> {
  %0 = dmc.exchange %x along {"data"} from 0 to 1 : tensor<8x4xf32, #d0> to tensor<8x4xf32, #d1>
  %1 = dmc.exchange %0 along {"data"} from 1 to 0 : tensor<8x4xf32, #d1> to tensor<8x4xf32, #d0>
  return %1 : tensor<8x4xf32, #d0>
}

// CHECK-LABEL: @permute_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @permute_back(%x: tensor<8x4xf32, #dm0>) -> tensor<8x4xf32, #dm0> {
  %0 = dmc.permute %x : tensor<8x4xf32, #dm0> to tensor<8x4xf32, #md0>
  %1 = dmc.permute %0 : tensor<8x4xf32, #md0> to tensor<8x4xf32, #dm0>
  return %1 : tensor<8x4xf32, #dm0>
}

// CHECK-LABEL: @reshards_merge
// CHECK-NEXT: %[[Y:.*]] = dmc.reshard %{{.*}} : tensor<8x4xf32, #layout_data_r> to tensor<8x4xf32, #layout_r_data>
// CHECK-NEXT: return %[[Y]]
func.func @reshards_merge(%x: tensor<8x4xf32, #d0>) -> tensor<8x4xf32, #d1> {
  %0 = dmc.reshard %x : tensor<8x4xf32, #d0> to tensor<8x4xf32, #dm0>
  %1 = dmc.reshard %0 : tensor<8x4xf32, #dm0> to tensor<8x4xf32, #d1>
  return %1 : tensor<8x4xf32, #d1>
}

// The layout between has another use, so that the move to it stays: the second move would
// gather from both layouts for nothing.
// CHECK-LABEL: @reshard_with_other_uses
// CHECK-NEXT: %[[Y:.*]] = dmc.reshard %{{.*}} : tensor<8x4xf32, #layout_data_r> to tensor<8x4xf32, #layout_r_r>
// CHECK-NEXT: %[[Z:.*]] = dmc.reshard %[[Y]]
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @reshard_with_other_uses(%x: tensor<8x4xf32, #d0>) -> (tensor<8x4xf32, #r>, tensor<8x4xf32, #d1>) {
  %0 = dmc.reshard %x : tensor<8x4xf32, #d0> to tensor<8x4xf32, #r>
  %1 = dmc.reshard %0 : tensor<8x4xf32, #r> to tensor<8x4xf32, #d1>
  return %0, %1 : tensor<8x4xf32, #r>, tensor<8x4xf32, #d1>
}

// Partial values between stay what they are.
// CHECK-LABEL: @reshard_by_partial
// CHECK-NEXT: %[[Y:.*]] = dmc.reshard
// CHECK-NEXT: %[[Z:.*]] = dmc.reshard %[[Y]]
// CHECK-NEXT: return %[[Z]]
func.func @reshard_by_partial(%x: tensor<8x4xf32, #pdm>) -> tensor<8x4xf32, #r> {
  %0 = dmc.reshard %x : tensor<8x4xf32, #pdm> to tensor<8x4xf32, #pm>
  %1 = dmc.reshard %0 : tensor<8x4xf32, #pm> to tensor<8x4xf32, #r>
  return %1 : tensor<8x4xf32, #r>
}
