#!/usr/bin/env bash
# contents.sh: writes the checksums of all files in dist/, and says how large each is and what it is for.
set -euo pipefail
cd "$(dirname "$0")/../dist"
rm -f SHA256SUMS
sha256sum -- * >SHA256SUMS
for file in *; do
  case "$file" in
    # The names of FFmpeg's libraries differ between releases.
    backdrop_*.deb) what="Debian or Ubuntu with $(dpkg-deb -f "$file" Depends | grep -o 'libavcodec[0-9]*' | head -n 1)" ;;
    *-dbgsym_*.deb) what="for a debugger" ;;
    libbackdrop-dev_*.deb) what="for programs in C, with libbackdrop1" ;;
    libbackdrop1_*.deb) what="for programs in C and plugins" ;;
    *.deb) what="a plugin, with libbackdrop1" ;;
    *-linux-*.tar.xz) what="Linux with the same libraries, without dpkg" ;;
    *.whl) what="Python 3.10, glibc $(sed -n 's/.*manylinux_\([0-9]*\)_\([0-9]*\)_.*/\1.\2/p' <<<"$file"), or later" ;;
    *.tar.gz) what="Python's source distribution, with libbackdrop1" ;;
    *.dsc | *_*.tar.xz) what="Debian's source package" ;;
    *.spdx.json | *-third-party.txt) what="what is built in" ;;
    *) what="checksums" ;;
  esac
  printf '%10d  %-45s %s\n' "$(stat -c %s "$file")" "$file" "$what"
done
