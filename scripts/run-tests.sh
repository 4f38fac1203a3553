#!/usr/bin/env bash
# Runs the tests by the command given, and says at the end what was skipped and what failed, since the names are far up, and how many
# passed. That is taken from the results' file, which is there only if the tests came to their end: of what they print, SwiftPM can
# lose the last lines.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$folder/log
"$@" --xunit-output "$folder/results.xml" 2>&1 | tee "$log"
status=$?
skipped=$(grep -a -E '^. Test .* skipped' "$log" | sort -u)
if [ -n "$skipped" ]; then printf '%s\n' "== skipped" "$skipped"; fi
if [ $status -ne 0 ]; then
  printf '%s\n' "== failed"
  grep -a -A 3 -E 'recorded an issue|error:|Fatal error|Exited with' "$log" | cut -c1-600 | head -200
fi
count() { sed -n "s/.*<testsuite .* $1=\"\([0-9]*\)\".*/\1/p" "$folder/results.xml" 2>/dev/null | head -n 1; }
if [ -z "$(count tests)" ]; then
  echo "error: the tests did not come to their end"
  exit $((status == 0 ? 1 : status))
fi
echo "$(($(count tests) - $(count failures))) passed, $(count failures) failed, $(count skipped) skipped"
exit $status
