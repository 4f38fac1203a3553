#!/usr/bin/env bash
# Builds the documentation as a book with a search: scripts/book.sh [FOLDER], .build/docs/book by default. To read it:
# python3 -m http.server --directory .build/docs
# It fails on a broken link, or if a page fetches anything from another host.
set -euo pipefail
cd "$(dirname "$0")/.."
output=$(realpath -m "${1:-.build/docs/book}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -I scripts/book/stage.py "$work/pages"
cp scripts/book/mkdocs.yml "$work/mkdocs.yml"
PYTHON_PACKAGES=python-docs NO_MKDOCS_2_WARNING=true scripts/test-python.sh -I -m mkdocs build --quiet --strict --config-file "$work/mkdocs.yml"

outside=$(grep -rnoE "<(script|img|iframe|source|video)[^>]* src=\"?https?:[^\" >]*|<link[^>]* href=\"?https?:[^\" >]*" "$work/site" --include='*.html' || true)
if [ -n "$outside" ]; then
  printf 'error: a page fetches from another host: %s\n' "$outside" >&2
  exit 2
fi
rm -rf "$output"
mkdir -p "$(dirname "$output")"
mv "$work/site" "$output"
echo "$output: $(find "$output" -name '*.html' | wc -l) pages"
