# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# copy.sh FOLDER: the folder of cases that cases.json here lists, many of which
# share their programs and arrays.
set -e
cd "$(dirname "$0")"
mkdir -p "$1"
cp cases.json refused.mlir "$1"
for name in add close crash hang ulps wrong; do
  cp add.mlir "$1/$name.mlir"
  for array in in0 in1 out0; do cp add.$array.npy "$1/$name.$array.npy"; done
done
cp close.out0.npy ulps.out0.npy "$1"
cp add.in0.npy "$1/wrong.out0.npy"
for name in negate_bits negate_value; do
  for end in mlir in0.npy out0.npy; do cp negate.$end "$1/$name.$end"; done
done
cp add.mlir "$1/ranks.mlir"
for array in in0 in1 out0; do cp add.$array.npy "$1/ranks.r0.$array.npy"; done
cp swap.mlir "$1"
cp swap.mlir "$1/swap_wrong.mlir"
for name in swap swap_wrong; do
  for array in r0.in0 r1.out0; do cp add.in0.npy "$1/$name.$array.npy"; done
  for array in r1.in0 r0.out0; do cp add.in1.npy "$1/$name.$array.npy"; done
done
cp add.in0.npy "$1/swap_wrong.r0.out0.npy"
