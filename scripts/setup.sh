#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what dmc needs on a bare Debian 12 (or newer with LLVM 22 packages):
# toolchain, MLIR, oneDNN, Open MPI, CBC, GoogleTest. Does nothing where all is there.
#
#   setup.sh --cuda [FOLDER]   instead: NVIDIA's assembler (ptxas), from PyPI, in the virtual environment FOLDER
#                              (default: build/cuda). Nothing needs it to build or to test.
#   setup.sh --frameworks [FOLDER]   torch, JAX, ONNX and what else tests of the Python package use, as scripts/frameworks.txt
#                              says, from PyPI, in the virtual environment FOLDER (default: build/frameworks)
set -euo pipefail

# Debian packages, by apt-get.
install_packages() {
  local as_root=() log
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  echo "setup: installing $*"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "setup: could not install $*" >&2
    exit 1
  fi
  rm -f "$log"
}

if [ "${1:-}" = --cuda ]; then
  folder=${2:-$(cd "$(dirname "$0")/.." && pwd)/build/cuda}
  wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96)
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --no-deps "${wheels[@]}"
  ptxas=$(find "$folder" -name ptxas -type f | head -n 1)
  if [ -z "$ptxas" ]; then
    echo "setup: found no ptxas in ${wheels[*]}" >&2
    exit 1
  fi
  chmod +x "$ptxas"
  echo "setup: dmc-compile --target=cuda:... assembles with it after"
  echo "  export CUDA_HOME=$(dirname "$(dirname "$ptxas")")"
  exit 0
fi
if [ "${1:-}" = --frameworks ]; then
  folder=${2:-$(cd "$(dirname "$0")/.." && pwd)/build/frameworks}
  list=$(dirname "$0")/frameworks.txt
  # The list of what is there is written last: a part of it is nothing.
  if cmp -s "$list" "$folder/frameworks.txt"; then
    echo "setup: nothing to install in $folder"
    exit 0
  fi
  rm -f "$folder/frameworks.txt"
  if ! python3 -c "import ensurepip" 2>/dev/null; then
    install_packages python3-venv
  fi
  python3 -m venv "$folder"
  pip=("$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20)
  # PyPI has torch for CUDA, which is ten times as large.
  "${pip[@]}" --no-deps --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' "$list")"
  "${pip[@]}" -r "$list"
  cp "$list" "$folder/frameworks.txt"
  exit 0
fi
if [ $# -gt 0 ]; then
  echo "setup: unexpected argument \"$1\", expected --cuda [FOLDER], --frameworks [FOLDER] or nothing" >&2
  exit 1
fi
packages=(cmake ninja-build g++ libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22
          clang-format-22 clang-tidy-22 libclang-rt-22-dev lld-22 ccache libgtest-dev libdnnl-dev
          libmimalloc-dev libopenmpi-dev openmpi-bin coinor-libcbc3 libmpfr-dev python3 python3-numpy)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install"
  exit 0
fi
install_packages "${missing[@]}"
