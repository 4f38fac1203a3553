#!/usr/bin/env bash
# Builds the reference documentation of the libraries as a static site from the modules of a release build: scripts/docs.sh [FOLDER],
# .build/docs by default. It fetches nothing, and treats warnings as errors. To read it: python3 -m http.server --directory .build/docs
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-.build/docs}
swift=${SWIFT:-swift}
# The public modules, in the order in which they import each other.
modules=(BackdropImaging BackdropCodecs BackdropDepth BackdropClouds BackdropMatting BackdropLooks BackdropModels BackdropPhotos
  BackdropVideo BackdropSandbox BackdropCameras BackdropRecordings BackdropSimulation Backdrop BackdropLive BackdropServe BackdropStudio)
build=$("$swift" build -c release --show-bin-path)
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

maps=()
for map in Sources/C*/module.modulemap "$build"/*.build/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap; do
  if [ -f "$map" ]; then maps+=(-Xcc "-fmodule-map-file=$(realpath "$map")"); fi
done
for headers in Sources/C*/include; do maps+=(-I "$headers"); done

known=()
archives=()
for module in "${modules[@]}"; do
  mkdir -p "$work/symbols/$module"
  "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$build/Modules" "${maps[@]}" -target "$(uname -m)-unknown-linux-gnu" \
    -output-dir "$work/symbols/$module" -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols
  # Links can only refer to modules that are already built.
  "$tools/docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$work/symbols/$module" \
    --output-path "$work/$module.doccarchive" --fallback-display-name "$module" \
    --fallback-bundle-identifier "org.backdrop.$module" --fallback-default-module-kind Module --enable-experimental-external-link-support "${known[@]}" \
    --warnings-as-errors
  known+=(--dependency "$work/$module.doccarchive")
  archives=("$work/$module.doccarchive" "${archives[@]}")
done

rm -rf "$output"
"$tools/docc" merge "${archives[@]}" --output-path "$output" --synthesized-landing-page-name Backdrop \
  --synthesized-landing-page-kind Package
# The folder opens at the book, which links to the reference (scripts/book.sh).
cat >"$output/index.html" <<'END'
<!doctype html>
<meta charset="utf-8">
<title>Backdrop</title>
<meta http-equiv="refresh" content="0; url=book/index.html">
<a href="book/index.html">Backdrop</a>
END
echo "$output: $(find "$output/documentation" -name index.html | wc -l) pages"
