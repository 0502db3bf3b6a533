// RUN: dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=dp2" | FileCheck %s --check-prefix=DP2
// RUN: dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=tp4" | FileCheck %s --check-prefix=TP4
// RUN: dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/one-case.json mesh=data=8" | FileCheck %s --check-prefix=RESIZED
// RUN: dmc-opt %s -dmc-apply-layouts="mesh=data=4,model=2" | FileCheck %s --check-prefix=ONLY
// RUN: dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=dp2" -dmc-apply-layouts="mesh=data=4" | FileCheck %s --check-prefix=AGAIN
// RUN: dmc-opt %s -dmc-apply-layouts | FileCheck %s --check-prefix=SAME

// DP2-DAG:      #[[MESH:.*]] = #dmc.mesh<"data" = 2>
// DP2-DAG:      #[[X:.*]] = #dmc.layout<#[[MESH]], [{"data"}, {}]>
// DP2-DAG:      #[[Y:.*]] = #dmc.layout<#[[MESH]], []>
// DP2-DAG:      #[[Z:.*]] = #dmc.layout<#[[MESH]], [{"data"}]>
// DP2:          #dmc.program<tensor "f" on #[[MESH]], arguments ["x" : tensor<4x2xf32, #[[X]]>, "y" : tensor<f32, #[[Y]]>], results ["z" : tensor<4xf32, #[[Z]]>]>

// TP4-DAG:      #[[MESH:.*]] = #dmc.mesh<"data" = 1, "model" = 4>
// TP4-DAG:      #[[X:.*]] = #dmc.layout<#[[MESH]], [{}, {"model":(1)2}]>
// TP4:          "x" : tensor<4x2xf32, #[[X]]>

// RESIZED-DAG:  #[[MESH:.*]] = #dmc.mesh<"data" = 8>
// RESIZED-DAG:  #[[X:.*]] = #dmc.layout<#[[MESH]], [{"data"}, {}]>
// RESIZED:      "x" : tensor<4x2xf32, #[[X]]>

// ONLY:         #[[MESH:.*]] = #dmc.mesh<"data" = 4, "model" = 2>
// ONLY:         #dmc.program<tensor "f" on #[[MESH]], arguments ["x" : tensor<4x2xf32>, "y" : tensor<f32>], results ["z" : tensor<4xf32>]>

// AGAIN-DAG:    #[[MESH:.*]] = #dmc.mesh<"data" = 4>
// AGAIN-DAG:    #[[C:.*]] = #dmc.layout<#[[MESH]], [{"data"}]>
// AGAIN-DAG:    #[[X:.*]] = #dmc.layout<#[[MESH]], [{"data"}, {}]>
// AGAIN:        #dmc.program<tensor "f" on #[[MESH]], arguments ["x" : tensor<4x2xf32, #[[X]]>

// SAME:         #dmc.program<tensor "f", arguments ["x" : tensor<4x2xf32>, "y" : tensor<f32>], results ["z" : tensor<4xf32>]>
#split = #dmc.layout<#dmc.mesh<"data" = 2>, [{"data"}]>
module attributes {dmc.program = #dmc.program<tensor "f",
    arguments ["x" : tensor<4x2xf32>, "y" : tensor<f32>], results ["z" : tensor<4xf32>]>} {
  // Requests within the program move to the new mesh.
  // AGAIN:      dmc.constrain %{{.*}} : tensor<4xf32> to #[[C]]
  func.func @f(%x: tensor<4x2xf32>, %y: tensor<f32>) -> tensor<4xf32> {
    %z = tensor.empty() : tensor<4xf32>
    %0 = dmc.constrain %z : tensor<4xf32> to #split
    return %0 : tensor<4xf32>
  }
}
