#!/usr/bin/env bash
# Runs the tests by the command given, and says at the end what was skipped and what failed: the names are far up else.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=$?
skipped=$(grep -a -E '^. Test .* skipped' "$log" | sort -u)
if [ -n "$skipped" ]; then printf '%s\n' "== skipped" "$skipped"; fi
if [ $status -ne 0 ]; then
  printf '%s\n' "== failed"
  grep -a -A 3 -E 'recorded an issue|error:|Fatal error|Exited with' "$log" | cut -c1-600 | head -200
fi
exit $status
