# SPDX-License-Identifier: BSD-3-Clause
# A cluster whose login and compute nodes have different x86 processors: one binary for all of them
# (AVX2 and later), so that all ranks are of one bit class.
#   cmake --preset release -C jobs/machines/x86_64_v3.cmake
set(PARLEY_NATIVE OFF CACHE BOOL "Tune for the processor of this machine")
set(CMAKE_CXX_FLAGS "-march=x86-64-v3" CACHE STRING "Compiler flags")
