// A rule that is wrong: partial values narrowed by permission do not sum to the narrowed
// sum, which the tool does not know to be permitted.
// RUN: not dmc-check-rules %s --op narrowed --mesh 2 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong at level 1: arith.truncf @narrowed on mesh x=2
// WRONG-NEXT: argument 0: [{}], sum {"x"}; tensor.empty: [{}], sum {"x"}
// WRONG-NEXT: result 0, element {{[0-9]+}}: expected {{.*}}, found
// WRONG-NEXT: input 0: tensor<2x24xf32> = {{\[\[}}
// WRONG: arith.truncf 1 {{.*}} 1 0 1 {{[0-9.]+$}}
func.func @narrowed(%a: tensor<24xf32> {dmc.range = array<i64: -5000, 5000>}) -> tensor<24xbf16> attributes {dmc.check = "arith.truncf"} {
  %e = tensor.empty() : tensor<24xbf16>
  %r = linalg.map { arith.truncf } ins(%a : tensor<24xf32>) outs(%e : tensor<24xbf16>) {dmc.narrow_partials}
  return %r : tensor<24xbf16>
}

// What is right and not accepted is a failure only if that is asked for and no
// reason is known.
// RUN: dmc-check-rules %s --op twice --mesh 2 | FileCheck %s --check-prefix=MISSING
// RUN: not dmc-check-rules %s --op twice --mesh 2 --strict
// RUN: echo "body of its own | which the operation does not carry over | not followed" >%t.txt
// RUN: dmc-check-rules %s --op twice --mesh 2 --strict --known %t.txt --table %t.md | FileCheck %s --check-prefix=KNOWN
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.md
// MISSING: missing: body of its own @twice on mesh x=2
// MISSING-NEXT: argument 0: [{}], max {"x"}; tensor.empty: [{}], max {"x"}
// MISSING-NEXT: operand 0 is a partial max over "x", which the operation does not carry over
// KNOWN-NOT: missing:
// KNOWN: body of its own 1 {{.*}} 0 0 2 {{[0-9.]+$}}
// TABLE: | `body of its own` | 1 | {{[0-9]+}} | {{[0-9]+}} | 0 | 2: not followed |
func.func @twice(%a: tensor<3xf32>) -> tensor<3xf32> attributes {dmc.check = "body of its own"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) (%x: f32, %o: f32) {
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return %r : tensor<3xf32>
}

// What cannot be checked is told.
// RUN: not dmc-check-rules %s --op divided --mesh 2 | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: cannot be checked: arith.divsi @divided: {{.*}}divides an integer by zero
func.func @divided(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> attributes {dmc.check = "arith.divsi"} {
  %e = tensor.empty() : tensor<8xi32>
  %r = linalg.map { arith.divsi } ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>)
  return %r : tensor<8xi32>
}

// RUN: not dmc-check-rules 2>&1 < /dev/null | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: found no function to check
// RUN: not dmc-check-rules %s --mesh 2x 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: error: expected a mesh of at most three axes as 2x3, found '2x'
// RUN: not dmc-check-rules %s --op nothing 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: found no function to check
// RUN: echo "one | two" >%t.bad
// RUN: not dmc-check-rules %s --known %t.bad 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: known missing rules: line {{[0-9]+}}: expected `op | part of the message | reason`, found `one | two`

// RUN: split-file %s %t.functions
// RUN: not dmc-check-rules %t.functions/blocks.mlir --mesh 2 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: expected a function with a body of one block
// RUN: not dmc-check-rules %t.functions/scalar.mlir --mesh 2 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: expected arguments and results that are static tensors without layouts
// RUN: not dmc-check-rules %t.functions/dynamic.mlir --mesh 2 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: expected static tensors without layouts, found 'tensor<?xf32>'
//--- blocks.mlir
func.func @blocks(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map { math.exp } ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>)
  cf.br ^next
^next:
  return %r : tensor<8xf32>
}
//--- scalar.mlir
func.func @scalar(%a: tensor<8xf32>, %p: f32) -> tensor<8xf32> {
  %r = linalg.fill ins(%p : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
//--- dynamic.mlir
func.func @dynamic(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map { math.exp } ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %c = tensor.cast %r : tensor<8xf32> to tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<8xf32>
  return %d : tensor<8xf32>
}
