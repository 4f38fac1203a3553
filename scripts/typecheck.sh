#!/usr/bin/env bash
# typecheck.sh BUILD: type-checks the other packages of this repository, whose own builds take minutes, against the modules of a test build.
# (The tests cover Fuzz.)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
flags=(-typecheck -swift-version 6 -warnings-as-errors -I "$build/Modules")
for map in "$build"/C*.build/module.modulemap Sources/C*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for folder in Examples/Sources/*; do
  files=("$folder"/*.swift)
  # A single file may begin with statements, unless one of its types is the program.
  library=()
  if [ ${#files[@]} -eq 1 ] && grep -q '^@main' "${files[0]}"; then library=(-parse-as-library); fi
  swiftc "${flags[@]}" "${library[@]}" "${files[@]}"
  echo "ok   $folder"
done
