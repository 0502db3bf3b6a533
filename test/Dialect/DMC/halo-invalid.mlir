// RUN: dmc-opt %s -split-input-file -verify-diagnostics --verify-levels=false
// One function per numbered constraint.

func.func @halo_c1(%x: tensor<8x4xf32>) {
  // expected-error @below {{dimension 2 does not exist in a tensor of rank 2}}
  dmc.halo %x in 2 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32> to tensor<8x4x1xf32>
  return
}

// -----
// halo_c1
func.func @shape(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected the result to be the operand with a number and a length of windows in place of dimension 0}}
  dmc.halo %x in 0 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32> to tensor<2x4x5xf32>
  return
}

// -----
func.func @halo_c2(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected a positive dilation, found 0}}
  dmc.halo %x in 0 step 2 offset 0 dilation 0 padding 0.0 : f32 : tensor<8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----
// halo_c2
func.func @negative(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected a positive dilation, found -1}}
  dmc.halo %x in 0 step 2 offset 0 dilation -1 padding 0.0 : f32 : tensor<8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----
// halo_c2
func.func @far(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected positions of windows within 2^46, found step 2, offset -9223372036854775808, dilation 1 and 'tensor<2x4x4xf32>'}}
  dmc.halo %x in 0 step 2 offset -9223372036854775808 padding 0.0 : f32 : tensor<8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----
// halo_c2
func.func @apart(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected positions of windows within 2^46, found step 35184372088833}}
  dmc.halo %x in 0 step 35184372088833 offset 0 padding 0.0 : f32 : tensor<8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----
// halo_c2
func.func @padding(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected a padding of type 'f32', found 0 : i32}}
  dmc.halo %x in 0 step 2 offset 0 padding 0 : i32 : tensor<8x4xf32> to tensor<2x4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
func.func @halo_c3(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected layouts of operand and result on one mesh}}
  dmc.halo %x in 0 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32, #a0> to tensor<2x4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#w = #dmc.layout<#m, [{"b"}, {}, {}]>
func.func @halo_c4(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected the result's layout to be [{"a"}, {}, {}], found [{"b"}, {}, {}]}}
  dmc.halo %x in 0 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32, #a0> to tensor<4x4x4xf32, #w>
  return
}

// -----
// halo_c4
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a1 = #dmc.layout<#m, [{}, {"a"}]>
#w = #dmc.layout<#m, [{"a"}, {}, {}]>
func.func @used(%x: tensor<8x4xf32, #a1>) {
  // expected-error @below {{expected windows of a whole dimension to be split by axes that the operand is replicated on}}
  dmc.halo %x in 0 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32, #a1> to tensor<2x4x4xf32, #w>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#w = #dmc.layout<#m, [{"a"}, {}, {}]>
func.func @halo_c5(%x: tensor<8x4xf32, #a0>) {
  // expected-error @below {{expected one window for each of the 2 positions, found 4}}
  dmc.halo %x in 0 step 2 offset 0 padding 0.0 : f32 : tensor<8x4xf32, #a0> to tensor<4x4x4xf32, #w>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
#p = #dmc.layout<#m, [{"a"}, {}], sum {"b"}>
#w = #dmc.layout<#m, [{"a"}, {}, {}], sum {"b"}>
func.func @halo_c6(%x: tensor<8x4xf32, #p>) {
  // expected-error @below {{pads partial values with 1.000000e+00 : f32, which combined with itself under sum does not stay}}
  dmc.halo %x in 0 step 4 offset -1 padding 1.0 : f32 : tensor<8x4xf32, #p> to tensor<2x6x4xf32, #w>
  return
}
