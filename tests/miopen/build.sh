#!/bin/bash
# Builds libMIOpen of an older release of ROCm from its public sources, for tests/miopen/tables.py.
#
#     build.sh RELEASE WORK MIOPEN.git ROCBLAS.git HALF.git       # RELEASE: 5.2.0, 5.7.0 or 6.2.0
#
# The three are clones of ROCm/MIOpen, ROCm/rocBLAS and ROCm/half. It was run in a root of Debian 12:
#     apt-get install --no-install-recommends libamdhip64-dev hipcc rocm-cmake cmake ninja-build \
#         clang-15 libclang-common-15-dev g++ git pkg-config bzip2 python3 nlohmann-json3-dev \
#         libboost-filesystem-dev libboost-system-dev libsqlite3-dev libbz2-dev libzstd-dev zlib1g-dev
#
# No line of MIOpen's C++ is changed. Left out, because they need what Debian 12 does not have:
# MLIR, composable kernels (both are for other chips, or off by default), the models that predict a
# solver, hipBLASLt, roctx and the compiler in the library (kernels would be compiled by clang).
# rocBLAS is there as headers: its functions come from stand_in.cpp, so that the GEMM solvers are in.
set -euo pipefail
release=$1 work=$2 miopen=$3 rocblas=$4 half=$5
case $release in
    5.2.0) rocblas_version=2.44.0 ;;
    5.7.0) rocblas_version=3.1.0 ;;
    6.2.0) rocblas_version=4.2.0 ;;
    *) echo "build.sh: 5.2.0, 5.7.0 or 6.2.0" >&2; exit 2 ;;
esac
llvm=/usr/lib/llvm-15/bin
PATH=$llvm:$PATH
source=$work/miopen-$release out=$work/out-$release headers=$work/headers-$release
mkdir -p "$source" "$out" "$headers"/{rocblas/internal,half}

# The sources. Files that are too large for a shallow store, all databases of other chips, may be
# missing from a clone: the build does not need them.
export GIT_INDEX_FILE=$work/index-$release
git --git-dir="$miopen" read-tree "rocm-$release"
git --git-dir="$miopen" --work-tree="$source" checkout-index -a -f -q || true
rm -f "$source"/src/kernels/gfx[89]*.{bz2,txt,db}
sed -i -E 's/^\s*add_subdirectory\(\s*(test|driver|speedtests|fin|doc)\s*\)//' "$source/CMakeLists.txt"
# hip::device would have clang compile the library's own code for a card as well.
sed -i 's/hip::device/hip::host/' "$source/src/CMakeLists.txt"
# The text of kernels, 300 MB of it, becomes part of the library, which only needs it to compile them
# for a card. It was left in 5.2.0 and taken out of 5.7.0 and 6.2.0, which halves the time.
if [ "$release" != 5.2.0 ]; then
    find "$source/src/kernels" -type f -size +1k \( -name '*.s' -o -name '*.inc' -o -name '*.cl' \) |
        while read -r file; do echo '//' > "$file"; done
fi

# The headers of rocBLAS and half.
git --git-dir="$rocblas" ls-tree -r --name-only "rocm-$release" library/include | while read -r file; do
    mkdir -p "$headers/rocblas/$(dirname "${file#library/include/}")"
    git --git-dir="$rocblas" show "rocm-$release:$file" > "$headers/rocblas/${file#library/include/}"
done
IFS=. read -r major minor patch <<< "$rocblas_version"
for file in "$headers"/rocblas/internal/*version.h.in; do
    sed "s/@rocblas_VERSION_MAJOR@/$major/; s/@rocblas_VERSION_MINOR@/$minor/
         s/@rocblas_VERSION_PATCH@/$patch/; s/@rocblas_VERSION_[A-Z_]*@/0/" "$file" > "${file%.in}"
done
printf '#define ROCBLAS_%s\n' EXPORT NO_EXPORT DEPRECATED > "$headers/rocblas/internal/rocblas-export.h"
cp "$headers/rocblas/internal/rocblas-export.h" "$headers/rocblas/"
echo '#include <rocblas/rocblas.h>' > "$headers/rocblas.h"
git --git-dir="$half" show HEAD:include/half.hpp | tee "$headers/half.hpp" > "$headers/half/half.hpp"
cat > "$headers/rocblas-config.cmake" <<END
set(rocblas_FOUND TRUE)
set(rocblas_VERSION $rocblas_version)
set(rocblas_VERSION_MAJOR $major)
set(rocblas_VERSION_MINOR $minor)
set(rocblas_VERSION_PATCH $patch)
if(NOT TARGET roc::rocblas)
    add_library(roc::rocblas INTERFACE IMPORTED)
    set_target_properties(roc::rocblas PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$headers")
endif()
END
# Newer than Debian 12's HIP: MIOpen of ROCm 6.2 calls it for cooperative kernels.
cat > "$headers/newer_hip.h" <<'END'
#include <cstdint>
#include <memory>
#include <optional>
#include <hip/hip_runtime_api.h>
extern "C" hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned,
                                                       unsigned, unsigned, unsigned, unsigned,
                                                       hipStream_t, void**);
END

cmake -G Ninja -S "$source" -B "$out" -DCMAKE_BUILD_TYPE=None -DMIOPEN_BACKEND=HIP \
    -DCMAKE_C_COMPILER=$llvm/clang -DCMAKE_CXX_COMPILER=$llvm/clang++ \
    -DMIOPEN_OFFLOADBUNDLER_BIN=$llvm/clang-offload-bundler -DMIOPEN_AMDGCN_ASSEMBLER=$llvm/clang \
    -DHIP_OC_COMPILER=$llvm/clang -DUNZIPPER="$(command -v bunzip2)" \
    -DMIOPEN_USE_ROCBLAS=On -Drocblas_DIR="$headers" -DHALF_INCLUDE_DIR="$headers" \
    -DMIOPEN_USE_MLIR=Off -DMIOPEN_USE_COMPOSABLEKERNEL=Off -DMIOPEN_USE_HIPBLASLT=Off \
    -DMIOPEN_USE_COMGR=Off -DMIOPEN_USE_HIPRTC=Off -DMIOPEN_USE_ROCTRACER=Off \
    -DMIOPEN_ENABLE_AI_IMMED_MODE_FALLBACK=Off -DMIOPEN_ENABLE_AI_KERNEL_TUNING=Off \
    -DMIOPEN_BUILD_DRIVER=Off -DBUILD_TESTING=Off -DBoost_USE_STATIC_LIBS=Off \
    "-DCMAKE_C_FLAGS=-w -D__HIP_PLATFORM_AMD__=1" -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--allow-multiple-definition \
    "-DCMAKE_CXX_FLAGS=-O0 -w -D__HIP_PLATFORM_AMD__=1 -I$headers -include $headers/newer_hip.h"
ninja -C "$out" -j "$(nproc)" MIOpen
sha256sum "$out"/lib/libMIOpen.so.1

# This library starts clang for each kernel. For tests/miopen/tables.py it was replaced, in a copy of
# the root, by a program that takes its input and writes a file without code (--version excepted:
# MIOpen offers its assembly only where that answers).
