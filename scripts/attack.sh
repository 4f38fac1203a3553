#!/usr/bin/env bash
# Attacks the built program: scripts/attack.sh BINARY [NAME...] runs the named scripts of Tests/Attack, by default all but the soaks and
# the cluster, which needs Ray. Each prints the bound and the measured value of its attacks. COUNT sets the number of tries of those that
# count them.
set -uo pipefail
cd "$(dirname "$0")/.."
binary=$1
shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for script in Tests/Attack/*.py; do
    name=$(basename "$script" .py)
    case "$name" in *soak | cluster) ;; *) names+=("$name") ;; esac
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
