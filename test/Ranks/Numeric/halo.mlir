// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: FileCheck %s < %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Windows of one neighbour, of owners two positions away, with strides that drift, backwards,
// dilated by whole steps and not, and of a whole dimension.
//
// IN x f4 [[16.0, 5.0], [-7.0, 14.0], [8.0, -9.0], [-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0], [10.0, 12.0]]
// IN y f4 [[6.0, 3.0], [4.0, -1.0], [-5.0, -8.0], [-9.0, -10.0], [7.0, -2.0]]
// IN z f4 [[-4.0, 3.0], [2.0, 18.0], [11.0, 15.0], [8.0, -16.0], [17.0, 10.0], [12.0, -9.0], [-6.0, 7.0], [-13.0, 14.0], [-5.0, -1.0]]
// IN w i4 [[1], [2], [-3], [-8], [-7], [5], [-6], [-4], [9]]
// NUMPY def halo(x, count, length, step, offset, padding, dilation=1): positions = [[step * i + offset + j for j in range(length)] for i in range(count)]; return np.array([[x[p // dilation] if p % dilation == 0 and 0 <= p // dilation < len(x) else np.full(x.shape[1:], padding) for p in line] for line in positions])
// NUMPY r0, r1 = halo(x, 4, 4, 2, -1, 0), halo(y, 4, 8, 2, -3, 7.5)
// NUMPY r2, r3 = halo(x, 4, 5, 1, 2, 0), halo(x, 4, 2, -2, 6, 0)
// NUMPY r4, r5 = halo(x, 4, 4, 4, 0, 0, 2), halo(y, 4, 7, 4, -2, 1, 3)
// NUMPY r10, r11 = halo(x, 4, 10, 2, -8, 0), halo(z, 4, 2, 1, 0, 0)
// NUMPY r8, r9 = halo(x, 4, 1, 2, 1, 0), halo(z, 4, 4, 3, -1, 0)
// NUMPY r6, r7 = halo(z, 4, 4, 3, -1, 0), halo(w, 8, 3, 2, -1, 3)
// OUT r0 f4 [[[0.0, 0.0], [16.0, 5.0], [-7.0, 14.0], [8.0, -9.0]], [[-7.0, 14.0], [8.0, -9.0], [-15.0, 13.0], [-2.0, -3.0]], [[-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0]], [[-4.0, -1.0], [11.0, 6.0], [10.0, 12.0], [0.0, 0.0]]]
// OUT r1 f4 [[[7.5, 7.5], [7.5, 7.5], [7.5, 7.5], [6.0, 3.0], [4.0, -1.0], [-5.0, -8.0], [-9.0, -10.0], [7.0, -2.0]], [[7.5, 7.5], [6.0, 3.0], [4.0, -1.0], [-5.0, -8.0], [-9.0, -10.0], [7.0, -2.0], [7.5, 7.5], [7.5, 7.5]], [[4.0, -1.0], [-5.0, -8.0], [-9.0, -10.0], [7.0, -2.0], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5]], [[-9.0, -10.0], [7.0, -2.0], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5], [7.5, 7.5]]]
// OUT r2 f4 [[[8.0, -9.0], [-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0]], [[-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0], [10.0, 12.0]], [[-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0], [10.0, 12.0], [0.0, 0.0]], [[-4.0, -1.0], [11.0, 6.0], [10.0, 12.0], [0.0, 0.0], [0.0, 0.0]]]
// OUT r3 f4 [[[11.0, 6.0], [10.0, 12.0]], [[-2.0, -3.0], [-4.0, -1.0]], [[8.0, -9.0], [-15.0, 13.0]], [[16.0, 5.0], [-7.0, 14.0]]]
// OUT r4 f4 [[[16.0, 5.0], [0.0, 0.0], [-7.0, 14.0], [0.0, 0.0]], [[8.0, -9.0], [0.0, 0.0], [-15.0, 13.0], [0.0, 0.0]], [[-2.0, -3.0], [0.0, 0.0], [-4.0, -1.0], [0.0, 0.0]], [[11.0, 6.0], [0.0, 0.0], [10.0, 12.0], [0.0, 0.0]]]
// OUT r5 f4 [[[1.0, 1.0], [1.0, 1.0], [6.0, 3.0], [1.0, 1.0], [1.0, 1.0], [4.0, -1.0], [1.0, 1.0]], [[1.0, 1.0], [4.0, -1.0], [1.0, 1.0], [1.0, 1.0], [-5.0, -8.0], [1.0, 1.0], [1.0, 1.0]], [[-5.0, -8.0], [1.0, 1.0], [1.0, 1.0], [-9.0, -10.0], [1.0, 1.0], [1.0, 1.0], [7.0, -2.0]], [[1.0, 1.0], [1.0, 1.0], [7.0, -2.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]]
// OUT r6 f4 [[[0.0, 0.0], [-4.0, 3.0], [2.0, 18.0], [11.0, 15.0]], [[11.0, 15.0], [8.0, -16.0], [17.0, 10.0], [12.0, -9.0]], [[12.0, -9.0], [-6.0, 7.0], [-13.0, 14.0], [-5.0, -1.0]], [[-5.0, -1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]]
// OUT r7 i4 [[[3], [1], [2]], [[2], [-3], [-8]], [[-8], [-7], [5]], [[5], [-6], [-4]], [[-4], [9], [3]], [[3], [3], [3]], [[3], [3], [3]], [[3], [3], [3]]]
// OUT r8 f4 [[[-7.0, 14.0]], [[-15.0, 13.0]], [[-4.0, -1.0]], [[10.0, 12.0]]]
// OUT r9 f4 [[[0.0, 0.0], [-4.0, 3.0], [2.0, 18.0], [11.0, 15.0]], [[11.0, 15.0], [8.0, -16.0], [17.0, 10.0], [12.0, -9.0]], [[12.0, -9.0], [-6.0, 7.0], [-13.0, 14.0], [-5.0, -1.0]], [[-5.0, -1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]]
// OUT r10 f4 [[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [16.0, 5.0], [-7.0, 14.0]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [16.0, 5.0], [-7.0, 14.0], [8.0, -9.0], [-15.0, 13.0]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [16.0, 5.0], [-7.0, 14.0], [8.0, -9.0], [-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0]], [[0.0, 0.0], [0.0, 0.0], [16.0, 5.0], [-7.0, 14.0], [8.0, -9.0], [-15.0, 13.0], [-2.0, -3.0], [-4.0, -1.0], [11.0, 6.0], [10.0, 12.0]]]
// OUT r11 f4 [[[-4.0, 3.0], [2.0, 18.0]], [[2.0, 18.0], [11.0, 15.0]], [[11.0, 15.0], [8.0, -16.0]], [[8.0, -16.0], [17.0, 10.0]]]
#m = #dmc.mesh<"a" = 4, "b" = 2>
#a = #dmc.layout<#m, [{"a"}, {"b"}]>
#aw = #dmc.layout<#m, [{"a"}, {}, {"b"}]>
#r = #dmc.layout<#m, [{}, {"b"}]>
#rw = #dmc.layout<#m, [{}, {}, {"b"}]>
#ab = #dmc.layout<#m, [{"a", "b"}, {}]>
#abw = #dmc.layout<#m, [{"a", "b"}, {}, {}]>
module attributes {dmc.program = #dmc.program<parallel "halo" on #m,
    arguments ["x" : tensor<8x2xf32, #a>, "y" : tensor<5x2xf32, #a>, "z" : tensor<9x2xf32, #r>, "w" : tensor<9x1xi32, #ab>],
    results ["0" : tensor<4x4x2xf32, #aw>, "1" : tensor<4x8x2xf32, #aw>, "2" : tensor<4x5x2xf32, #aw>, "3" : tensor<4x2x2xf32, #aw>,
             "4" : tensor<4x4x2xf32, #aw>, "5" : tensor<4x7x2xf32, #aw>, "6" : tensor<4x4x2xf32, #aw>, "7" : tensor<8x3x1xi32, #abw>, "8" : tensor<4x1x2xf32, #aw>, "9" : tensor<4x4x2xf32, #rw>, "10" : tensor<4x10x2xf32, #aw>,
             "11" : tensor<4x2x2xf32, #rw>]>} {
  // CHECK-LABEL: func.func @main
  // Pieces of neighbours, joined.
  // CHECK-COUNT-2: comm.permute
  // CHECK: tensor.concat
  // Windows within blocks: nothing is sent.
  // CHECK: %[[WITHIN:.*]] = tensor.extract_slice %arg0[1, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1x1xf32>
  // CHECK-NEXT: tensor.expand_shape %[[WITHIN]]
  // A whole dimension on every rank, with room for what windows reach before and behind it.
  // CHECK: tensor.insert_slice %arg2 into %{{.*}}[1, 0] [9, 1] [1, 1] : tensor<9x1xf32> into tensor<13x1xf32>
  // Here they reach neither end.
  // CHECK: tensor.insert_slice %arg2 into %{{.*}}[0, 0] [9, 1] [1, 1] : tensor<9x1xf32> into tensor<9x1xf32>
  // CHECK: return
  func.func @main(%x: tensor<8x2xf32, #a>, %y: tensor<5x2xf32, #a>, %z: tensor<9x2xf32, #r>, %w: tensor<9x1xi32, #ab>)
      -> (tensor<4x4x2xf32, #aw>, tensor<4x8x2xf32, #aw>, tensor<4x5x2xf32, #aw>, tensor<4x2x2xf32, #aw>,
          tensor<4x4x2xf32, #aw>, tensor<4x7x2xf32, #aw>, tensor<4x4x2xf32, #aw>, tensor<8x3x1xi32, #abw>,
          tensor<4x1x2xf32, #aw>, tensor<4x4x2xf32, #rw>, tensor<4x10x2xf32, #aw>,
          tensor<4x2x2xf32, #rw>) {
    %0 = dmc.halo %x in 0 step 2 offset -1 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x4x2xf32, #aw>
    %1 = dmc.halo %y in 0 step 2 offset -3 padding 7.5 : f32 : tensor<5x2xf32, #a> to tensor<4x8x2xf32, #aw>
    %2 = dmc.halo %x in 0 step 1 offset 2 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x5x2xf32, #aw>
    %3 = dmc.halo %x in 0 step -2 offset 6 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x2x2xf32, #aw>
    %4 = dmc.halo %x in 0 step 4 offset 0 dilation 2 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x4x2xf32, #aw>
    %5 = dmc.halo %y in 0 step 4 offset -2 dilation 3 padding 1.0 : f32 : tensor<5x2xf32, #a> to tensor<4x7x2xf32, #aw>
    %6 = dmc.halo %z in 0 step 3 offset -1 padding 0.0 : f32 : tensor<9x2xf32, #r> to tensor<4x4x2xf32, #aw>
    %7 = dmc.halo %w in 0 step 2 offset -1 padding 3 : i32 : tensor<9x1xi32, #ab> to tensor<8x3x1xi32, #abw>
    %8 = dmc.halo %x in 0 step 2 offset 1 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x1x2xf32, #aw>
    %9 = dmc.halo %z in 0 step 3 offset -1 padding 0.0 : f32 : tensor<9x2xf32, #r> to tensor<4x4x2xf32, #rw>
    // In front of the first piece that any rank has, there is one that none has.
    %10 = dmc.halo %x in 0 step 2 offset -8 padding 0.0 : f32 : tensor<8x2xf32, #a> to tensor<4x10x2xf32, #aw>
    %11 = dmc.halo %z in 0 step 1 offset 0 padding 0.0 : f32 : tensor<9x2xf32, #r> to tensor<4x2x2xf32, #rw>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<4x4x2xf32, #aw>, tensor<4x8x2xf32, #aw>, tensor<4x5x2xf32, #aw>, tensor<4x2x2xf32, #aw>,
        tensor<4x4x2xf32, #aw>, tensor<4x7x2xf32, #aw>, tensor<4x4x2xf32, #aw>, tensor<8x3x1xi32, #abw>,
        tensor<4x1x2xf32, #aw>, tensor<4x4x2xf32, #rw>, tensor<4x10x2xf32, #aw>, tensor<4x2x2xf32, #rw>
  }
}
