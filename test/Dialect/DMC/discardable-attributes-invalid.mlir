// RUN: dmc-opt %s -split-input-file -verify-diagnostics --verify-levels=false

// A misspelled request would be no request.
#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{'func.func' op argument 0: unknown attribute 'dmc.opne' of the dmc dialect}}
  func.func @unknown(%x: tensor<8xf32> {dmc.opne = array<i64: 0>}) {
    return
  }
}

// -----

func.func @unknown_on_operation(%x: tensor<8xf32>) {
  // expected-error@below {{'tensor.cast' op unknown attribute 'dmc.layout' of the dmc dialect}}
  %0 = tensor.cast %x {dmc.layout = 1 : i64} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

// expected-error@below {{'builtin.module' op 'dmc.flops' belongs on a function}}
module attributes {dmc.flops = 1 : i64} {
}

// -----

// expected-error@below {{'func.func' op 'dmc.open' belongs on an argument or result of a function}}
func.func private @on_function() attributes {dmc.open = array<i64: 0>}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{'func.func' op result 0: 'dmc.plain' belongs on a module}}
  func.func private @on_result() -> (tensor<8xf32> {dmc.plain})
}

// -----

// expected-error@below {{'func.func' op 'dmc.layouts' belongs on an operation of a function's body}}
func.func private @layouts_on_function() attributes {dmc.layouts = #dmc.op_layouts<operands = [], results = []>}

// -----

func.func @tactic(%x: tensor<8xf32>) {
  // expected-error@below {{'tensor.cast' op 'dmc.tactic' belongs on a dmc.constrain}}
  %0 = tensor.cast %x {dmc.tactic} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @requests_elsewhere(%x: tensor<8xf32>) {
  // expected-error@below {{'tensor.cast' op 'dmc.requests' belongs on an argument or result of a function, or a dmc.constrain}}
  %0 = tensor.cast %x {dmc.requests = []} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @kind(%x: tensor<8xf32>) {
  // expected-error@below {{'tensor.cast' op 'dmc.kernel_kind' belongs on a dmc.kernel or a function}}
  %0 = tensor.cast %x {dmc.kernel_kind = "loop"} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @narrow(%x: tensor<8xf32>) {
  // expected-error@below {{'tensor.cast' op 'dmc.narrow_partials' belongs on an operation of linalg}}
  %0 = tensor.cast %x {dmc.narrow_partials} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

// expected-error@below {{expected 'dmc.program' to be a #dmc.program attribute, found "p"}}
module attributes {dmc.program = "p"} {
}

// -----

// expected-error@below {{expected 'dmc.decided' to be a unit attribute, found true}}
module attributes {dmc.decided = true} {
}

// -----

// expected-error@below {{expected 'dmc.machine' to be a string, found 1 : i64}}
module attributes {dmc.machine = 1 : i64} {
}

// -----

// expected-error@below {{expected 'dmc.arena_bytes' to be a 64-bit integer that is not negative, found 8 : i32}}
module attributes {dmc.arena_bytes = 8 : i32} {
}

// -----

// expected-error@below {{expected 'dmc.flops' to be a 64-bit integer that is not negative, found -1 : i64}}
func.func private @flops() attributes {dmc.flops = -1 : i64}

// -----

func.func @layouts_kind(%x: tensor<8xf32>) {
  // expected-error@below {{expected 'dmc.layouts' to be a #dmc.op_layouts attribute, found 1 : i64}}
  %0 = tensor.cast %x {dmc.layouts = 1 : i64} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

#mesh = #dmc.mesh<"a" = 2>
func.func @layouts_rank(%x: tensor<8xf32>) {
  // expected-error@below {{expected 'dmc.layouts' to have a layout of 1 dimensions for result 0, found}}
  %0 = tensor.cast %x {dmc.layouts = #dmc.op_layouts<operands = [#dmc.layout<#mesh, [{}]>], results = [#dmc.layout<#mesh, [{}, {}]>]>} : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.open' to name dimensions of 'tensor<8x4xf32>', found 2}}
  func.func private @open_range(tensor<8x4xf32> {dmc.open = array<i64: 0, 2>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.open' to name dimensions of 'tensor<8x4xf32>', found -1}}
  func.func private @open_negative(tensor<8x4xf32> {dmc.open = array<i64: -1>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{result 0: expected 'dmc.open' to be an array of 64-bit integers, found}}
  func.func private @open_type() -> (tensor<8x4xf32> {dmc.open = [0, 1]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.priorities' to be an array of 64-bit integers, found array<i32: 0, 1>}}
  func.func private @priorities_type(tensor<8x4xf32> {dmc.priorities = array<i32: 0, 1>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.priorities' to have one number for each dimension of 'tensor<8xf32>', found 2}}
  func.func private @priorities_count(tensor<8xf32> {dmc.priorities = array<i64: 1, 0>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.priorities' to have priorities from 0 on, found -1}}
  func.func private @priorities_negative(tensor<8xf32> {dmc.priorities = array<i64: -1>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: in 'dmc.replicated': axis "model" is not in the mesh data=2}}
  func.func private @replicated_axis(tensor<8xf32> {dmc.replicated = #dmc.axes<{"model"}>})
}

// -----

module attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  // expected-error@below {{argument 0: 'dmc.replicated' needs the mesh of a program, found none}}
  func.func private @replicated_mesh(tensor<8xf32> {dmc.replicated = #dmc.axes<{"model"}>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.replicated' to be a #dmc.axes attribute, found "data"}}
  func.func private @replicated_type(tensor<8xf32> {dmc.replicated = "data"})
}

// -----

// expected-error@below {{expected 'dmc.devices' to name each of 2 devices once, found array<i64: 1, 1>}}
module attributes {dmc.devices = array<i64: 1, 1>} {
}

// -----

#mesh = #dmc.mesh<"data" = 2>
// expected-error@below {{expected 'dmc.devices' to name a device for each of 2 ranks, found 1}}
module attributes {dmc.devices = array<i64: 1>, dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
}

// -----

// expected-error@below {{expected 'dmc.contracts' to be a list of dictionaries, found [1]}}
module attributes {dmc.contracts = [1]} {
}

// -----

// expected-error@below {{expected 'dmc.contracts' to say wire_bytes, peak_bytes, only, counts and loc, found wire_bytes = "48"}}
module attributes {dmc.contracts = [{wire_bytes = "48"}]} {
}

// -----

// expected-error@below {{expected 'dmc.contracts' to say wire_bytes, peak_bytes, only, counts and loc, found counts = {all_reduce = -1 : i64}}}
module attributes {dmc.contracts = [{counts = {all_reduce = -1 : i64}}]} {
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.shares' to name an argument of the same type, found 1}}
  func.func private @shares(memref<8xf32> {dmc.shares = 1 : i64}, memref<4xf32>)
}

// -----

// expected-error@below {{expected 'dmc.contraction' to have four loop counts, sizes and strides of all loops, three offsets, 'accumulate' and which operands are 'unsigned', on a function of three arguments}}
func.func private @contraction(memref<8xf32>, memref<8xf32>, memref<f32>) attributes {dmc.contraction = {
  accumulate = false, unsigned = array<i1: false, false>, loops = array<i64: 0, 0, 0, 1>, offsets = array<i64: 0, 0, 0>,
  sizes = array<i64: 8>, strides_a = array<i64: 1>, strides_b = array<i64: 1>, strides_c = array<i64>}}

// -----

// expected-error@below {{expected 'dmc.nest' to be a '#dmc.nest'}}
func.func private @nest_of_another_kind(index, index) attributes {dmc.nest = {iterations = 1 : i64}}

// -----

// expected-error@below {{expected 'dmc.device_nest' to have 'entry', the three sizes of 'grid' and 'block', and 'shared', on a nest without body}}
func.func private @device_nest_of_two_dimensions(index, index) attributes {
  dmc.nest = #dmc.nest<elements iterations 1 flops 0 loops [<grid 1 [<thread 1>]>]>,
  dmc.device_nest = {entry = "k", grid = array<i64: 1, 1>, block = array<i64: 1, 1, 1>, shared = 0 : i64}}

// -----

// expected-error@below {{expected 'dmc.device_nest' to have the blocks and the threads of a block that the grid of 'dmc.nest' has}}
func.func private @device_nest_of_another_grid(index, index) attributes {
  dmc.nest = #dmc.nest<elements iterations 512 flops 0 loops [<grid 2 [<thread 256>]>]>,
  dmc.device_nest = {entry = "k", grid = array<i64: 4, 1, 1>, block = array<i64: 128, 1, 1>, shared = 0 : i64}}

// -----

// expected-error@below {{expected 'dmc.device_nest' to have 'entry', the three sizes of 'grid' and 'block', and 'shared', on a nest without body}}
func.func private @device_nest_of_no_nest(index, index) attributes {
  dmc.device_nest = {entry = "k", grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, shared = 0 : i64}}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.range' to have a lower and an upper bound, found array<i64: 2, 1>}}
  func.func private @range(tensor<8xf32> {dmc.range = array<i64: 2, 1>})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected a list of requests, found 1 : i64}}
  func.func private @requests_type(tensor<8xf32> {dmc.requests = 1 : i64})
}

// -----

module attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  // expected-error@below {{argument 0: 'dmc.requests' needs the mesh of a program, found none}}
  func.func private @requests_mesh(tensor<8xf32> {dmc.requests = []})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected a request to be [kind, location, dimension, axes or unit, layout or unit], found [4]}}
  func.func private @requests_parts(tensor<8xf32> {dmc.requests = [[4]]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected a request's kind to be from 0 to 4, found 5}}
  func.func private @requests_kind(tensor<8xf32> {dmc.requests = [[5, loc("a":1:1), 0, unit, unit]]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected axes that split one of 1 dimensions, found}}
  func.func private @requests_shard(tensor<8xf32> {dmc.requests = [[2, loc("a":1:1), 1, #dmc.axes<{"data"}>, unit]]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': axis "model" is not in the mesh data=2}}
  func.func private @requests_axes(tensor<8xf32> {dmc.requests = [[3, loc("a":1:1), 0, #dmc.axes<{"model"}>, unit]]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected a request that has a layout, found}}
  func.func private @requests_decided(tensor<8xf32> {dmc.requests = [[1, loc("a":1:1), 0, unit, unit]]})
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  // expected-error@below {{in 'dmc.requests': expected a layout of 1 dimensions on the mesh data=2, found}}
  func.func private @requests_layout(tensor<8xf32> {dmc.requests = [[1, loc("a":1:1), 0, unit, #dmc.layout<#mesh, [{}, {}]>]]})
}

// -----

// expected-error@below {{expected 'dmc.target' to be a #dmc.target attribute, found "host"}}
module attributes {dmc.target = "host"} {
}

// -----
func.func @rule_is_no_text(%x: tensor<4xf32>) {
  // expected-error @below {{expected 'dmc.rule' to be a string, found 3}}
  %0 = stablehlo.custom_call @f(%x) {dmc.rule = 3} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @rule_of_another_operation(%x: tensor<4xf32>) {
  // expected-error @below {{'dmc.rule' belongs on a 'stablehlo.custom_call'}}
  %0 = arith.negf %x {dmc.rule = "([i]) -> ([i])"} : tensor<4xf32>
  return
}

// -----
func.func @rule_is_malformed(%x: tensor<4xf32>) {
  // expected-error @below {{in 'dmc.rule': expected '->', found ', ([i])'}}
  %0 = stablehlo.custom_call @f(%x) {dmc.rule = "([i]), ([i])"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// expected-error @below {{expected 'dmc.custom_call' to have 'target', 'config', the number of 'results' among the function's arguments, and which of these are 'unsigned'}}
func.func private @call(memref<4xf32>) attributes {dmc.custom_call = {target = "f", config = "", results = 2 : i64, unsigned = array<i1: false>}}
