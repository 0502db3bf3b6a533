// RUN: dmc-opt %s -split-input-file -dmc-import-program | FileCheck %s

// A constraint without uses constrains its operand, one with uses those; shardings
// of operations are those of their results.
// CHECK-DAG:   #[[X0:.*]] = #dmc.layout<#{{.*}}, [{"x"}, {}]>
// CHECK-DAG:   #[[X1:.*]] = #dmc.layout<#{{.*}}, [{}, {"x"}]>
// CHECK:       func.func public @constraints
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<4x4xf32>
// CHECK:         %[[C0:.*]] = dmc.constrain %[[A]] : tensor<4x4xf32> to #[[X0]] open [1] priority [2, 0]
// CHECK:         %[[C1:.*]] = dmc.constrain %[[C0]] : tensor<4x4xf32> to #[[X1]]
// CHECK:         stablehlo.add %[[C0]], %[[C1]] : tensor<4x4xf32>
// CHECK:         %[[E:.*]] = stablehlo.exponential
// CHECK-NOT:     sdy
// CHECK:         %[[CE:.*]] = dmc.constrain %[[E]] : tensor<4x4xf32> to #[[X0]] open [0]
// CHECK:         return %[[CE]]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @constraints(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<4x4xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<4x4xf32>
    %3 = stablehlo.exponential %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {}]>]>} : tensor<4x4xf32>
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p2, {?}]> : tensor<4x4xf32>
    // What every layout satisfies asks for nothing.
    %4 = sdy.sharding_constraint %3 <@mesh, [{?}, {?}]> : tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
}

// -----

// Open arguments and results are asked for where they are used; closed ones are
// contracts. Replicated axes split nothing.
// CHECK-DAG:   #[[MESH:.*]] = #dmc.mesh<"x" = 4, "y" = 2>
// CHECK-DAG:   #[[SUB:.*]] = #dmc.layout<#[[MESH]], [{"x":(1)2}, {}]>
// CHECK-DAG:   #[[Y:.*]] = #dmc.layout<#[[MESH]], [{}, {"y"}]>
// CHECK-DAG:   #[[R:.*]] = #dmc.layout<#[[MESH]], [{}, {}]>
// CHECK:       arguments ["arg0" : tensor<8x8xf32>, "arg1" : tensor<8x8xf32, #[[SUB]]>, "arg2" : tensor<8x8xf32>, "arg3" : tensor<8x8xf32>]
// CHECK-SAME:  results ["result0" : tensor<8x8xf32>]
// CHECK:       func.func public @boundary
// CHECK-SAME:    %[[A:.*]]: tensor<8x8xf32>, %{{.*}}: tensor<8x8xf32> {dmc.priorities = array<i64: 1, 0>},
// CHECK-DAG:     dmc.constrain %[[A]] : tensor<8x8xf32> to #[[Y]] open [1]
// CHECK-DAG:     dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[R]] open [0, 1] replicated {"x"}
// CHECK:         %[[RESULT:.*]] = dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[SUB]] open [0]
// CHECK:         return %[[RESULT]]
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @boundary(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>},
                             %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}p1, {}]>},
                             %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>},
                             %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"x"}>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {}]>}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<8x8xf32>
    %2 = stablehlo.add %1, %arg3 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}

// -----

// One mesh for all: axes of others are axes of it, or parts of them, also where
// devices stand in another order.
// CHECK-DAG:   #[[MESH:.*]] = #dmc.mesh<"a" = 2, "b" = 4>
// CHECK-DAG:   #[[FLAT:.*]] = #dmc.layout<#[[MESH]], [{"a", "b"}, {}]>
// CHECK-DAG:   #[[PART:.*]] = #dmc.layout<#[[MESH]], [{}, {"a", "b":(1)2}]>
// CHECK-DAG:   #[[TURNED:.*]] = #dmc.layout<#[[MESH]], [{"b"}, {"a"}]>
// CHECK-DAG:   #[[PAIRS:.*]] = #dmc.layout<#[[MESH]], [{"b":(2)2}, {"a", "b":(1)2}]>
// CHECK-DAG:   #[[BASE:.*]] = #dmc.layout<#[[MESH]], [{"a"}, {}]>
// CHECK-NOT:   dmc.devices
// CHECK:       func.func public @meshes
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[FLAT]]{{$}}
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[PART]]{{$}}
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[TURNED]]{{$}}
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[BASE]]{{$}}
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[PAIRS]]{{$}}
module {
  sdy.mesh @flat = <["x"=8]>
  sdy.mesh @base = <["a"=2, "b"=4]>
  sdy.mesh @turned = <["p"=4, "q"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  sdy.mesh @pairs = <["u"=4, "v"=2]>
  sdy.mesh @none = <[]>
  func.func public @meshes(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@flat, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@flat, [{}, {"x":(1)4}]> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %1 <@turned, [{"p"}, {"q"}]> : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@base, [{"a"}, {}]> : tensor<8x8xf32>
    %4 = sdy.sharding_constraint %3 <@pairs, [{"v"}, {"u"}]> : tensor<8x8xf32>
    %5 = sdy.sharding_constraint %4 <@none, [{?}, {?}]> : tensor<8x8xf32>
    return %5 : tensor<8x8xf32>
  }
}

// -----

// The order of devices stays with the program: rank r is device dmc.devices[r].
// CHECK:       module attributes {dmc.devices = array<i64: 3, 2, 1, 0>, dmc.program
module {
  sdy.mesh @mesh = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func public @devices(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

// Reshards are requests; axes that are not reduced are partial.
// CHECK-DAG:   #[[P:.*]] = #dmc.layout<#{{.*}}, [{}, {"y"}], sum {"x"}>
// CHECK-DAG:   #[[X:.*]] = #dmc.layout<#{{.*}}, [{"x"}, {"y"}]>
// CHECK-DAG:   #[[M:.*]] = #dmc.layout<#{{.*}}, [{}, {}], max {"x", "y"}>
// CHECK:       func.func public @reshards
// CHECK:         dmc.constrain %{{.*}} to #[[P]]
// CHECK:         dmc.constrain %{{.*}} to #[[X]]
// CHECK:         dmc.constrain %{{.*}} to #[[M]]
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @reshards(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
    %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.sharded_to_unreduced [{"x"}, {"y"}] %1 out_sharding=<@mesh, [{}, {}], unreduced=max{"x", "y"}> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}

// -----

// Groups, barriers, named computations, edges, constants.
// CHECK-DAG:   #[[R:.*]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG:   #[[X:.*]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK:       func.func public @others
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<8xf32>
// CHECK:         %[[GA:.*]] = dmc.constrain %[[A]] : tensor<8xf32> to #[[R]] open [0] group 7
// CHECK:         %[[K:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK:         %[[IN:.*]] = dmc.constrain %[[GA]] : tensor<8xf32> to #[[X]]
// CHECK:         %[[S:.*]] = stablehlo.add %[[IN]], %[[K]]
// CHECK:         %[[GS:.*]] = dmc.constrain %[[S]] : tensor<8xf32> to #[[R]] open [0] group 7
// CHECK:         %[[B:.*]] = dmc.constrain %[[GS]] : tensor<8xf32> to #[[R]] open [0] allow forward
// CHECK:         return %[[B]]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @others(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %arg0 group_id=7 : tensor<8xf32>
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    %1 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x"}]>] (%a: tensor<8xf32>) {
      %4 = stablehlo.add %a, %0 : tensor<8xf32>
      sdy.return %4 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.sharding_group %1 group_id=7 : tensor<8xf32>
    %2 = sdy.data_flow_edge %1 : tensor<8xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=FORWARD : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

// Within the program the order of the devices of a shard cannot be told: a mesh of the same devices in
// reverse splits over the axes of the program's, which is that of the boundary.
// CHECK:       module attributes {dmc.devices = array<i64: 3, 2, 1, 0>, dmc.program
// CHECK-SAME:    "arg0" : tensor<8x8xf32, #[[ROWS:.*]]>
// CHECK:       func.func public @reversed
// CHECK:         dmc.constrain %{{.*}} : tensor<8x8xf32> to #[[COLUMNS:.*]]{{$}}
module {
  sdy.mesh @forward = <["a"=2, "b"=2]>
  sdy.mesh @backward = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func public @reversed(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@backward, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@forward, [{}, {"a", "b"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// CHECK:       #[[SPLIT:.*]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-NOT:   dmc.devices
// CHECK:         dmc.constrain %{{.*}} : tensor<8xf32> to #[[SPLIT]]
module {
  sdy.mesh @forward = <["x"=4]>
  sdy.mesh @backward = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func public @interior(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@forward, [{}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@backward, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// A call of @Sharding in Shardy's form, and a replicated one.
// CHECK-DAG:   #[[R:.*]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG:   #[[X:.*]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK:       func.func public @calls
// CHECK:         dmc.constrain %{{.*}} : tensor<8xf32> to #[[X]]
// CHECK:         dmc.constrain %{{.*}} : tensor<8xf32> to #[[R]]
// CHECK-NOT:   custom_call
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// Rules for another partitioner are of no use for a call that becomes operations.
// CHECK:       func.func public @rule
// CHECK:         stablehlo.custom_call @lapack_spotrf_ffi
// CHECK-NOT:   sharding_rule
module {
  func.func public @rule(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=4, j=4, k=4, l=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
    return %0#0 : tensor<4x4xf32>
  }
}
