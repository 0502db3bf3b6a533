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

// -----

// expected-error @+1 {{expected a public function with one block}}
module {
  func.func private @none(%x: tensor<8xf32>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 1>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments [], results []>} {
  // expected-error @+1 {{expected 0 arguments and 0 results as in 'dmc.program', found}}
  func.func @count(%x: tensor<8xf32>) {
    return
  }
}

// -----

func.func @no_region(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot be scheduled: expected launches, collectives, reshapes, control flow and index arithmetic}}
  %0 = arith.addf %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @made_of_scalars(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 1.0 : f32
  // expected-error @+1 {{cannot be scheduled: expected launches, collectives, reshapes, control flow and index arithmetic}}
  %0 = tensor.splat %c : tensor<8xf32>
  return %0 : tensor<8xf32>
}
