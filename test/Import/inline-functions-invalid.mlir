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
// expected-error @+1 {{unsupported: several public functions, @first and @second; expected one, or the name of the entry (--entry=NAME)}}
func.func @second() {
  return
}

// -----

// expected-error @+1 {{unsupported: the entry @main has 2 blocks; expected a body of one}}
func.func @main() {
  cf.br ^exit
^exit:
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{unsupported: 'func.call' of @f; expected a function with a body in this module}}
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
