// RUN: dmc-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected axes of different names, but got "x" twice}}
sdy.mesh @mesh = <["x"=4, "x"=2]>

// -----

// expected-error @below {{expected a positive size of axis "x", but got 0}}
sdy.mesh @mesh = <["x"=0]>

// -----

// expected-error @below {{expected a mesh of at most 2^31 devices}}
sdy.mesh @mesh = <["x"=9223372036854775807, "y"=9223372036854775807]>

// -----

// expected-error @below {{expected device_ids to name each of the 2 devices once}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{sharding of argument 0: expected axes of the mesh, but it has no "y"}}
func.func @unknown_axis(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return
}

// -----

// expected-error @below {{sharding of argument 0: there is no mesh @mesh}}
func.func @unknown_mesh(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{sharding of argument 0: expected a sharding of 1 dimensions for 'tensor<8xf32>', but got 2}}
func.func @rank(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{sharding of argument 0: axis "x" is used twice}}
func.func @axis_twice(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{sharding of argument 0: axis "x" is used twice}}
func.func @parts_overlap(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}, {"x":(2)2}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{expected a part of axis "x" of size 8, but got (1)3}}
func.func @part_does_not_divide(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error @below {{expected nothing after '?'}}
func.func @open_not_last(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?, "x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{sharding of result 0: expected axes of the mesh, but it has no "y"}}
func.func @result(%0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected manual axes of the mesh, but it has no "y"}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected operand 0 of type 'tensor<4xf32>' in the body, but got 'tensor<2xf32>'}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
    sdy.return %y : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @resharding_axis(%0: tensor<8xf32>) {
  // expected-error @below {{sharding: expected axes of the mesh, but it has no "y"}}
  %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return
}

// -----

func.func @named_computation_c1(%0: tensor<8xf32>) {
  // expected-error @below {{expected a body of the operands' types that ends with sdy.return of the results' types}}
  %1 = sdy.named_computation<"f">(%0) (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @named_computation_c2(%0: tensor<8xf32>) {
  // expected-error @below {{expected 1 operand shardings, but got 2}}
  %1 = sdy.named_computation<"f">(%0) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error @below {{expected a name of a mesh axis that is not empty}}
sdy.mesh @mesh = <[""=4]>

// -----

// expected-error @below {{expected one device of a mesh without axes}}
sdy.mesh @mesh = <[], device_ids=[0, 1]>

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{sharding of argument 0: expected a ranked tensor to have a sharding, but got 'f32'}}
func.func @scalar(%0: f32 {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  return
}

// -----

// expected-error @below {{sharding of argument 0: expected a #sdy.sharding, but got 1 : i64}}
func.func @kind(%0: tensor<8xf32> {sdy.sharding = 1 : i64}) {
  return
}

// -----

func.func @kind_of_operation(%0: tensor<8xf32>) {
  // expected-error @below {{expected 'sdy.sharding' to be a #sdy.sharding_per_value, but got 1 : i64}}
  %1 = stablehlo.add %0, %0 {sdy.sharding = 1 : i64} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_c1_count(%x: tensor<8xf32>) {
  // expected-error @below {{expected a sharding for each of the 1 operands and 1 results, but got 1 and 0}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_body(%x: tensor<8xf32>) {
  // expected-error @below {{expected a body of 1 arguments, but got 0}}
  %0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, manual_axes = #sdy<manual_axes{"x"}>}> ({
    %e = tensor.empty() : tensor<4xf32>
    sdy.return %e : tensor<4xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_end(%x: tensor<8xf32>) {
  // expected-error @below {{expected a body that ends with sdy.return of 1 values}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["x"=4]>
func.func @manual_computation_meshes(%x: tensor<8xf32>) {
  // expected-error @below {{expected shardings over one mesh, but got}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@other, [{"x"}]>] manual_axes={"x"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual_computation_divides(%x: tensor<7xf32>) {
  // expected-error @below {{expected the manual axes to divide}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<7xf32>) -> tensor<7xf32>
  return
}
