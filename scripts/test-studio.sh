#!/usr/bin/env bash
# Tests of the studio's page in a headless Chromium; arguments choose parts by name.
set -euo pipefail
cd "$(dirname "$0")/.."

venv="${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-studio"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import numpy, playwright, PIL' 2>/dev/null; then
  echo "== Python with NumPy, Pillow and Playwright, into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.2.6 pillow==11.3.0 playwright==1.56.0
fi
echo "== the studio, in Chromium"
exec "$venv/bin/python" Tests/Studio/test_studio.py .build/release/backdrop "$@"
