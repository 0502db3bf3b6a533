// Control flow: what loops carry and branches give.

func.func @for_adds(%a: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "scf.for"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %y = linalg.map { arith.addf } ins(%x, %g : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    scf.yield %y : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @for_squares(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "scf.for"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 2 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %y = linalg.map { arith.mulf } ins(%x, %x : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    scf.yield %y : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @for_contracts(%a: tensor<3x3xf32>, %w: tensor<3x3xf32>) -> tensor<3x3xf32> attributes {dmc.check = "scf.for"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 2 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<3x3xf32> {
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3x3xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<3x3xf32>) -> tensor<3x3xf32>
    %y = linalg.matmul ins(%x, %w : tensor<3x3xf32>, tensor<3x3xf32>) outs(%f : tensor<3x3xf32>) -> tensor<3x3xf32>
    scf.yield %y : tensor<3x3xf32>
  }
  return %r : tensor<3x3xf32>
}

func.func @for_swaps(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {dmc.check = "scf.for"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b) -> (tensor<3xf32>, tensor<3xf32>) {
    scf.yield %y, %x : tensor<3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

func.func @while_counts(%a: tensor<3xf32>, %i: tensor<i32> {dmc.range = array<i64: 0, 4>}) -> (tensor<3xf32>, tensor<i32>) attributes {dmc.check = "scf.while"} {
  %r:2 = scf.while (%x = %a, %n = %i) : (tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
    %now = tensor.extract %n[] : tensor<i32>
    %last = arith.constant 3 : i32
    %more = arith.cmpi slt, %now, %last : i32
    scf.condition(%more) %x, %n : tensor<3xf32>, tensor<i32>
  } do {
  ^bb0(%x: tensor<3xf32>, %n: tensor<i32>):
    %e = tensor.empty() : tensor<3xf32>
    %y = linalg.map ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>)
      (%v: f32, %o: f32) {
        %c = arith.constant 2.0 : f32
        %p = arith.mulf %v, %c : f32
        linalg.yield %p : f32
      }
    %f = tensor.empty() : tensor<i32>
    %m = linalg.map ins(%n : tensor<i32>) outs(%f : tensor<i32>)
      (%v: i32, %o: i32) {
        %c = arith.constant 1 : i32
        %p = arith.addi %v, %c : i32
        linalg.yield %p : i32
      }
    scf.yield %y, %m : tensor<3xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<i32>
}

func.func @if_chooses(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "scf.if"} {
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.if %c -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %s = linalg.map { arith.subf } ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    scf.yield %s : tensor<3xf32>
  } else {
    scf.yield %a : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @switch_chooses(%p: tensor<i32> {dmc.range = array<i64: 0, 2>}, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "scf.index_switch"} {
  %n = tensor.extract %p[] : tensor<i32>
  %i = arith.index_cast %n : i32 to index
  %r = scf.index_switch %i -> tensor<3xf32>
  case 0 {
    scf.yield %a : tensor<3xf32>
  }
  default {
    scf.yield %b : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}
