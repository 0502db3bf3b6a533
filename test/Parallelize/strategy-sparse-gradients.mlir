// RUN: split-file %s %t
// RUN: dmc-compile %t/rows.mlir --strategy=data_parallel:batch=b*,parameters=w --emit=parallel -o - 2>/dev/null | FileCheck %t/rows.mlir
// RUN: dmc-compile %t/sums.mlir --strategy=data_parallel:batch=b*,parameters=w --emit=parallel -o - 2>/dev/null | FileCheck %t/sums.mlir

//--- rows.mlir
// The gradient of a table, of which the ranks change few rows: data parallelism sends the rows.
#mesh = #dmc.mesh<"data" = 4>
// CHECK-LABEL: module @table
// CHECK-DAG: dmc.combine %{{.*}} {{(along|over).*}} : tensor<64x2x1xi32
// CHECK-DAG: dmc.combine %{{.*}} {{(along|over).*}} : tensor<64x2x16xf32
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: dmc.scatter
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: return
module @table attributes {dmc.program = #dmc.program<tensor "table" on #mesh,
    arguments ["w" : tensor<5000x16xf32>, "bi" : tensor<64x2x1xi32>, "bu" : tensor<64x16xf32>],
    results ["y" : tensor<5000x16xf32>]>} {
  func.func @main(%w: tensor<5000x16xf32>, %i: tensor<64x2x1xi32>, %u: tensor<64x16xf32>) -> tensor<5000x16xf32> {
    %zero = arith.constant 0.0 : f32
    %rate = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<5000x16xf32>
    %d = tensor.empty() : tensor<64x2x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5000x16xf32>) -> tensor<5000x16xf32>
    %x = linalg.fill ins(%rate : f32) outs(%e : tensor<5000x16xf32>) -> tensor<5000x16xf32>
    %b = linalg.broadcast ins(%u : tensor<64x16xf32>) outs(%d : tensor<64x2x16xf32>) dimensions = [1]
    %g = dmc.scatter ins(%i, %b : tensor<64x2x1xi32>, tensor<64x2x16xf32>) outs(%z : tensor<5000x16xf32>) {index_vector_dim = 2 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, update_window_dims = array<i64: 2>} -> tensor<5000x16xf32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      dmc.yield %s : f32
    }
    %m = linalg.map { arith.mulf } ins(%x, %g : tensor<5000x16xf32>, tensor<5000x16xf32>) outs(%e : tensor<5000x16xf32>)
    %r = linalg.map { arith.subf } ins(%w, %m : tensor<5000x16xf32>, tensor<5000x16xf32>) outs(%e : tensor<5000x16xf32>)
    return %r : tensor<5000x16xf32>
  }
}


//--- sums.mlir
// The sums of a table that is smaller than the rows are sent.
#mesh = #dmc.mesh<"data" = 4>
// CHECK-LABEL: module @small_table
// CHECK-NOT: dmc.{{combine|exchange|redistribute|permute}}
// CHECK: dmc.scatter
// CHECK: dmc.reduce %{{.*}} {{(along|over).*}} : tensor<8x16xf32
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute}}
// CHECK: return
module @small_table attributes {dmc.program = #dmc.program<tensor "small_table" on #mesh,
    arguments ["w" : tensor<8x16xf32>, "bi" : tensor<64x2x1xi32>, "bu" : tensor<64x16xf32>],
    results ["y" : tensor<8x16xf32>]>} {
  func.func @main(%w: tensor<8x16xf32>, %i: tensor<64x2x1xi32>, %u: tensor<64x16xf32>) -> tensor<8x16xf32> {
    %zero = arith.constant 0.0 : f32
    %rate = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<8x16xf32>
    %d = tensor.empty() : tensor<64x2x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %x = linalg.fill ins(%rate : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %b = linalg.broadcast ins(%u : tensor<64x16xf32>) outs(%d : tensor<64x2x16xf32>) dimensions = [1]
    %g = dmc.scatter ins(%i, %b : tensor<64x2x1xi32>, tensor<64x2x16xf32>) outs(%z : tensor<8x16xf32>) {index_vector_dim = 2 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, update_window_dims = array<i64: 2>} -> tensor<8x16xf32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      dmc.yield %s : f32
    }
    %m = linalg.map { arith.mulf } ins(%x, %g : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>)
    %r = linalg.map { arith.subf } ins(%w, %m : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>)
    return %r : tensor<8x16xf32>
  }
}
