#!/usr/bin/env bash
# library.sh: builds libbackdrop.so.1 with Swift's runtime inside, in .build-release/library (.build-arm64 for arm64). It exports only the functions of backdrop.h. A
# process cannot unload it, because Swift's runtime must stay loaded.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release-flags.sh
library=$build/library
mkdir -p "$library/include"
{
  echo 'BACKDROP_1 {'
  echo '  global:'
  grep -oE '^BD_API .*\bbd_[a-z_]+\(' Sources/CBackdrop/include/backdrop.h | grep -oE 'bd_[a-z_]+\($' | tr -d '(' | sort | sed 's/.*/    &;/'
  echo '  local: *;'
  echo '};'
} >"$library/exports.map"
"$swift" build "${flags[@]}" --product BackdropC \
  -Xlinker -soname=libbackdrop.so.1 -Xlinker "--version-script=$root/$library/exports.map" -Xlinker -z -Xlinker nodelete \
  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker defs -Xlinker --gc-sections -Xlinker -z -Xlinker start-stop-gc \
  -Xlinker "-Map=$root/$build/libbackdrop.map"
cp "$build/release/libBackdropC.so" "$library/libbackdrop.so.1.debug"
"$strip" --strip-unneeded -R .swift_ast -o "$library/libbackdrop.so.1" "$library/libbackdrop.so.1.debug"
ln -sf libbackdrop.so.1 "$library/libbackdrop.so"
cp Sources/CBackdrop/include/backdrop.h "$library/include/"
ls -l "$library"
