// RUN: dmc-opt %s | dmc-opt | FileCheck %s

// CHECK: @rows
// CHECK-SAME: dmc.nest = #dmc.nest<rows iterations 256 flops 50331648 loops [<divided 256 [<serial 64 [<serial 1024 carries 1>, <serial 1024>]>]>]
// CHECK-SAME: accesses [<read 0 : 67108864 contiguous>, <stream 1 : 67108864 contiguous>] stack 4096>
func.func private @rows(memref<16384x1024xf32>, memref<16384x1024xf32> {dmc.stream}, index, index) attributes {
  dmc.nest = #dmc.nest<rows iterations 256 flops 50331648
    loops [<divided 256 [<serial 64 [<serial 1024 carries 1>, <serial 1024>]>]>]
    accesses [<read 0 : 67108864 contiguous>, <stream 1 : 67108864 contiguous>] stack 4096>}

// CHECK: @device
// CHECK-SAME: #dmc.nest<elements iterations 500 flops 1000 loops [<grid 2 [<thread 256 least 244 [<lanes 2>]>]>]
// CHECK-SAME: accesses [<read 0 : 4000 strided stride 10 vector 2>, <read -1 : 40 gathered>, <write 1 : 4000 contiguous vector 2>]>
func.func private @device(memref<1000xf32>, memref<1000xf32>, index, index) attributes {
  dmc.nest = #dmc.nest<elements iterations 500 flops 1000 loops [<grid 2 [<thread 256 least 244 [<lanes 2>]>]>]
    accesses [<read 0 : 4000 strided stride 10 vector 2>, <read -1 : 40 gathered>, <write 1 : 4000 contiguous vector 2>]>}

// CHECK: @teams
// CHECK-SAME: #dmc.nest<rows iterations 64 flops 0 loops [<grid 8 [<thread 8 [<team 32 [<unrolled 4 [<lanes 4>]>]>]>]>] shared 128>
func.func private @teams(index, index) attributes {
  dmc.nest = #dmc.nest<rows iterations 64 flops 0 loops [<grid 8 [<thread 8 [<team 32 [<unrolled 4 [<lanes 4>]>]>]>]>] shared 128>}

// Loops at a step, in parts and in copies; a body may have fewer loops than it was made with.
// CHECK: @loops
// CHECK-SAME: #dmc.nest<contraction iterations 1 flops 0 loops [<serial 8 step 2>, <serial 4 least 0 step 0 [<unrolled 12 [<lanes 8>]>]>]>
func.func private @loops(%begin: index, %end: index) attributes {
  dmc.nest = #dmc.nest<contraction iterations 1 flops 0 loops [<serial 8 step 2>, <serial 4 least 0 step 0 [<unrolled 12 [<lanes 8>]>]>]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
  }
  return
}

// CHECK: @bare
// CHECK-SAME: #dmc.nest<elements iterations 1 flops 0>
func.func private @bare(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0>}
