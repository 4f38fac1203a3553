#!/usr/bin/env bash
# Tests with real video devices, in a virtual machine (see v4l2-guest.sh); arguments choose parts by name. Takes two to
# four minutes on two cores, plus half a minute the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/test-python.sh
python=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/test-python/bin/python3
DATA_HOME="${XDG_DATA_HOME:-$HOME/.local/share}"
export DATA_HOME
PASSED="DATA_HOME" LIMIT="${LIMIT:-600}" scripts/v4l2-guest.sh \
  "$python" Tests/V4L2/test_v4l2.py .build/release/backdrop "$@"
