// REQUIRES: x86
// RUN: dmc-opt %s --dmc-set-target=cpu=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: dmc-opt %s --dmc-set-target=cpu=x86-64 | FileCheck %s --check-prefix=BASE
// RUN: dmc-opt %s --dmc-set-target=cpu=x86-64-v3 | dmc-opt --dmc-set-target | FileCheck %s --check-prefix=V3
// RUN: dmc-opt %s --dmc-set-target | FileCheck %s --check-prefix=HOST
// RUN: dmc-opt %s --dmc-set-target=cpu=x86-64-v3 | not dmc-opt --dmc-set-target=cpu=x86-64 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not dmc-opt %s --dmc-set-target=cpu=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Registers of AVX are twice as wide as those of SSE.
// V3: dmc.target = #dmc.target<"x86-64-v3", features = "{{.*}}fma{{.*}}avx2{{.*}}", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>
// BASE: dmc.target = #dmc.target<"x86-64", features = "", vector = 16, registers = 16,
// HOST: dmc.target = #dmc.target<
// OTHER: error: the program's kernels are made for #dmc.target<"x86-64-v3", {{.*}}> already, not for #dmc.target<"x86-64",
// UNKNOWN: error: in the option cpu of dmc-set-target: expected host or one of {{.*}}; found 'abacus'
module {
}
