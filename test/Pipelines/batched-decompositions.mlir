// RUN: dmc-compile %s --emit=ranks -o - | FileCheck %s --implicit-check-not=comm.

// Batches that are split among ranks need no moves: not in the loops, and not between panels. Nor do
// transforms along dimensions that are not split.
// CHECK: dmc.program<ranks
// CHECK: scf.for
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x40x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
                  %c: tensor<8x48xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x40x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
          tensor<8x40x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
          tensor<8x40x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
          tensor<8x48xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.cholesky %a, lower = true : tensor<8x40x40xf32>
    %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<8x40x40xf32>) -> (tensor<8x40x40xf32>, tensor<8x40xi32>, tensor<8xi32>)
    %2:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<8x40x40xf32>) -> (tensor<8x40x40xf32>, tensor<8x40xf32>)
    %3 = stablehlo.custom_call @lapack_sorgqr_ffi(%2#0, %2#1) : (tensor<8x40x40xf32>, tensor<8x40xf32>) -> tensor<8x40x40xf32>
    %4 = stablehlo.fft %c, type = IFFT, length = [48] : (tensor<8x48xcomplex<f32>>) -> tensor<8x48xcomplex<f32>>
    return %0, %1#0, %3, %4 : tensor<8x40x40xf32>, tensor<8x40x40xf32>, tensor<8x40x40xf32>, tensor<8x48xcomplex<f32>>
  }
}
