#!/usr/bin/env bash
# abi.sh LIBRARY [--accept]: compares the declarations of backdrop.h with the promised ones (Bindings/abi) and with the exports of
# libbackdrop.so. New functions, and new fields at the end of structs, are allowed (docs/c.md); nothing else may change while the library's
# name ends in .so.1. --accept accepts the additions.
set -euo pipefail
cd "$(dirname "$0")/.."
library=$1/libbackdrop.so.1
promised=Bindings/abi/libbackdrop.so.1.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=Sources/CBackdrop/include/backdrop.h
{
  echo '#include "backdrop.h"'
  # Each declaration as an empty function.
  grep -v '^#' "$header" | tr '\n' ' ' | grep -oE 'BD_API [^;]*;' | sed 's/;$/ { __builtin_trap(); }/'
} >"$work/stub.c"
cc -std=c11 -g "-ffile-prefix-map=$work=." -shared -fPIC -fvisibility=hidden -ISources/CBackdrop/include "$work/stub.c" -Wl,-soname,libbackdrop.so.1 -o "$work/libbackdrop.so.1"
nm -D --defined-only "$work/libbackdrop.so.1" | awk '{print $3}' | sed 's/@.*//' | sort >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort >"$work/exported"
# A test build also exports Swift's functions.
if objdump -p "$library" | grep -q 'SONAME *libbackdrop.so.1' && ! diff "$work/declared" "$work/exported" >&2; then
  echo "error: the library exports (>) other functions than backdrop.h declares (<)" >&2
  exit 1
fi
options=(--no-corpus-path --no-comp-dir-path --no-show-locs)
if [ "${2:-}" = --accept ]; then
  mkdir -p Bindings/abi
  abidw "${options[@]}" --out-file "$promised" "$work/libbackdrop.so.1"
  exit
fi
status=0
abidiff --no-added-syms "$promised" "$work/libbackdrop.so.1" >&2 || status=$?
if [ $status != 0 ]; then
  echo "error: the interface is not what was promised ($status)" >&2
  echo "hint: change it back; where something was added at an end only, scripts/abi.sh $1 --accept" >&2
  exit 1
fi
echo "ok   the ABI: $(wc -l <"$work/declared") functions"
