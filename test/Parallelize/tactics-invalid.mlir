// Every mistake in a tactic is said where it stands; of requests that contradict each other
// the smallest set is named.
// RUN: dmc-opt %s --pass-pipeline='builtin.module(transform-interpreter)' -split-input-file -verify-diagnostics

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["params['x']" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{"params/y" names no argument; did you mean "params/x"?}}
    %x = transform.dmc.arguments named "params/y" in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{"loss" names no result}}
    %x = transform.dmc.results named "loss" in %program : (!transform.any_op) -> !transform.any_param
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    %y = linalg.map { math.tanh } ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %y : tensor<8x4xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{no operation that makes a tensor is named "linalg.matmul"}}
    %x = transform.dmc.values by "linalg.matmul" in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{axis "expert" is not in the mesh data=2,model=4}}
    transform.dmc.shard %x dim 0 along {"expert"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected a dimension of argument "x", which has 2, found 2}}
    transform.dmc.shard %x dim 2 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{axis "data" is used twice}}
    transform.dmc.shard %x dim 0 along {"data", "data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// Three requests, of which the first and the last cannot hold together.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4x2xf32>], results ["y" : tensor<8x4x2xf32>]>} {
  func.func @main(%x: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> { return %x : tensor<8x4x2xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-note @+1 {{asks to split dimension 0 along {"data"}}}
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.dmc.shard %x dim 2 along {"model"} : (!transform.any_value) -> ()
    // expected-error @+2 {{requests for argument "x" cannot hold together: axis "data" splits dimension 0 already}}
    // expected-note @+1 {{asks to split dimension 1 along {"data"}}}
    transform.dmc.shard %x dim 1 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// A pin fixes what came before it: it takes all three to contradict.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    %y = linalg.map { math.tanh } ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %y : tensor<8x4xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %y = transform.dmc.values by "linalg.map" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %y dim 0 along {"data"} : (!transform.any_value) -> ()
    // expected-note @+1 {{pins what was asked for before}}
    transform.dmc.pin %y : (!transform.any_value) -> ()
    // expected-error @+2 {{requests for the result of linalg.map cannot hold together: its layout is fixed}}
    // expected-note @+1 {{asks to split dimension 1 along {"model"}}}
    transform.dmc.shard %y dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// What the program says itself is a request too.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32, #rows>], results ["y" : tensor<8x4xf32>]>} {
  // expected-note @+1 {{the program says the layout [{"data"}, {}]}}
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments of any in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+2 {{requests for argument "x" cannot hold together: its layout is fixed}}
    // expected-note @+1 {{asks to split dimension 1 along {"model"}}}
    transform.dmc.shard %x dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// What propagation has decided stays.
#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>, "b" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    %y = linalg.map { arith.addf } ins(%x, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %y : tensor<8x4xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    // expected-note @+1 {{propagation decided the layout [{"data"}, {}]}}
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    %b = transform.dmc.arguments named "b" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+2 {{requests for argument "b" cannot hold together: axis "data" splits dimension 0 already}}
    // expected-note @+1 {{asks to split dimension 1 along {"data"}}}
    transform.dmc.shard %b dim 1 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  // expected-note @+1 {{decided for this value}}
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected argument "x" to be split in dimension 0 along {"data"}, found [{}, {}]}}
    transform.dmc.expect_split %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected layouts to be decided; transform.dmc.propagate does so}}
    transform.dmc.expect_split %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#other = #dmc.mesh<"data" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected a layout on the program's mesh data=2, found one on data=4}}
    transform.dmc.pin %x : (!transform.any_value) -> () to #dmc.layout<#other, [{"data"}, {}]>
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected a layout of 2 dimensions for argument "x", found [{"data"}]}}
    transform.dmc.pin %x : (!transform.any_value) -> () to #dmc.layout<#mesh, [{"data"}]>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p",
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected a program on a mesh, found none (--mesh gives one)}}
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{expected a module with a dmc.program; dmc-import makes it}}
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{expected all_reduce, all_gather, reduce_scatter, all_to_all, permute or broadcast, found reduce}}
    transform.dmc.expect %program {only = ["reduce"]} : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{expected the role parameter, state, batch, image or any, found weights}}
    %x = transform.dmc.arguments of weights in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

// A program that only infers: nothing says which arguments are the batch.
#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{cannot tell the batch from other arguments in a program that returns no loss (a scalar, beside updated parameters); expected names of arguments}}
    %x = transform.dmc.arguments of batch in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"model" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments of any in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{found no weights to split along {"model"}: none of the values takes part in a contraction}}
    transform.dmc.shard_weights alternately %x along {"model"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"model" = 2>
#row = #dmc.layout<#dmc.mesh<"model" = 4>, [{"model"}, {}]>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    // expected-error @+1 {{expected dmc.layouts on the program's mesh, one for each dimension of its tensors, found}}
    %y = linalg.map { math.tanh } ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
        {dmc.layouts = #dmc.op_layouts<operands = [#row, #row], results = [#row]>}
    return %y : tensor<8x4xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @+1 {{expected a layout of an argument or result, or layouts of an operation, found [3]}}
    "transform.dmc.plan"(%program) {fingerprint = "0", mesh = #dmc.mesh<"x" = 2>, decisions = [[3]]} : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results []>} {
  // expected-error @+1 {{expected arguments and results as dmc.program says, found}}
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments of parameter in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

// A program cannot take a partial value.
#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected a layout without partial sums for argument "x", found [{}, {}], sum {"data"}}}
    transform.dmc.pin %x : (!transform.any_value) -> () to #dmc.layout<#mesh, [{}, {}], sum {"data"}>
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected axes of the mesh data=4,model=16, found none}}
    transform.dmc.replicate %x along {} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected axes of the mesh data=4,model=16, found none}}
    "transform.dmc.shard"(%x) : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// What stays whole for want of elements is said; nothing but that is a mistake.
#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{found nothing to split along {"model"}: no dimension has as many as 16 elements on a rank}}
    transform.dmc.shard %x along {"model"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-remark @+1 {{not split along {"model"}: argument "x": no dimension has as many as 16 elements on a rank}}
    transform.dmc.shard %x if_present along {"model"} : (!transform.any_value) -> ()
    // expected-error @+1 {{found nothing to split along {"model"}: no dimension 2}}
    transform.dmc.shard %x dim 2 if_present along {"model"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-remark @+1 {{state: no argument}}
    %s = transform.dmc.arguments of state in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{found nothing to split along {"data"}: the program has no argument that is state}}
    transform.dmc.shard %s along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{expected how many bytes, found -1}}
    transform.dmc.expect %program {wire_bytes = -1} : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// Parts of axes are named as such.
#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-note @+1 {{asks to split dimension 0 along {"model:(1)2"}}}
    transform.dmc.shard %x dim 0 along {"model":(1)2} : (!transform.any_value) -> ()
    // expected-error @+2 {{requests for argument "x" cannot hold together: axis "model:(1)4" splits dimension 0 already}}
    // expected-note @+1 {{asks to split dimension 1 along {"model:(1)4"}}}
    transform.dmc.shard %x dim 1 along {"model":(1)4} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// Without a name that is near, those that there are.
#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{"weights" names no argument; there are "x"}}
    %w = transform.dmc.arguments named "weights" in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 4, "model" = 16>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    %y = transform.dmc.reshard %x replicated {"data"} : (!transform.any_value) -> !transform.any_value
    // expected-error @+1 {{expected a dimension of what the uses see of a value that transform.dmc.reshard moves, which has 2, found 2}}
    transform.dmc.shard %y dim 2 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

// Four experts for eight ranks.
#mesh = #dmc.mesh<"expert" = 8>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<4x2x3xf32>, "w" : tensor<4x3x5xf32>], results ["y" : tensor<4x2x5xf32>]>} {
  func.func @main(%x: tensor<4x2x3xf32>, %w: tensor<4x3x5xf32>) -> tensor<4x2x5xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x2x5xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2x5xf32>) -> tensor<4x2x5xf32>
    %y = linalg.batch_matmul ins(%x, %w : tensor<4x2x3xf32>, tensor<4x3x5xf32>) outs(%f : tensor<4x2x5xf32>) -> tensor<4x2x5xf32>
    return %y : tensor<4x2x5xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %w = transform.dmc.arguments named "w" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @+1 {{found no weights to split along {"expert"}: expected a batch dimension of at least 8 elements, found 4}}
    transform.dmc.shard_weights experts %w along {"expert"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @below {{expected a role ('of') or a name ('named')}}
    %x = transform.dmc.arguments in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @below {{expected the name of an operation ('by') or of a location ('at')}}
    %x = transform.dmc.values in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{expected a layout ('to') or axes ('replicated'), one of them}}
    transform.dmc.reshard %x : (!transform.any_value) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{expected alternately or experts, found together}}
    "transform.dmc.shard_weights"(%x, %program) {how = "together", axes = #dmc.axes<{"model"}>} : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @below {{expected wire_bytes, peak_bytes, only or counts}}
    transform.dmc.expect %program : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @below {{expected how often all_reduce is executed, found "once"}}
    transform.dmc.expect %program {counts = {all_reduce = "once"}} : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["x" : tensor<8x4xf32, #dmc.layout<#mesh, [{}, {}]>>], results ["y" : tensor<8x4xf32, #dmc.layout<#mesh, [{}, {}]>>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    // expected-error @below {{expected a program at level 'tensor', found level 'ranks'}}
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %n = transform.param.constant 1 : i64 -> !transform.any_param
    // expected-error @below {{expected a text as parameter, found 1 : i64}}
    %x = transform.dmc.arguments named %n in %program : (!transform.any_param, !transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    %n = transform.param.constant 1 : i64 -> !transform.any_param
    // expected-error @below {{expected the name of an axis as parameter, found 1 : i64}}
    transform.dmc.shard %x dim 0 along %n : (!transform.any_value, !transform.any_param) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %n = transform.param.constant 1 : i64 -> !transform.any_param
    // expected-error @below {{expected the number of a result, of which there are 1, found 1 : i64}}
    transform.dmc.shard %n dim 0 along {"data"} : (!transform.any_param) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %zero = arith.constant 0.0 : f32
    return %x : tensor<8x4xf32>
  }
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["arith.constant"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %f = transform.collect_matching @match in %program : (!transform.any_op) -> !transform.any_op
    %x = transform.get_result %f[all] : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{expected a tensor of the program's entry, found a value of type 'f32'}}
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> { return %x : tensor<8x4xf32> }
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %f = transform.collect_matching @match in %program : (!transform.any_op) -> !transform.any_op
    %x = transform.get_result %f[all] : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{found nothing to split along {"data"}: there are no values}}
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>, "w" : tensor<4x8xf32>], results ["y" : tensor<8x8xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "w" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{found no weights to split along {"model"}: no split of columns reaches the rows of another weight}}
    transform.dmc.shard_weights alternately %x along {"model"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8x4xf32>, "w" : tensor<4x8xf32>], results ["y" : tensor<8x8xf32>]>} {
  func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "w" in %program : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{found no weights to split along {"model"}: none has a batch dimension, as experts are}}
    transform.dmc.shard_weights experts %x along {"model"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}
