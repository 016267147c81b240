# SPDX-License-Identifier: BSD-3-Clause
# Compiler settings shared by all of Parley's targets, and the packages as targets whose headers
# count as system headers.

add_library(parley_settings INTERFACE)
target_include_directories(parley_settings INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
# The C bindings only: the C++ ones are gone from MPI 3 and need a library of their own.
target_compile_definitions(parley_settings INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
if(PARLEY_CUDA)  # fmt 9 mixes constexpr and not under nvcc unless told; Eigen stays on the host
  target_compile_definitions(parley_settings INTERFACE FMT_USE_CONSTEXPR=1 EIGEN_NO_CUDA=1)
else()
  target_compile_options(parley_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${PARLEY_WERROR}>:-Werror>)
endif()
# GCC warns of its own string and AVX-512 headers (its bugs 105651, 105593): not of our code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(parley_settings INTERFACE -Wno-maybe-uninitialized)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(parley_settings INTERFACE
      -Wno-restrict -Wno-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endif()
# Bits must not depend on how a compiler contracts a*b+c in one translation unit or another; nothing
# reads errno or floating-point traps, which lets square roots and branches vectorize.
target_compile_options(parley_settings INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
  $<$<AND:$<BOOL:${PARLEY_NATIVE}>,$<NOT:$<BOOL:${PARLEY_CUDA}>>>:-march=native>)
if(PARLEY_SANITIZE)
  target_compile_options(parley_settings INTERFACE
    -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -D_GLIBCXX_ASSERTIONS)
  target_link_options(parley_settings INTERFACE -fsanitize=address,undefined)
endif()

add_library(parley_hdf5 INTERFACE)
target_include_directories(parley_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(parley_hdf5 INTERFACE ${HDF5_LIBRARIES})

add_library(parley_random INTERFACE)
target_include_directories(parley_random SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})

add_library(parley_cblas INTERFACE)
target_include_directories(parley_cblas SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR})
target_link_libraries(parley_cblas INTERFACE BLAS::BLAS)

add_library(parley_dnnl INTERFACE)
target_include_directories(parley_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
target_link_libraries(parley_dnnl INTERFACE ${DNNL_LIBRARY})

# Kokkos headers warn under C++20: seen as system headers.
add_library(parley_kokkos INTERFACE)
get_target_property(parley_kokkos_includes Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
# Debian 12's package names its headers' folder in a variable only.
foreach(folder ${parley_kokkos_includes} ${Kokkos_INCLUDE_DIRS})
  target_include_directories(parley_kokkos SYSTEM INTERFACE ${folder})
endforeach()
target_link_libraries(parley_kokkos INTERFACE Kokkos::kokkos)

# The commit goes into every output file; a new commit configures anew.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty
  OUTPUT_VARIABLE PARLEY_GIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --path-format=absolute --git-path logs/HEAD
  OUTPUT_VARIABLE parley_git_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT PARLEY_GIT)
  set(PARLEY_GIT "unknown")
elseif(EXISTS "${parley_git_log}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${parley_git_log}")
endif()
