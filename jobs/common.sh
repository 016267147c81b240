# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Small functions shared by the scripts in jobs/: messages and the environment of MPI on a small
# machine. Sourced, never run. Knows nothing of packages, builds or decks.

# The Python that has the packages of jobs/packages.txt; PYTHON=... chooses another.
PYTHON=${PYTHON:-/usr/bin/python3}

say() { printf '==> %s\n' "$*"; }

# Ends the script: fail CODE MESSAGE (2: the user can mend it; 1: a step failed).
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# Prepares the environment for `mpirun -n RANKS` on this machine.
prepare_mpi() {
  local ranks=$1
  if [ "$(id -u)" -eq 0 ]; then  # Open MPI refuses root unless told twice
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  if [ "$ranks" -gt "$(nproc)" ]; then  # ranks share cores: no binding, and waiting yields
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    export PRTE_MCA_hwloc_default_binding_policy=none
    export OMPI_MCA_mpi_yield_when_idle=1
  fi
}
