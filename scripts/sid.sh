#!/usr/bin/env bash
# sid.sh COMMAND…: runs a command at this folder in a Debian unstable, with Debian's own Swift and libraries, which the first call creates in
# the user's cache folder. Its builds (.build, .build-release, .build-arm64) stay there, apart from those outside. FRESH=1 creates it again.
# It needs root or sudo, and mmdebstrap and qemu-user-static (make installs them).
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || exec sudo --preserve-env "$0" "$@"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/sid
root=$cache/root
. scripts/roots.sh
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
if [ "${FRESH:-}" = 1 ]; then rm -rf --one-file-system "$root"; fi

if [ ! -d "$root" ]; then
  echo "== a Debian unstable with its own Swift (some minutes)"
  rm -rf --one-file-system "$root.new"
  # apt accepts an index whose date has passed. Recommended packages of Swift would bring an editor and a debugger.
  mmdebstrap --quiet --mode=root --variant=apt --format=directory --architectures=amd64,arm64 \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' --aptopt='APT::Get::Assume-Yes "1"' \
    --aptopt='Dpkg::Use-Pty "0"' \
    --include=ca-certificates,git,libstdc++-16-dev,make,python3,python3-pip,python3-venv,sudo,swiftlang sid "$root.new" ${MIRROR:+"$MIRROR"}
  mv "$root.new" "$root"
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
if [ -n "$certificates" ]; then cp "$certificates" "$root/etc/test-certificates"; fi
flock --unlock 9

emulate_arm64
# git replaces addresses as outside, also by those of local folders.
number=0
while read -r name value; do
  settings+=("GIT_CONFIG_KEY_$number=$name" "GIT_CONFIG_VALUE_$number=$value")
  number=$((number + 1))
  folder=${name#url.} folder=${folder%.insteadof}
  if [ -d "$folder" ]; then binds+=("$folder=$folder"); fi
done < <(git config --get-regexp '^url\..*\.insteadof$')
settings+=("GIT_CONFIG_KEY_$number=safe.directory" "GIT_CONFIG_VALUE_$number=*" "GIT_CONFIG_COUNT=$((number + 1))")

binds+=("$PWD=$PWD")
for build in .build .build-release .build-arm64; do
  mkdir -p "$build" "$cache/$build"
  binds+=("$PWD/$build=$cache/$build")
done
for one in "${binds[@]}"; do mkdir -p "$root${one%%=*}"; done
while IFS= read -r name; do settings+=("$name=${!name}"); done < <(compgen -e | grep -E '^(BACKDROP_|TEST_)')
inside "$root" root "cd '$PWD' && exec ${*@Q}"
