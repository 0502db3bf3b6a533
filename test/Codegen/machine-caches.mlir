// What does not fit into the machine's caches is written past them.
// RUN: sed 's/"shared_by": 1}]/"shared_by": 1}, {"level": 2, "bytes": 65536, "line_bytes": 64, "shared_by": 1}]/' %S/../Tools/Inputs/two-nodes.json > %t.small.json
// RUN: sed 's/"shared_by": 1}]/"shared_by": 1}, {"level": 3, "bytes": 67108864, "line_bytes": 64, "shared_by": 2}]/' %S/../Tools/Inputs/two-nodes.json > %t.large.json
// RUN: dmc-compile %s --emit=llvm --machine=%t.small.json | FileCheck %s --check-prefix=SMALL
// RUN: dmc-compile %s --emit=llvm --machine=%t.large.json | FileCheck %s --check-prefix=LARGE

// SMALL: ["dmc-stream", "{{[0-9]+}}"], "no-builtin-memcpy"
// LARGE-NOT: "dmc-stream"
func.func public @main(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %0 = stablehlo.add %x, %x : tensor<256x1024xf32>
  return %0 : tensor<256x1024xf32>
}
