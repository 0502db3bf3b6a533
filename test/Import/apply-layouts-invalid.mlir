// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/none.json" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.json: cannot be read:
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/broken.json" 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: broken.json: expected JSON:
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json" 2>&1 | FileCheck %s --check-prefix=NOCASE
// NOCASE: layouts.json: has several cases, and the option 'case' is not given; expected one of 'axis', 'count', 'dp2',
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/one-case.json case=dp4" 2>&1 | FileCheck %s --check-prefix=CASE
// CASE: one-case.json: unknown case 'dp4'; expected one of 'dp2'
// RUN: not dmc-opt %s -dmc-apply-layouts="case=dp2" 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: option 'case' needs the option 'layouts-file'
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=extra" 2>&1 | FileCheck %s --check-prefix=EXTRA
// EXTRA: case 'extra' has an unknown member 'notes'; expected 'mesh', 'arguments' and 'results'
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=count" 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: expected layouts for 2 arguments, found 1
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=rank" 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: layout of "x" has 1 dimensions, but the tensor has 2
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=axis" 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: layout of "x": axis "model" is not in the mesh data=2
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=twice" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: layout of "x": axis "data" is used twice
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=part" 2>&1 | FileCheck %s --check-prefix=PART
// PART: layout of "x": sub-axis (1)4 does not divide axis "data" of size 6
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=mesh" 2>&1 | FileCheck %s --check-prefix=PAIR
// PAIR: expected the mesh of case 'mesh' to be a list of pairs [name, size]
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=meshsize" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: layouts.json: mesh:
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/layouts.json case=values" 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: expected 'arguments' of case 'values' to hold for each value a list with the list of axes of each dimension
// RUN: not dmc-opt %s -dmc-apply-layouts="layouts-file=%S/Inputs/one-case.json mesh=model=2" 2>&1 | FileCheck %s --check-prefix=MESHAXIS
// MESHAXIS: option 'mesh': axis "model" is not in the mesh of the layouts, data=2
// RUN: not dmc-opt %s -dmc-apply-layouts="mesh=model" 2>&1 | FileCheck %s --check-prefix=MESHTEXT
// MESHTEXT: option 'mesh':
// RUN: echo "module {}" | not dmc-opt -dmc-apply-layouts="mesh=x=2" 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: expected a module with a program; run dmc-import-program before
// RUN: echo '[]' > %t.list.json && not dmc-opt %s -dmc-apply-layouts="layouts-file=%t.list.json" 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: expected an object with a member for each case
// RUN: echo '{"c": 1}' > %t.case.json && not dmc-opt %s -dmc-apply-layouts="layouts-file=%t.case.json" 2>&1 | FileCheck %s --check-prefix=MEMBER
// MEMBER: expected case 'c' to be an object
// RUN: echo '{"c": {"mesh": 1, "arguments": [], "results": []}}' > %t.mesh.json && not dmc-opt %s -dmc-apply-layouts="layouts-file=%t.mesh.json" 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: expected case 'c' to have a list 'mesh'
module attributes {dmc.program = #dmc.program<tensor "f",
    arguments ["x" : tensor<4x2xf32>, "y" : tensor<f32>], results ["z" : tensor<4xf32>]>} {
}
