#!/usr/bin/env bash
# Tests of the virtual camera with real programs, in a desktop session of their own; arguments choose parts by name.
set -euo pipefail
cd "$(dirname "$0")/.."

venv="${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-live"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import numpy, playwright' 2>/dev/null; then
  echo "== Python with NumPy and Playwright, into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.2.6 playwright==1.56.0
fi
echo "== the virtual camera, seen by GStreamer and Chromium"
exec dbus-run-session -- "$venv/bin/python" Tests/Live/test_live.py .build/release/backdrop "$@"
