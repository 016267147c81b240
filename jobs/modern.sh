#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests Parley inside a throw-away Debian unstable (debootstrap; root only), to see that
# the sources work with the newest compiler, Kokkos with OpenMP, Open MPI and HDF5. Takes the mirror
# from this machine's own apt sources. A package that is broken there that day is named.
# All mounts live in a namespace of their own and vanish with it, whatever ends the script.
# Usage: jobs/modern.sh [FOLDER]   (FOLDER: use and keep this root instead of a temporary one)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. jobs/common.sh

# This machine's Debian archive, read by apt itself (so any format of its sources will do).
find_mirror() {
  . /etc/os-release
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    awk -v release="${VERSION_CODENAME:-sid}" \
      '($2 == release || $2 == "sid") && $3 == "main" && !found { print $1; found = 1 }'
}

make_root() {
  [ -e "$root/etc/apt/sources.list" ] && [ ! -e "$root/debootstrap" ] && return
  local mirror
  mirror=$(find_mirror)
  [ -n "$mirror" ] || fail 2 "no Debian archive among this machine's apt sources (this is not Debian?)"
  say "Making a Debian unstable root with debootstrap"
  debootstrap --variant=minbase sid "$root" "$mirror" > "$root.log" 2>&1 ||
    fail 1 "debootstrap failed: $(tail -n 3 "$root.log")"
  # A mirror may be a frozen snapshot; signatures are still verified.
  echo 'Acquire::Check-Valid-Until "false";' > "$root/etc/apt/apt.conf.d/90frozen-mirror"
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"  # start no services in here
  chmod +x "$root/usr/sbin/policy-rc.d"
}

# The working tree as it is, without what git ignores.
copy_sources() {
  rm -rf "$root/parley.new"
  mkdir -p "$root/parley" "$root/parley.new"
  if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -z |
      tar --create --null --files-from=- --ignore-failed-read
  else
    tar --create --exclude=./build --exclude=./runs --exclude=./data .
  fi | tar --extract --directory "$root/parley.new"
  [ ! -e "$root/parley/build" ] || mv "$root/parley/build" "$root/parley.new/build"
  rm -rf "$root/parley"
  mv "$root/parley.new" "$root/parley"
}

in_root() {
  unshare --mount --pid --fork --kill-child --propagation private \
    bash -euc '
      root=$1
      shift
      mount -t proc proc "$root/proc"
      mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
      mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
      mount --rbind /sys "$root/sys"
      cp /etc/resolv.conf /etc/hosts "$root/etc/"
      exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 OMP_NUM_THREADS=2 "$@"' in_root "$root" "$@"
}

# Installs a set; when apt cannot, names each package of it that is to blame.
install_set() {
  in_root bash /parley/jobs/install.sh "$1" > "$root.log" 2>&1 && return
  tail -n 12 "$root.log" >&2
  local names name
  names=$(awk -v set="$1" '$1 == set { split($2, names, "|"); print names[1] }' jobs/packages.txt)
  for name in $names; do
    in_root apt-get -qq --simulate install --no-install-recommends "$name" > /dev/null 2>&1 ||
      say "Debian unstable today: $name cannot be installed"
  done
  return 1
}

# libkokkos-dev 5.2.2-2 names two archives in its CMake files that it does not ship. Both are of
# header-only parts of Kokkos, so that empty ones do: in this root only, and said aloud.
mend_kokkos() {
  in_root sh -euc '
    targets=$(dpkg -L libkokkos-dev | grep /KokkosTargets-)
    sed -n "s|.*{_IMPORT_PREFIX}\(/lib/.*/libkokkos[a-z]*[.]a\)\".*|/usr\1|p" "$targets" | sort -u |
      while read -r archive; do
        [ -e "$archive" ] && continue
        echo "==> Debian unstable today: libkokkos-dev lacks $archive; an empty one replaces it"
        ar cr "$archive"
      done'
}

print_versions() {
  say "Versions in this root:"
  in_root dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' |
    awk 'FNR == NR { if ($1 !~ /^#/) { n = split($2, names, "|"); while (n) wanted[names[n--]] } next }
         $1 == "installed" && $2 in wanted { printf "      %-26s %s\n", $2, $3 }' \
      jobs/packages.txt -
  in_root c++ --version | sed -n '1s/^/      /p'
}

main() {
  [ "$(id -u)" -eq 0 ] || fail 2 "--modern needs root (debootstrap, chroot): run it with sudo"
  if [ -n "${1:-}" ]; then
    mkdir -p "$1"
    root=$(cd "$1" && pwd)
  else
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/parley-modern.XXXXXX")
    trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
    trap 'exit 130' INT TERM
  fi
  command -v debootstrap > /dev/null || apt-get -y -qq install --no-install-recommends debootstrap ||
    fail 2 "debootstrap is missing and could not be installed"
  make_root
  copy_sources
  say "Installing the packages in it"
  in_root apt-get -qq update
  local set
  for set in build pictures tests; do
    install_set $set || fail 1 "the root has not got what '$set' needs"
  done
  install_set reference || say "Going on without it: tests that need it are skipped"
  mend_kokkos
  print_versions
  in_root bash /parley/jobs/test.sh release -DPARLEY_TEST_THREADS=2
}

main "$@"
