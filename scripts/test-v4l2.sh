#!/usr/bin/env bash
# Tests with real video devices, in a virtual machine (see v4l2-guest.sh); arguments choose parts by name. Takes one to three
# minutes, and half a minute more the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

venv="${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-live"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import numpy, playwright' 2>/dev/null; then
  echo "== Python with NumPy and Playwright, into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.2.6 playwright==1.56.0
fi
# Installed outside, since the machine has no network.
.build/release/backdrop models install 2>/dev/null
echo "== cameras and virtual cameras of the kernel, in a virtual machine"
DATA_HOME="${XDG_DATA_HOME:-$HOME/.local/share}"
export DATA_HOME
PASSED="DATA_HOME" LIMIT="${LIMIT:-600}" scripts/v4l2-guest.sh \
  "$venv/bin/python" Tests/V4L2/test_v4l2.py .build/release/backdrop "$@"
