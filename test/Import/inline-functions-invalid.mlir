// RUN: dmc-opt %s -split-input-file -dmc-inline-functions -verify-diagnostics

// expected-error @+1 {{expected a public function, the entry; found none}}
module {
  func.func private @f() {
    return
  }
}

// -----

// expected-note @+1 {{the first one is here}}
func.func @first() {
  return
}
// expected-error @+1 {{expected one public function, the entry; found @first and @second}}
func.func @second() {
  return
}

// -----

// expected-error @+1 {{expected the entry @main to have a body of one block}}
func.func @main() {
  cf.br ^exit
^exit:
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{expected the callee @f to be a function with a body in this module}}
  call @f() : () -> ()
  return
}
func.func private @f()

// -----

func.func @main() {
  call @f() : () -> ()
  return
}
// expected-note @+1 {{@f is defined here}}
func.func private @f() {
  call @g() : () -> ()
  return
}
func.func private @g() {
  // expected-error @+1 {{unsupported: recursion, @f calls itself}}
  call @f() : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{unsupported: the callee @f has 2 blocks; expected one}}
  call @f() : () -> ()
  return
}
func.func private @f() {
  cf.br ^exit
^exit:
  return
}
