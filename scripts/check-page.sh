#!/usr/bin/env bash
# Type-checks the page's JavaScript: names, arguments, elements by their ids, words, and the messages from and to the studio.
# `page-types/make.py` takes ids and words from index.html and messages from Swift; `page-types/page.ts` has the rest.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v tsc >/dev/null; then
  echo "check-page: skipped, tsc is not installed (apt install node-typescript)"
  exit 0
fi
version=$(tsc --version | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
if [ "$(printf '%s\n' 4.8 "$version" | sort -V | head -n 1)" != 4.8 ]; then
  echo "check-page: skipped, tsc is older than 4.8: $version"
  exit 0
fi

mkdir -p .build/page-types
python3 -I scripts/page-types/make.py >.build/page-types/made.ts

code=0
found=$(tsc --project scripts/page-types 2>&1) || code=$?
if [ "$code" != 0 ] && ! grep -q 'error TS' <<<"$found"; then
  printf '%s\n' "$found" >&2
  exit 2
fi
# `noImplicitAny` closes objects: without it, tsc accepts a property that an object lacks. Complaints about parameters and variables are
# left out because most of them need no type (TS7…, except dead code and missing keys).
errors=$(sed -nE "/error TS([^7]|702[789]|7053: .* of type '\")/{
  s/^([^(]*)\(([0-9]+),[0-9]+\): error (TS[0-9]+): (.*)/\1:\2: \4 (\3)/
  p
}" <<<"$found")
if [ -n "$errors" ]; then
  printf '%s\n' "$errors"
  exit 1
fi
echo "ok   the page's JavaScript"
