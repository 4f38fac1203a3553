#!/usr/bin/env bash
# Makes each system call of the built program fail in turn, and runs the program in unusual folders: scripts/test-faults.sh BINARY [PART...]
# with the parts of Tests/Faults/test_faults.py. RUNS sets the number of runs for each kind of job. It needs a C compiler and ffmpeg.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$1
shift
for tool in cc ffmpeg; do
  command -v "$tool" >/dev/null || { echo "error: $tool is missing" >&2; exit 2; }
done
scripts/test-python.sh Tests/Faults/test_faults.py "$binary" --runs "${RUNS:-20}" "$@"
