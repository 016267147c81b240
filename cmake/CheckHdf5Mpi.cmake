# SPDX-License-Identifier: BSD-3-Clause
# Links one program with MPI and parallel HDF5: a mismatch between the two is said at configure
# time, in one sentence, instead of as a crash of the first collective write.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C ${HDF5_LIBRARIES})
check_cxx_source_compiles([[
  #define OMPI_SKIP_MPICXX 1
  #include <mpi.h>
  #include <hdf5.h>
  int main() {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    return H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) < 0;
  }]] PARLEY_HDF5_MATCHES_MPI)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT PARLEY_HDF5_MATCHES_MPI)
  unset(PARLEY_HDF5_MATCHES_MPI CACHE)  # asked again once the user has mended it
  message(FATAL_ERROR "HDF5 ${HDF5_VERSION} does not link with this MPI (${MPI_C_LIBRARIES}): it was "
    "built with another one. Take HDF5 and the MPI compiler wrapper from the same installation.")
endif()
