// RUN: dmc-interpret %s --print | FileCheck %s

func.func @main() -> (tensor<3xi8>, tensor<3xi8>, tensor<2xbf16>, tensor<2xf16>, tensor<4xf32>, tensor<2xi1>,
                      tensor<2xi32>, tensor<2xf32>, tensor<f64>, tensor<2xi32>) {
  // Integers wrap to their width, signed or not as the operation says.
  // CHECK: result 0: tensor<3xi8> = [-128, -2, 0]
  %a = arith.constant dense<[127, -1, -128]> : tensor<3xi8>
  %b = arith.constant dense<[1, -1, -128]> : tensor<3xi8>
  %0 = arith.addi %a, %b : tensor<3xi8>
  // CHECK: result 1: tensor<3xi8> = [127, 1, 1]
  %1 = arith.divui %a, %b : tensor<3xi8>
  // A 16-bit float rounds after every operation: 256 + 1 is 256 in bf16.
  // CHECK: result 2: tensor<2xbf16> = [256, 4]
  %c = arith.constant dense<[256.0, 3.0]> : tensor<2xbf16>
  %one = arith.constant dense<1.0> : tensor<2xbf16>
  %2 = arith.addf %c, %one : tensor<2xbf16>
  // CHECK: result 3: tensor<2xf16> = [2048, inf]
  %d = arith.constant dense<[2048.0, 65504.0]> : tensor<2xf16>
  %e = arith.constant dense<[1.0, 16.0]> : tensor<2xf16>
  %3 = arith.addf %d, %e : tensor<2xf16>
  // maximumf keeps NaN.
  // CHECK: result 4: tensor<4xf32> = [nan, 2, 0, inf]
  %f = arith.constant dense<[0x7fc00000, 2.0, -0.0, 0x7f800000]> : tensor<4xf32>
  %g = arith.constant dense<[1.0, 1.0, 0.0, 1.0]> : tensor<4xf32>
  %init4 = tensor.empty() : tensor<4xf32>
  %4 = linalg.map { arith.maximumf } ins(%f, %g : tensor<4xf32>, tensor<4xf32>) outs(%init4 : tensor<4xf32>)
  // CHECK: result 5: tensor<2xi1> = [false, true]
  %h = arith.constant dense<[1, -1]> : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %5 = arith.cmpi slt, %h, %zero : tensor<2xi32>
  // CHECK: result 6: tensor<2xi32> = [0, -1]
  %6 = arith.select %5, %h, %zero : tensor<2xi1>, tensor<2xi32>
  // CHECK: result 7: tensor<2xf32> = [1, 4.2949673e+09]
  %7 = arith.uitofp %h : tensor<2xi32> to tensor<2xf32>
  // CHECK: result 8: tensor<f64> = 1.6487212707001282
  %half = arith.constant 0.5 : f64
  %exp = math.exp %half : f64
  %8 = tensor.from_elements %exp : tensor<f64>
  // CHECK: result 9: tensor<2xi32> = [-7, 7]
  %i = arith.constant dense<[-7.9, 7.9]> : tensor<2xf32>
  %9 = arith.fptosi %i : tensor<2xf32> to tensor<2xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3xi8>, tensor<3xi8>, tensor<2xbf16>, tensor<2xf16>,
    tensor<4xf32>, tensor<2xi1>, tensor<2xi32>, tensor<2xf32>, tensor<f64>, tensor<2xi32>
}
