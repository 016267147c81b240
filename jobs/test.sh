#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures, builds and tests one preset; installs nothing. The part of jobs/check.sh that is the
# same on the machine itself and inside the throw-away root of jobs/modern.sh.
# Usage: jobs/test.sh PRESET [CMAKE OPTION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. jobs/common.sh

preset=${1:?usage: jobs/test.sh PRESET [CMAKE OPTION...]}
shift
cores=$(nproc)

say "Configuring and building the preset $preset, warnings as errors"
cmake --preset "$preset" -DPARLEY_TESTS=ON -DPARLEY_BENCH=ON -DPARLEY_WERROR=ON "$@" \
  --log-level=WARNING
cmake --build "build/$preset" --parallel "$cores"

say "Running the tests, at most $cores processes at a time"
if ! ctest --preset "$preset" --parallel "$cores" --no-tests=error; then
  fail 1 "tests of the preset $preset failed (details: build/$preset/Testing/Temporary)"
fi
say "Preset $preset: built without warnings, all tests passed, $SECONDS s"
