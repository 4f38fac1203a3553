#!/usr/bin/env bash
# test-bindings.sh LIBRARY BACKDROP [PART…]: tests of what stands on backdrop.h, with a folder that holds libbackdrop.so and the command
# beside it. Each part is a function below and can be named; all of them run otherwise, each whatever became of the others.
set -euo pipefail
cd "$(dirname "$0")/.."
library=$(realpath "$1")
backdrop=$(realpath "$2")
shift 2
parts=(gstreamer)
plugins=$(mktemp -d)
trap 'rm -rf "$plugins"' EXIT
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# In GStreamer, with a registry of its own.
gstreamer() {
  scripts/setup.sh gstreamer
  scripts/plugins.sh "$library" "$plugins" gstreamer
  GST_PLUGIN_PATH=$plugins/gstreamer-1.0 GST_REGISTRY=$plugins/registry \
    scripts/test-python.sh Tests/Bindings/test_gstreamer.py "$backdrop"
}

failed=()
for part in "${@:-${parts[@]}}"; do
  if ! [[ " ${parts[*]} " == *" $part "* ]]; then
    echo "error: there is no part '$part'; there are ${parts[*]}" >&2
    exit 2
  fi
  echo "== $part"
  # Not in a condition, where errors would not end it.
  set +e
  (set -e; "$part")
  status=$?
  set -e
  if [ $status != 0 ]; then failed+=("$part"); fi
done
if [ ${#failed[@]} != 0 ]; then
  echo "FAILED: ${failed[*]}" >&2
  exit 1
fi
