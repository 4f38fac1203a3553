#!/usr/bin/env bash
# Tests of the virtual camera with real programs, in a desktop session of their own; arguments choose parts by name.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/test-python.sh
python=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-python/bin/python3
if [ ! -x "$python" ]; then
  echo "error: there is no Python for the tests" >&2
  echo "hint: scripts/test-python.sh says why" >&2
  exit 2
fi
echo "== the virtual camera, seen by GStreamer, Chromium and Firefox"
exec dbus-run-session -- "$python" Tests/Live/test_live.py .build/release/backdrop "$@"
