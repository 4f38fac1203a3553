#!/usr/bin/env bash
# Tests of the studio's page in a headless Chromium; arguments choose parts by name.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/test-python.sh
python=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-python/bin/python3
if [ ! -x "$python" ]; then
  echo "error: there is no Python for the tests" >&2
  echo "hint: scripts/test-python.sh says why" >&2
  exit 2
fi
echo "== the studio, in Chromium"
exec "$python" Tests/Studio/test_studio.py .build/release/backdrop "$@"
