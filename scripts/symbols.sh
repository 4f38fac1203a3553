#!/usr/bin/env bash
# Writes the symbol graphs of the public declarations of a release build: scripts/symbols.sh FOLDER [MODULE…], of all modules by default.
set -euo pipefail
cd "$(dirname "$0")/.."
output=$1
shift
swift=${SWIFT:-swift}
# Where a build of SwiftPM's has the modules: .build/release, or the folder that holds the running tests.
build=${BACKDROP_BUILD:-$("$swift" build -c release --show-bin-path)}
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
  for folder in Sources/Backdrop*; do
    module=${folder#Sources/}
    # Programs have no declarations for others.
    case $module in BackdropCommand | BackdropProgram | BackdropServer) ;; *) modules+=("$module") ;; esac
  done
fi

maps=()
for map in Sources/C*/module.modulemap "$build"/*.build/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap; do
  if [ -f "$map" ]; then maps+=(-Xcc "-fmodule-map-file=$(realpath "$map")"); fi
done
for headers in Sources/C*/include; do maps+=(-I "$headers"); done

target=$("$tools/swift" -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)
for module in "${modules[@]}"; do
  mkdir -p "$output/$module"
  "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$build/Modules" "${maps[@]}" -target "$target" \
    -output-dir "$output/$module" -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols
done
