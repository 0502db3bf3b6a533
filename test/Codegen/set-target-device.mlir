// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a | FileCheck %s --check-prefix=ONE
// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a+sm_89 | FileCheck %s --check-prefix=TWO
// RUN: not dmc-opt %s --dmc-set-target=target=cuda:sm_70 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not dmc-opt %s --dmc-set-target=target=sm_90 2>&1 | FileCheck %s --check-prefix=PREFIX
// RUN: not dmc-opt %s --dmc-set-target=target=cuda:sm_90+sm_90 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not dmc-opt %s --dmc-set-target=target=cuda: 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dmc-opt %s "--dmc-set-target=target=cuda:sm_90 cpu=host" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a | not dmc-opt --dmc-set-target=target=cuda:sm_80 2>&1 | FileCheck %s --check-prefix=OTHER

// ONE: dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
// A program for several chips has what all of them have.
// TWO: dmc.target = #dmc.target<"cuda:sm_90a+sm_89", {{.*}}shared = 101376,
// OLD: error: in the option target of dmc-set-target: expected cuda: and one or more of sm_80, {{.*}}, joined by '+', as cuda:sm_90a+sm_80; found 'sm_70'
// PREFIX: found 'sm_90'
// TWICE: found 'sm_90' twice
// NONE: found ''
// BOTH: error: in the option target of dmc-set-target: expected a device or a processor, found 'cuda:sm_90' and 'host'
// OTHER: error: the program's kernels are made for #dmc.target<"cuda:sm_90a", {{.*}}> already, not for #dmc.target<"cuda:sm_80",
module {
}
