// RUN: dmc-opt %s -dmc-plan-buffers -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a program at level ranks, found level scheduled}}
module attributes {dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @main() {
    return
  }
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot be scheduled: expected launches, collectives, reshapes, control flow and index arithmetic}}
  %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
  return %0 : tensor<8xf32>
}

// -----

func.func @main() -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{reads a tensor that is empty and never written}}
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected local tensors of static shape, found 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) {
  return
}

// -----

func.func @main() {
  return
}
// expected-error @+1 {{expected one public function, found a second}}
func.func @second() {
  return
}
