// RUN: dmc-opt %s -split-input-file -dmc-import-program -mlir-print-debuginfo | FileCheck %s

// CHECK-DAG:   #[[MESH:.*]] = #dmc.mesh<"data" = 4>
// CHECK-DAG:   #[[SPLIT:.*]] = #dmc.layout<#[[MESH]], [{"data"}, {}]>
// CHECK:       module @step attributes {dmc.program = #dmc.program<tensor "step" on #[[MESH]],
// CHECK-SAME:    arguments ["arg0" : tensor<8x4xf32, #[[SPLIT]]> donates 0],
// CHECK-SAME:    results ["result0" : tensor<8x4xf32, #[[SPLIT]]>]>} {
// CHECK-NOT:     sdy.mesh
// CHECK:         func.func public @main(%{{.*}}: tensor<8x4xf32> loc({{.*}})) -> tensor<8x4xf32> {
module @step {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, tf.aliasing_output = 0 : i32})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    return %arg0 : tensor<8x4xf32>
  }
}

// -----

// Names from locations and result infos; equal names are told apart; signedness;
// no mesh. Other attributes of the frameworks are dropped.
// CHECK:       module attributes {dmc.program = #dmc.program<tensor "main",
// CHECK-SAME:    arguments ["params['w']" : tensor<4xui8>, "x" : tensor<4xi32>, "x.2" : tensor<i1>, "arg3" : tensor<4xi32>],
// CHECK-SAME:    results ["out['loss']" : tensor<4xui8>, "result1" : tensor<4xi32>]>} {
// CHECK-NOT:     mhlo
// CHECK-NOT:     jax
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xui8> {mhlo.layout_mode = "default"} loc("params['w']"), %arg1: tensor<4xi32> loc("x"("file.py":1:2)),
                  %arg2: tensor<i1> loc("x"), %arg3: tensor<4xi32>)
      -> (tensor<4xui8> {jax.result_info = "out['loss']"}, tensor<4xi32>) {
    return %arg0, %arg1 : tensor<4xui8>, tensor<4xi32>
  }
}

// -----

// Exact donation first, then donors in order, each to the first free result of the
// same type and layout; the last donor finds none.
// CHECK-DAG:   #[[SPLIT:.*]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG:   #[[WHOLE:.*]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK:       arguments ["arg0" : tensor<4xf32, #[[SPLIT]]> donates 2, "arg1" : tensor<4xf32, #[[SPLIT]]> donates 1,
// CHECK-SAME:    "arg2" : tensor<4xf32, #[[WHOLE]]> donates 0, "arg3" : tensor<4xf32, #[[SPLIT]]>]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, jax.buffer_donor = true},
                  %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 1 : i32},
                  %arg2: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, jax.buffer_donor = true},
                  %arg3: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, jax.buffer_donor = true})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg2, %arg1, %arg0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A donor takes a result whose layout is open, if none has its own: both will lie alike.
// CHECK-DAG:   #[[SPLIT:.*]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK:       arguments ["arg0" : tensor<4xf32, #[[SPLIT]]> donates 0, "arg1" : tensor<4xf32, #[[SPLIT]]> donates 2,
// CHECK-SAME:    "arg2" : tensor<4xf32> donates 1]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, jax.buffer_donor = true},
                  %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, jax.buffer_donor = true},
                  %arg2: tensor<4xf32> {jax.buffer_donor = true})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>, tensor<4xf32>) {
    return %arg0, %arg1, %arg2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Sub-axes; several axes of a dimension; a mesh in place that equals the named one;
// a value without sharding has no layout.
// CHECK:       #[[MESH:.*]] = #dmc.mesh<"x" = 4, "y" = 2>
// CHECK-DAG:   #[[SUB:.*]] = #dmc.layout<#[[MESH]], [{"x":(1)2}, {"y"}]>
// CHECK-DAG:   #[[BOTH:.*]] = #dmc.layout<#[[MESH]], [{"y", "x"}, {}]>
// CHECK:       arguments ["arg0" : tensor<8x8xf32, #[[SUB]]>, "arg1" : tensor<8x8xf32, #[[BOTH]]>, "arg2" : tensor<8x8xf32>]
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y"}p1]>},
                  %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4, "y"=2]>, [{"y", "x"}, {}]>},
                  %arg2: tensor<8x8xf32>) {
    return
  }
}

// -----

// A constraint becomes a request, on the one mesh.
// CHECK:       #[[MESH:.*]] = #dmc.mesh<"x" = 2>
// CHECK:       #[[LAYOUT:.*]] = #dmc.layout<#[[MESH]], [{"x"}, {}]>
// CHECK:       dmc.program<tensor "main" on #[[MESH]]
// CHECK:         dmc.constrain %{{.*}} : tensor<4x4xf32> to #[[LAYOUT]] open [1] priority [2, 0]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p2, {?}]> : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// Linalg text gets a program too.
// CHECK:       dmc.program = #dmc.program<tensor "main", arguments ["arg0" : tensor<4xf32>], results ["result0" : tensor<4xf32>]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// A module with a program stays as it is.
// CHECK:       dmc.program = #dmc.program<tensor "p", arguments ["a" : tensor<4xf32>], results ["b" : tensor<4xf32>]>
module attributes {dmc.program = #dmc.program<tensor "p", arguments ["a" : tensor<4xf32>], results ["b" : tensor<4xf32>]>} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
