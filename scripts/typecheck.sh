#!/usr/bin/env bash
# typecheck.sh BUILD: type-checks the sources of the packages beside this one, whose own builds take minutes, against the modules of a
# build of the tests. (The tests cover Fuzz.)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
flags=(-typecheck -swift-version 6 -warnings-as-errors -I "$build/Modules")
for map in "$build"/C*.build/module.modulemap Sources/C*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for folder in Benchmarks/Sources/* Examples/Sources/*; do
  files=("$folder"/*.swift)
  # A lone file may begin with its statements, unless one of its types is the program.
  library=()
  if [ ${#files[@]} -eq 1 ] && grep -q '^@main' "${files[0]}"; then library=(-parse-as-library); fi
  swiftc "${flags[@]}" "${library[@]}" "${files[@]}"
  echo "ok   $folder"
done
