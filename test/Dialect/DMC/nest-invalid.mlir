// RUN: dmc-opt %s --split-input-file --verify-diagnostics

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected a loop of no negative counts, found 4 iterations at a step of 1 with -1 carried values}}
func.func private @nest_loop_c1_negative(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 loops [<serial 4 carries -1>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected a loop of at most 4 iterations to have no more, found at least 5}}
func.func private @nest_loop_c1_least_above_most(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 loops [<serial 4 least 5>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected the threads of a block within a grid and nowhere else}}
func.func private @nest_loop_c2_threads_of_no_grid(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 4 flops 0 loops [<divided 4 [<thread 4>]>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected the threads of a block within a grid and nowhere else}}
func.func private @nest_loop_c2_grid_of_no_threads(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 4 flops 0 loops [<grid 4 [<serial 4>]>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected a team to be all that is within the threads of a block}}
func.func private @nest_loop_c2_team_of_no_threads(index, index) attributes {dmc.nest = #dmc.nest<rows iterations 4 flops 0 loops [<divided 4 [<team 32>]>]>}

// -----

// expected-error@+3 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+2 {{failed to parse DMC_NestLoopAttr parameter 'inner'}}
// expected-error@+1 {{expected a team to be all that is within the threads of a block}}
func.func private @nest_loop_c2_team_beside_loop(index, index) attributes {dmc.nest = #dmc.nest<rows iterations 4 flops 0 loops [<grid 4 [<thread 1 [<team 32>, <serial 2>]>]>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'loops'}}
// expected-error@+1 {{expected lanes of a vector without loops within them}}
func.func private @nest_loop_c2_loop_in_lanes(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 loops [<lanes 4 [<serial 4>]>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'accesses'}}
// expected-error@+1 {{expected an access of an argument, or of a constant (-1), of no negative number of bytes and of an element at least, found argument 0, 4 bytes and vectors of 0}}
func.func private @nest_access_c1_empty_vector(memref<f32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<read 0 : 4 uniform vector 0>]>}

// -----

// expected-error@+2 {{failed to parse DMC_NestAttr parameter 'accesses'}}
// expected-error@+1 {{expected strided accesses, and no others, to have a stride, found uniform ones with a stride of 8}}
func.func private @nest_access_c2_stride(memref<f32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<read 0 : 4 uniform stride 8>]>}

// -----

// expected-error@below {{expected a nest of an iteration at least and of no negative flops, stack and shared memory, found 0 iterations, 0 flops, 0 bytes and 0 shared bytes}}
func.func private @nest_c1_no_iteration(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 0 flops 0>}

// -----

// expected-error@below {{expected one loop at most to be divided, and an outermost one}}
func.func private @nest_c2_divided_within(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 4 flops 0 loops [<serial 8 [<divided 4>]>]>}

// -----

// expected-error@below {{expected a divided loop of the nest's iterations, or a grid of the blocks that they need, for 4 iterations}}
func.func private @nest_c2_not_divided(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 4 flops 0 loops [<serial 4>]>}

// -----

// expected-error@below {{expected a divided loop of the nest's iterations, or a grid of the blocks that they need, for 513 iterations}}
func.func private @nest_c2_too_few_blocks(index, index) attributes {dmc.nest = #dmc.nest<elements iterations 513 flops 0 loops [<grid 2 [<thread 256>]>]>}

// -----

// expected-error@below {{expected one write of argument 0, found several}}
func.func private @nest_c3_written_twice(memref<8xf32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<write 0 : 4 uniform>, <stream 0 : 32 contiguous>]>}

// -----

// expected-error@below {{expected a function whose last two arguments are the range of iterations}}
func.func private @nest_c4_no_range(index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0>}

// -----

// expected-error@below {{expected argument 1 to be a buffer that is accessed}}
func.func private @nest_c4_no_buffer(memref<8xf32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<read 1 : 8 contiguous>]>}

// -----

// expected-error@below {{expected at most the 32 bytes of argument 0 to be accessed, found 36}}
func.func private @nest_c4_beyond_the_buffer(memref<8xf32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<read 0 : 36 contiguous>]>}

// -----

// expected-error@below {{expected argument 0, which is written past the caches, to have 'dmc.stream'}}
func.func private @nest_c4_not_streamed(memref<8xf32>, index, index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 accesses [<stream 0 : 32 contiguous>]>}

// -----

// expected-error@below {{expected a plan with the loops of the function's body in their order, found none for a loop of 16 iterations}}
func.func private @nest_c5_another_loop(%begin: index, %end: index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0 loops [<serial 8>]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
  }
  return
}

// -----

// expected-error@below {{expected a plan with the loops of the function's body in their order, found none for a loop}}
func.func private @nest_c5_no_loop(%begin: index, %end: index) attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 0>} {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
  }
  return
}
