// RUN: dmc-opt %s -split-input-file -verify-diagnostics --verify-levels=false

// expected-error @below {{axis "model" is not in the mesh data=2}}
func.func private @layout_c1(tensor<8xf32, #dmc.layout<#dmc.mesh<"data" = 2>, [{"model"}]>>)

// -----
// expected-error @below {{sub-axis (2)3 does not divide axis "a" of size 8}}
func.func private @layout_c1_sub_axis(tensor<8xf32, #dmc.layout<#dmc.mesh<"a" = 8>, [{"a":(2)3}]>>)

// -----
// expected-error @below {{axis "data" is used twice}}
func.func private @layout_c2(tensor<8x8xf32, #dmc.layout<#dmc.mesh<"data" = 2>, [{"data"}, {"data"}]>>)

// -----
// expected-error @below {{axis "data" is used twice}}
func.func private @layout_c2_partial(tensor<8xf32, #dmc.layout<#dmc.mesh<"data" = 2>, [{"data"}], sum {"data"}>>)

// -----
// expected-error @below {{layout has 1 dimensions, but the tensor has 2}}
func.func private @layout_c3(tensor<8x8xf32, #dmc.layout<#dmc.mesh<"data" = 2>, [{"data"}]>>)

// -----
// expected-error @below {{coordinate 2 is outside of axis "data" of size 2}}
func.func private @layout_c4(tensor<8xf32, #dmc.layout<#dmc.mesh<"data" = 2>, [{}], placed {"data" = 2}>>)

// -----
// expected-error @below {{a layout has one combiner}}
func.func private @one_combiner(tensor<8xf32, #dmc.layout<#dmc.mesh<"a" = 2, "b" = 2>, [{}], sum {"a"}, max {"b"}>>)

// -----
// expected-error @below {{expected sum, prod, max, min or placed, found 'mean'}}
func.func private @unknown_combiner(tensor<8xf32, #dmc.layout<#dmc.mesh<"a" = 2>, [{}], mean {"a"}>>)

// -----
// value_c1
// expected-error @below {{expected a positive bound of integers, found 4 of 'f32' (x)}}
module attributes {value_c1 = #dmc.value<"x" : tensor<8xf32> below 4>} {}

// -----
// expected-error @below {{expected a positive bound of integers, found -1 of 'i32' (x)}}
module attributes {test.value = #dmc.value<"x" : tensor<8xi32> below -1>} {}

// -----
// expected-error @below {{'dmc.program' belongs on a module}}
func.func private @program_elsewhere() attributes {dmc.program = 1 : i64}

// -----
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
// expected-error @below {{layout of "x" is on another mesh than the program's}}
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<8xf32, #a>], results []>} {}

// -----
// expected-error @below {{"x" donates to result 1, but there are 1}}
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<8xf32> donates 1], results ["y" : tensor<8xf32>]>} {}

// -----
// expected-error @below {{expected a level: tensor, parallel, ranks or scheduled, found 'other'}}
module attributes {dmc.program = #dmc.program<other "p", arguments [], results []>} {}

// -----
func.func @layouts_count(%x: tensor<8xf32>) {
  // expected-error @below {{expected 'dmc.layouts' to have 1 operand and 1 result layouts, found 0 and 0}}
  %0 = tensor.cast %x {dmc.layouts = #dmc.op_layouts<operands = [], results = []>} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

// expected-error @below {{expected a sub-axis of positive sizes}}
func.func private @sub_axis(tensor<8xf32, #dmc.layout<#dmc.mesh<"a" = 8>, [{"a":(0)2}]>>)

// -----

// expected-error @below {{expected "x" to have a static shape, found 'tensor<?xf32>'}}
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<?xf32>], results []>} {}

// -----

#m = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#m, [{}], sum {"a"}>
// expected-error @below {{layout of "x" is partial}}
module attributes {dmc.program = #dmc.program<tensor "p" on #m, arguments ["x" : tensor<8xf32, #p>], results []>} {}

// -----

// expected-error @below {{two arguments donate to result 0}}
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<8xf32> donates 0, "z" : tensor<8xf32> donates 0], results ["y" : tensor<8xf32>]>} {}

// -----

// target_c1: the bytes of a vector
// expected-error@+1 {{expected vector to be a power of two, found 24}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 24, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {}

// -----

// target_c1: the alignment
// expected-error@+1 {{expected an alignment of at least a line (64) and a vector (32), found 32}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 32, registers = 16, line = 64, alignment = 32, spaces = ["host"], operations = 64, results = 8>} {}

// -----

// target_c2: results
// expected-error@+1 {{expected a positive number of results of a kernel, found 0}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 0>} {}

// -----

// target_c2: memory spaces
// expected-error@+1 {{expected names of at least one memory space, found []}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = [], operations = 64, results = 8>} {}

// -----

// target_c3: the threads of a warp
// expected-error @below {{expected the threads of a warp to be a power of two, found 24}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 1024, warp = 24, block = 1024>} {}

// -----

// target_c3: the threads of a block
// expected-error @below {{expected a block of at least a warp (32 threads) and no negative size of shared memory, found 16 threads and 1024 bytes}}
module attributes {dmc.target = #dmc.target<"p", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 1024, warp = 32, block = 16>} {}
