# SPDX-License-Identifier: BSD-3-Clause
# Finds every package that Parley uses and says in one sentence what is wrong with one that it
# cannot use. Knows nothing of Parley's own targets.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(PARLEY_CCACHE ccache)
if(PARLEY_CCACHE AND NOT PARLEY_CUDA)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PARLEY_CCACHE})
endif()

find_package(MPI REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 ${HDF5_VERSION} was found, but without MPI support. Install parallel "
    "HDF5 (Debian: libhdf5-openmpi-dev; Spack: hdf5+mpi) or set HDF5_ROOT to it.")
endif()
include(CheckHdf5Mpi)

find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

find_package(Kokkos QUIET)
if(NOT Kokkos_FOUND AND PARLEY_FETCH_KOKKOS)
  include(FetchContent)
  set(BUILD_SHARED_LIBS ON)  # one Kokkos for both solver libraries
  set(Kokkos_ENABLE_CUDA ${PARLEY_CUDA} CACHE BOOL "The CUDA backend of the fetched Kokkos")
  FetchContent_Declare(Kokkos GIT_REPOSITORY https://github.com/kokkos/kokkos.git GIT_TAG 4.7.01)
  FetchContent_MakeAvailable(Kokkos)
elseif(NOT Kokkos_FOUND)
  message(FATAL_ERROR "Kokkos was not found. Debian: libtrilinos-kokkos-dev (12) or libkokkos-dev; "
    "Spack: kokkos; or configure with -DPARLEY_FETCH_KOKKOS=ON to download a pinned one.")
endif()
if(TARGET Kokkos::kokkoscore)  # Debian 12 names its libraries in variables only; they are shared
  get_target_property(parley_kokkos_type Kokkos::kokkoscore TYPE)
  if(parley_kokkos_type STREQUAL "STATIC_LIBRARY")
    message(FATAL_ERROR "This Kokkos is a static library: each of Parley's two solver libraries would "
      "carry its own. Set Kokkos_ROOT to one built with -DBUILD_SHARED_LIBS=ON.")
  endif()
endif()
if(PARLEY_CUDA AND DEFINED Kokkos_DEVICES AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "PARLEY_CUDA is on, but this Kokkos was built for ${Kokkos_DEVICES} only. "
    "Set Kokkos_ROOT to a Kokkos 4.7 or later built with Kokkos_ENABLE_CUDA=ON.")
endif()

if(PARLEY_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
# oneDNN's own package file asks for OpenCL headers where it was built with its GPU parts, which
# Parley does not use: the library and its header are enough.
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_package(BLAS REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h
  PATH_SUFFIXES openblas openblas-pthread x86_64-linux-gnu x86_64-linux-gnu/openblas-pthread REQUIRED)
