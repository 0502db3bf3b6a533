// Kernels of a device give the bits that a processor with fused multiply-add gives. Sizes fill no blocks.
// REQUIRES: x86, fma
// RUN: dmc-compile %s -o %t.host.so && dmc-compile %s --target=cuda:sm_90a -o %t.device.so
// RUN: rm -rf %t.host %t.device && dmc-run %t.host.so --seed=5 --output-dir %t.host
// RUN: dmc-run %t.device.so --device=simulated --seed=5 --output-dir %t.device
// RUN: diff -r %t.host %t.device
func.func @main(%x: tensor<37x130xf32>, %y: tensor<130xf32>, %b: tensor<301xbf16>, %h: tensor<301xf16>, %d: tensor<77xf64>,
                %s: tensor<301xi8>, %p: tensor<301xi1>, %i: tensor<9xi64>)
    -> (tensor<37x130xf32>, tensor<130x37xf32>, tensor<301xbf16>, tensor<301xf16>, tensor<77xf64>, tensor<301xi8>,
        tensor<301xi1>, tensor<9x130xf32>, tensor<37x130xf32>, tensor<37x133xf32>, tensor<5x130xf32>, tensor<37x130xf32>, tensor<77xf64>,
        tensor<9x130xf32>) {
  %yb = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<130xf32>) -> tensor<37x130xf32>
  %e = stablehlo.exponential %x : tensor<37x130xf32>
  %t = stablehlo.tanh %yb : tensor<37x130xf32>
  %q = stablehlo.divide %e, %t : tensor<37x130xf32>
  %chain = stablehlo.subtract %q, %x : tensor<37x130xf32>
  %transpose = stablehlo.transpose %chain, dims = [1, 0] : (tensor<37x130xf32>) -> tensor<130x37xf32>
  %bb = stablehlo.multiply %b, %b : tensor<301xbf16>
  %be = stablehlo.logistic %bb : tensor<301xbf16>
  %hh = stablehlo.multiply %h, %h : tensor<301xf16>
  %he = stablehlo.sine %hh : tensor<301xf16>
  %dd = stablehlo.multiply %d, %d : tensor<77xf64>
  %ds = stablehlo.sqrt %dd : tensor<77xf64>
  %ss = stablehlo.multiply %s, %s : tensor<301xi8>
  %pn = stablehlo.not %p : tensor<301xi1>
  // Indices beyond the operand are clamped, however far.
  %far = stablehlo.constant dense<[0, 36, 37, -1, 1099511627776, -1099511627776, 4294967296, 9223372036854775807, -9223372036854775808]> : tensor<9xi64>
  %at = stablehlo.add %far, %i : tensor<9xi64>
  %rows = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 130>}> : (tensor<37x130xf32>, tensor<9xi64>) -> tensor<9x130xf32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<37x130xf32>) -> tensor<37x130xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %padded = stablehlo.pad %x, %zero, low = [0, 2], high = [0, 1], interior = [0, 0] : (tensor<37x130xf32>, tensor<f32>) -> tensor<37x133xf32>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %first = stablehlo.slice %i [0:1] : (tensor<9xi64>) -> tensor<1xi64>
  %start = stablehlo.reshape %first : (tensor<1xi64>) -> tensor<i64>
  %none = stablehlo.constant dense<0> : tensor<i64>
  %window = stablehlo.dynamic_slice %x, %start, %none, sizes = [5, 130] : (tensor<37x130xf32>, tensor<i64>, tensor<i64>) -> tensor<5x130xf32>
  %updated = stablehlo.dynamic_update_slice %chain, %window, %one, %none : (tensor<37x130xf32>, tensor<5x130xf32>, tensor<i64>, tensor<i64>) -> tensor<37x130xf32>
  %two = stablehlo.constant dense<0.3> : tensor<77xf64>
  %rest = stablehlo.remainder %ds, %two : tensor<77xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<9x130xf32>
  %targets = stablehlo.constant dense<[0, 3, 3, 8, -1, 9, 3, 4294967299, 1]> : tensor<9xi64>
  %scattered = "stablehlo.scatter"(%rows, %targets, %ones) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<9x130xf32>, tensor<9xi64>, tensor<9x130xf32>) -> tensor<9x130xf32>
  return %chain, %transpose, %be, %he, %ds, %ss, %pn, %rows, %sorted, %padded, %window, %updated, %rest, %scattered
      : tensor<37x130xf32>, tensor<130x37xf32>, tensor<301xbf16>, tensor<301xf16>, tensor<77xf64>, tensor<301xi8>,
        tensor<301xi1>, tensor<9x130xf32>, tensor<37x130xf32>, tensor<37x133xf32>, tensor<5x130xf32>, tensor<37x130xf32>, tensor<77xf64>,
        tensor<9x130xf32>
}
