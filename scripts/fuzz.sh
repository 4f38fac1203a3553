#!/usr/bin/env bash
# Fuzzes parsers with libFuzzer and the address sanitizer: scripts/fuzz.sh [TARGET...], by default all of them, for FUZZ_SECONDS (60)
# each. It keeps inputs that reach new code in the user's cache for the next run, and prints and keeps inputs that break a parser.
# After the fix, add such an input to Tests/FuzzTests/regression/TARGET.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
cache=${XDG_CACHE_HOME:-}
case "$cache" in /*) ;; *) cache=$HOME/.cache ;; esac
place=$cache/backdrop-fuzz
program=.build-fuzz/release/fuzz

if [ -z "${FUZZ_BUILT:-}" ]; then
  echo "== building the parsers with libFuzzer and the address sanitizer"
  # The sanitizer has its own checks instead of those of _FORTIFY_SOURCE. A cached build plan would not include new files of the package
  # that this one depends on.
  BACKDROP_FUZZ=1 BACKDROP_STRICT='' swift build -c release --package-path Fuzz --scratch-path .build-fuzz \
    --disable-build-manifest-caching --disable-dead-strip --sanitize fuzzer \
    --sanitize address -Xswiftc -enable-testing -Xswiftc -parse-as-library -Xcc -fsanitize=fuzzer-no-link,address \
    -Xcc -U_FORTIFY_SOURCE
fi

# Parsers that read files get them from memory.
temporary=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$temporary"' EXIT
mkdir -p "$place/seeds" "$place/corpus" "$place/broken"
# Ignores leaks of encoders.
ASAN_OPTIONS=detect_leaks=0 BACKDROP_FUZZ_SEEDS="$place/seeds" "$program" >/dev/null

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then mapfile -t targets < <(cut -d ' ' -f 1 "$place/seeds/targets"); fi

status=0
total=0
printf '%-16s %12s %9s %7s %9s %7s\n' target executions a-second edges features corpus
for target in "${targets[@]}"; do
  length=$(sed -n "s/^$target //p" "$place/seeds/targets")
  if [ -z "$length" ]; then
    echo "error: there is no target '$target'" >&2
    echo "hint: there are: $(cut -d ' ' -f 1 "$place/seeds/targets" | tr '\n' ' ')" >&2
    exit 2
  fi
  mkdir -p "$place/corpus/$target"
  log=$temporary/$target.log
  words=()
  if [ -s "$place/seeds/$target.words" ]; then words=(-dict="$place/seeds/$target.words"); fi
  if ! TMPDIR="$temporary/" BACKDROP_FUZZ_TARGET="$target" SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "$program" \
    -max_total_time="$seconds" -max_len="$length" -timeout=10 -rss_limit_mb=2048 "${words[@]}" \
    -artifact_prefix="$place/broken/$target-" -print_final_stats=1 -detect_leaks=0 \
    "$place/corpus/$target" "$place/seeds/$target" >"$log" 2>&1; then
    status=1
    echo "error: $target is broken"
    grep -a -E 'ERROR|Fatal error|SUMMARY|Test unit written|Precondition' "$log" | head -5 || true
    cp "$log" "$place/broken/$target.log"
  fi
  number() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }
  executed=$(number number_of_executed_units)
  last=$(grep -a -E '^#[0-9]+' "$log" | tail -n 1)
  word() { sed -n "s/.* $1: \([0-9]*\).*/\1/p" <<<"$last"; }
  printf '%-16s %12s %9s %7s %9s %7s\n' "$target" "${executed:-?}" "$(number average_exec_per_sec)" "$(word cov)" "$(word ft)" \
    "$(word corp)"
  total=$((total + ${executed:-0}))
done
echo "$total executions; what is broken, if anything, is in $place/broken"
exit $status
