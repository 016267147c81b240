#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone to pictures: installs what is missing, builds Parley, makes the digits data
# set, trains a GAN on it with 4 ranks and plots the result into runs/digits. Safe to repeat: only
# what changed is rebuilt, and an earlier run is moved aside, never overwritten.
# Usage: jobs/quickstart.sh   (from any folder)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. jobs/common.sh

ranks=4
run=runs/digits
build=build/release

make_data() {
  if [ -e data/digits.h5 ] && [ -e data/digits-test.h5 ]; then
    say "The digits data set is there: data/digits.h5, data/digits-test.h5"
    return
  fi
  say "Making the digits data set, 360 of 1,797 held out for the measures"
  mkdir -p data
  "$PYTHON" inputs/import_dataset.py digits --output data/digits.h5 --hold-out 360
}

build_parley() {
  say "Building Parley in $build"
  # A first build needs no test packages; a folder that jobs/check.sh made keeps its tests.
  local options=()
  [ -e $build/CMakeCache.txt ] || options=(-DPARLEY_TESTS=OFF -DPARLEY_BENCH=OFF)
  cmake --preset release "${options[@]}" --log-level=WARNING
  cmake --build $build --target parley --parallel "$(nproc)"
}

move_aside() {
  [ -e $run ] || return 0
  local number=1
  while [ -e "$run.$number" ]; do number=$((number + 1)); done
  mv $run "$run.$number"
  say "An earlier run was there: moved to $run.$number"
}

train() {
  say "Training on $ranks ranks ($(nproc) cores): inputs/digits.toml"
  prepare_mpi $ranks
  mpirun -n $ranks $build/parley run inputs/digits.toml
}

plot() {
  say "Plotting"
  "$PYTHON" postprocess/convergence.py $run -o $run/convergence.png
  "$PYTHON" postprocess/samples.py $run --data data/digits-test.h5 -o $run/samples.png
}

bash jobs/install.sh build pictures
build_parley
make_data
move_aside
train
plot

cat <<END

Done after $SECONDS s. Look at
  $run/samples.png      generated digits beside real ones
  $run/convergence.png  losses, field norm and consensus error
  $run/log.h5           the same numbers for your own scripts; deck.toml beside it reruns them
Next: edit inputs/digits.toml (every key: inputs/reference.toml), or run jobs/check.sh for the tests.
END
