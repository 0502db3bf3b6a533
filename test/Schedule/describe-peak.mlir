// RUN: dmc-opt %s -dmc-plan-buffers=describe-peak -split-input-file -verify-diagnostics -o /dev/null

// What is alive in the arena at its fullest moment, largest first; not a result in the caller's
// memory, what is gone by then or comes later, and what has no elements.
func.func @fullest(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e8 = tensor.empty() : tensor<8xf32>
  %e24 = tensor.empty() : tensor<24xf32>
  %e32 = tensor.empty() : tensor<32xf32>
  %e1024 = tensor.empty() : tensor<1024xf32>
  %ei = tensor.empty() : tensor<i8>
  %ez = tensor.empty() : tensor<0xf32>
  %early = dmc.launch @k0 ins(%x : tensor<8xf32>) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %gone = dmc.launch @k1 ins(%x : tensor<8xf32>) outs(%e24 : tensor<24xf32>) -> tensor<24xf32>
  // expected-note @+1 {{128 bytes alive: 'tensor<32xf32>'}}
  %last = dmc.launch @k2 ins(%gone : tensor<24xf32>) outs(%e32 : tensor<32xf32>) -> tensor<32xf32>
  // expected-note @+1 {{1 bytes alive: 'tensor<i8>'}}
  %flag = dmc.launch @k3 ins(%x : tensor<8xf32>) outs(%ei : tensor<i8>) -> tensor<i8>
  %none = dmc.launch @k4 ins(%x : tensor<8xf32>) outs(%ez : tensor<0xf32>) -> tensor<0xf32>
  // expected-remark @+2 {{the arena of 4288 bytes holds at most 4288 at a time, here}}
  // expected-note @+1 {{4096 bytes alive: 'tensor<1024xf32>'}}
  %large = dmc.launch @k5 ins(%last : tensor<32xf32>) outs(%e1024 : tensor<1024xf32>) -> tensor<1024xf32>
  %later = dmc.launch @k6 ins(%large, %flag, %none : tensor<1024xf32>, tensor<i8>, tensor<0xf32>) outs(%e24 : tensor<24xf32>) -> tensor<24xf32>
  %y = dmc.launch @k7 ins(%later : tensor<24xf32>) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  return %early, %y : tensor<8xf32>, tensor<8xf32>
}
func.func private @k0(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
func.func private @k1(tensor<8xf32>, tensor<24xf32>) -> tensor<24xf32>
func.func private @k2(tensor<24xf32>, tensor<32xf32>) -> tensor<32xf32>
func.func private @k3(tensor<8xf32>, tensor<i8>) -> tensor<i8>
func.func private @k4(tensor<8xf32>, tensor<0xf32>) -> tensor<0xf32>
func.func private @k5(tensor<32xf32>, tensor<1024xf32>) -> tensor<1024xf32>
func.func private @k6(tensor<1024xf32>, tensor<i8>, tensor<0xf32>, tensor<24xf32>) -> tensor<24xf32>
func.func private @k7(tensor<24xf32>, tensor<8xf32>) -> tensor<8xf32>

// -----

// Ten are named, and here are no more.
func.func @ten(%x: tensor<16xf32>) -> tensor<i32> {
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<i32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %0 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %1 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %2 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %3 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %4 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %5 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %6 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %7 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %8 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-remark @+2 {{the arena of 640 bytes holds at most 640 at a time, here}}
  // expected-note @+1 {{64 bytes alive: 'tensor<16xf32>'}}
  %9 = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = dmc.launch @all ins(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<i32>) -> tensor<i32>
  return %y : tensor<i32>
}
func.func private @k(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
func.func private @all(tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<i32>
