#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds Parley with warnings as errors and runs every test: what continuous integration calls.
# Installs what is missing first (Debian, Ubuntu). Exits with non-zero when anything fails.
# Usage: jobs/check.sh [--sanitize] [--modern [--keep FOLDER]]
#   --sanitize  the preset debug: address and undefined-behaviour sanitizers, bounds checks
#   --modern    in a throw-away Debian unstable: newest compiler, Kokkos (OpenMP), MPI and HDF5;
#               --keep FOLDER uses and keeps that root folder, so that a second call is quick
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. jobs/common.sh

preset=release
modern=""
keep=()
while [ $# -gt 0 ]; do
  case $1 in
    --sanitize) preset=debug ;;
    --modern) modern=yes ;;
    --keep)
      [ $# -ge 2 ] || fail 2 "--keep needs a folder"
      keep=("$2")
      shift
      ;;
    *) fail 2 "unknown option '$1'; allowed: --sanitize, --modern, --keep FOLDER" ;;
  esac
  shift
done

if [ -n "$modern" ]; then
  [ $preset = release ] || fail 2 "--modern and --sanitize exclude each other"
  exec bash jobs/modern.sh "${keep[@]}"
fi
[ ${#keep[@]} -eq 0 ] || fail 2 "--keep goes with --modern only"

bash jobs/install.sh build pictures tests reference
bash jobs/test.sh $preset
