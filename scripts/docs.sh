#!/usr/bin/env bash
# Builds the reference documentation of the libraries as a static site from the modules of a release build: scripts/docs.sh [FOLDER],
# .build/docs by default. It fetches nothing, and treats warnings as errors. To read it: python3 -m http.server --directory .build/docs
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-.build/docs}
swift=${SWIFT:-swift}
# The modules with public declarations, in the order in which they import each other.
modules=(BackdropImaging BackdropCodecs BackdropDepth BackdropMatting BackdropLooks BackdropModels BackdropPhotos BackdropVideo
  BackdropCameras BackdropRecordings Backdrop)
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scripts/symbols.sh "$work/symbols" "${modules[@]}"
known=()
archives=()
for module in "${modules[@]}"; do
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
