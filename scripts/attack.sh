#!/usr/bin/env bash
# Attacks the built program: scripts/attack.sh BINARY [NAME...] runs the scripts of Tests/Attack, all but the soak if none is
# named. Each says of its attacks the bound and what was measured; COUNT, if set, is how many times those try that count.
set -uo pipefail
cd "$(dirname "$0")/.."
binary=$1
shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for script in Tests/Attack/*.py; do
    name=$(basename "$script" .py)
    if [ "$name" != soak ]; then names+=("$name"); fi
  done
fi
broken=()
for name in "${names[@]}"; do
  echo "== $name"
  # shellcheck disable=SC2086 # none, or one word
  python3 "Tests/Attack/$name.py" "$binary" ${COUNT:-} || broken+=("$name")
done
if [ ${#broken[@]} -gt 0 ]; then
  echo "error: broken: ${broken[*]}"
  exit 1
fi
