#!/usr/bin/env bash
# Runs the built tests in the given folder. At the end it lists the skipped and the failed ones, and counts those that passed. If no
# test begins or ends for TEST_MINUTES, it ends them, and prints the names of those that hang and where they wait. Tests themselves wait
# without a limit, so that they pass on slow and busy machines.
#
# It runs the tests' program itself: "swift test" waits for every process that a test started, and loses the last lines.
set -uo pipefail
tests=$1/backdropPackageTests.xctest
shift
minutes=${TEST_MINUTES:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$folder/log
: >"$log"
# A separate session, to find processes that tests leave running.
# At most eight at once: all tests are queued at the start otherwise, and each step of an asynchronous one waits behind them.
setsid "$tests" --testing-library swift-testing --experimental-maximum-parallelization-width 8 --xunit-output "$folder/results.xml" "$@" >"$log" 2>&1 </dev/null &
process=$!
trap 'pkill -KILL --session $process; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
tail --follow --lines=+1 --sleep-interval=0.5 --pid=$process "$log" &
tail=$!

hung=0
size=0
for ((second = 0; second < minutes * 60; second++)); do
  kill -0 $process 2>/dev/null || break
  sleep 1
  now=$(stat --format=%s "$log")
  if [ "$now" != "$size" ]; then size=$now second=0; fi
done
if kill -0 $process 2>/dev/null; then
  hung=1
  {
    echo "== what runs $minutes minutes after the last progress"
    ps -o pid=,stat=,etime=,wchan:20=,args= --sid $process | cut -c1-300
    if command -v gdb >/dev/null; then
      echo "== where the tests wait"
      timeout -k 5 120 gdb --batch -p $process -ex 'thread apply all backtrace 30' 2>/dev/null | grep -E '^(Thread|#)' | cut -c1-220
    fi
  } >"$folder/hang"
  kill -KILL $process
fi
wait $process 2>/dev/null
status=$?
wait $tail
left=$(ps -o pid=,stat=,args= --sid $process | awk '$2 !~ /^Z/' | cut -c1-300)

skipped=$(grep -a -E '^. Test .* skipped' "$log" | sort -u)
if [ -n "$skipped" ]; then printf '%s\n' "== skipped" "$skipped"; fi
if [ $status -ne 0 ]; then
  printf '%s\n' "== failed"
  grep -a -A 3 -E 'recorded an issue|error:|Fatal error|Exited with' "$log" | cut -c1-600 | head -200
fi
if [ -n "$left" ]; then printf '%s\n' "== left running by tests" "$left"; fi
if [ $hung -ne 0 ]; then
  cat "$folder/hang"
  echo "== begun and not ended"
  # Each name appears once when the test begins and once when it ends.
  sed -n -E '/ Test (case|run) .*started\.$/d; s/^. Test (.*) started\.$/\1/p; s/.*. Test (.*) (passed|failed) after .*/\1/p' "$log" |
    sed -E 's/ with [0-9]+ test cases?$//' | sort | uniq -u
  echo "error: no test began or ended for $minutes minutes"
  exit 1
fi
count() { sed -n "s/.*<testsuite .* $1=\"\([0-9]*\)\".*/\1/p" "$folder/results.xml" 2>/dev/null | head -n 1; }
if [ -z "$(count tests)" ]; then
  echo "error: the tests did not come to their end (status $status)"
  exit $((status == 0 ? 1 : status))
fi
echo "$(($(count tests) - $(count failures))) passed, $(count failures) failed, $(count skipped) skipped"
exit $status
