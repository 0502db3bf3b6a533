// RUN: not dmc-opt %s --cse -o /dev/null 2>&1 | FileCheck %s

// Upstream's verifier takes a negative dimension.
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["a" : tensor<5x3xf32>], results ["r" : tensor<15xf32>]>} {
  func.func @negative_dimension(%a: tensor<5x3xf32>) -> tensor<15xf32> {
    // CHECK: [[#@LINE+2]]:{{.*}} error: 'tensor.collapse_shape' op expected dimension 0 of 'tensor<5x3xf32>' in reassociation, found -9223372036854775808
    // CHECK: remark: found after pass 'cse'
    %0 = tensor.collapse_shape %a [[-9223372036854775808, 1]] : tensor<5x3xf32> into tensor<15xf32>
    return %0 : tensor<15xf32>
  }
}
