#!/usr/bin/env bash
# Runs workload w1 alternately with OpenCV, FFmpeg and the hand-written limit, and prints the ratios. With the argument w3 it compares the
# looks of photos with OpenCV and libvips (if apt's libvips42 is installed), with w4 depth with librealsense.
#
# gen_inputs.py in the folder of peer scripts creates the inputs once; the folder is BACKDROP_PEERS, or shared/peers next to the checkout.
# All downloads and results go into Benchmarks/inputs and .setup, which git ignores.
set -euo pipefail
cd "$(dirname "$0")/.."
peers="${BACKDROP_PEERS:-../shared/peers}"
inputs=Benchmarks/inputs
venv=.setup/bench-venv

if [ ! -x "$venv/bin/python" ]; then
  echo "== making $venv with numpy and OpenCV (pip)" >&2
  python3 -I -m venv "$venv"
  "$venv/bin/python" -I -m pip -q install "numpy==2.2.6" "opencv-contrib-python-headless==4.11.0.86"
fi
if [ ! -f "$inputs/inputs.json" ]; then
  if [ ! -f "$peers/gen_inputs.py" ]; then
    echo "error: no inputs, and no $peers/gen_inputs.py to make them" >&2
    echo "hint: set BACKDROP_PEERS to the folder of peer scripts" >&2
    exit 2
  fi
  echo "== making the inputs" >&2
  "$venv/bin/python" "$peers/gen_inputs.py" "$inputs" >&2
fi
if [ "${1:-}" = w3 ]; then
  shift
  "$venv/bin/python" -I -c "import pyvips" 2>/dev/null || "$venv/bin/python" -I -m pip -q install pyvips
  exec "$venv/bin/python" Benchmarks/compare_w3.py "$inputs" "$@"
fi
if [ "${1:-}" = w4 ]; then
  shift
  "$venv/bin/python" -I -c "import pyrealsense2" 2>/dev/null || "$venv/bin/python" -I -m pip -q install "pyrealsense2==2.59.1.11053"
  exec "$venv/bin/python" Benchmarks/compare_w4.py "$inputs" "$@"
fi
if [ "${1:-}" = inputs ]; then exit; fi
limits=""
if [ -f "$peers/limits.c" ]; then
  limits=.setup/limits
  clang -O3 -march=native "$peers/limits.c" -o "$limits" -lm -lpthread
fi
exec "$venv/bin/python" Benchmarks/compare.py "$inputs" "$limits" "$@"
