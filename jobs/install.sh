#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing of the named sets of jobs/packages.txt (Debian 12 or later, Ubuntu;
# root or sudo); elsewhere prints what is missing and stops with 2. Safe to repeat: asks dpkg
# first, so it is instant when nothing is missing. Knows nothing of the build.
# Usage: jobs/install.sh SET...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.sh"

# Rows of packages.txt that belong to the sets given as arguments.
rows_of() {
  local set
  for set in "$@"; do
    awk -v set="$set" '$1 == set { found = 1; print $2, $3, $4 } END { exit !found }' \
      "$here/packages.txt" || fail 2 "no set '$set' in jobs/packages.txt"
  done
}

# Debian 12 or later, Ubuntu 24.04 or later, or a system that derives from Debian.
is_debian() {
  [ -r /etc/os-release ] && command -v dpkg-query apt-get > /dev/null || return 1
  local ID="" ID_LIKE="" VERSION_ID=""
  . /etc/os-release
  case $ID in
    debian) [ "${VERSION_ID:-99}" -ge 12 ] ;;  # testing and unstable have no VERSION_ID
    ubuntu) [ "${VERSION_ID%%.*}" -ge 24 ] ;;
    *) [[ " $ID_LIKE " == *" debian "* ]] ;;
  esac
}

has_package() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# Alternatives "a|b": true when any is installed.
has_any_package() {
  local name
  for name in ${1//|/ }; do has_package "$name" && return; done
  return 1
}

# Prints the first of the alternatives that apt can install; false when there is none.
pick_candidate() {
  local name policy
  for name in ${1//|/ }; do
    policy=$(apt-cache policy "$name" 2> /dev/null)
    if [[ $policy == *"  Candidate: "[!\(]* ]]; then
      echo "$name"
      return
    fi
  done
  return 1
}

# A header below any prefix that compilers or CMake look into; some packages keep theirs deeper.
find_header() {
  local prefix prefixes=${CPATH:-}:${CMAKE_PREFIX_PATH:-}:/usr/include:/usr/local
  for prefix in ${prefixes//:/ }; do
    [ -z "$(find -L "$prefix" "$prefix/include" -maxdepth 4 -path "*/$1" -print -quit \
      2> /dev/null)" ] || return 0
  done
  return 1
}

has_probe() {
  case $1 in
    cmd:*) command -v "${1#cmd:}" > /dev/null ;;
    hdr:*) find_header "${1#hdr:}" ;;
    py:*) "$PYTHON" -c "import ${1#py:}" 2> /dev/null ;;
  esac
}

# On a system without these packages: names what is missing, or says that nothing is.
report_by_probe() {
  local debian probe spack missing=()
  while read -r debian probe spack; do
    has_probe "$probe" || missing+=("  ${probe#*:}  (Spack: $spack; Debian: $debian)")
  done
  [ ${#missing[@]} -eq 0 ] && return
  printf '%s\n' "${missing[@]}" >&2
  fail 2 "the above is missing, and this is neither Debian 12 or later nor Ubuntu 24.04 or later:" \
    "install it (on a cluster: spack -e jobs install, see jobs/spack.yaml), then run this again"
}

# "sudo" where it works without a password or can ask for one, nothing for root.
find_root() {
  if [ "$(id -u)" -eq 0 ]; then
    root=()
  elif command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
    root=(sudo)
  else
    return 1
  fi
}

update_lists() {
  say "Reading the package lists (apt-get update)"
  "${root[@]}" apt-get -qq update || fail 1 "apt-get update failed"
  updated=yes
}

# Turns alternatives into names in `names`; false with the culprit in `unknown`.
choose_names() {
  local row
  names=()
  for row in "$@"; do
    unknown=$row
    names+=("$(pick_candidate "$row")") || return 1
  done
}

apt_install() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@" > /dev/null
}

install_packages() {
  find_root || fail 2 "missing: ${*//|/ or }. Neither root nor sudo: have an administrator run" \
    "'apt-get install --no-install-recommends ${*//|*/}', then run this again"
  if ! choose_names "$@"; then
    update_lists
    choose_names "$@" || fail 1 "apt knows no package ${unknown//|/ or }"
  fi
  say "Installing ${#names[@]} packages: ${names[*]}"
  apt_install "${names[@]}" && return
  [ -z "$updated" ] || fail 1 "apt-get install failed"
  update_lists  # the usual reason: the lists name versions that the mirror no longer has
  apt_install "${names[@]}" || fail 1 "apt-get install failed"
}

main() {
  local rows debian probe spack missing=()
  updated="" root=() names=() unknown=""
  [ $# -gt 0 ] || fail 2 "usage: jobs/install.sh SET... (sets: see jobs/packages.txt)"
  rows=$(rows_of "$@")
  if ! is_debian; then
    report_by_probe <<< "$rows"
  else
    while read -r debian probe spack; do
      has_any_package "$debian" || missing+=("$debian")
    done <<< "$rows"
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
  fi
  say "Everything of '$*' is installed"
}

main "$@"
