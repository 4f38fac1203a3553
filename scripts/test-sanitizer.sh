#!/usr/bin/env bash
# Builds all tests with a sanitizer and runs those of the libraries: scripts/test-sanitizer.sh address|thread [MODULE...], such as
# BackdropVideo.
#
# Tests of allocations need their own malloc and are skipped. The sandbox forbids the memory that a sanitizer takes, and OpenVINO loads a
# library in a way that sanitizers refuse (RTLD_DEEPBIND), so tests of the built programs and of networks are not among them. `make fuzz`
# reads fuzzed files with the address sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizer=$1
shift
place=.build-$sanitizer
modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
  modules=(BackdropImaging BackdropCodecs BackdropDepth BackdropClouds BackdropMatting BackdropLooks BackdropPhotos BackdropVideo
    BackdropRecordings BackdropSimulation BackdropHTTP)
  # These modules share the most data between threads.
  if [ "$sanitizer" = thread ]; then modules+=(BackdropLive BackdropCameras BackdropServe); fi
fi
# Encoders leak, and so do libraries that stay open.
export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1
export TSAN_OPTIONS=suppressions=$PWD/Tests/Sanitizers/suppressions.txt:history_size=4:exitcode=66
preload=
if [ "$sanitizer" = thread ]; then
  mkdir -p "$place"
  preload=$PWD/$place/threads.so
  "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang" -shared -fPIC -O1 -o "$preload" Tests/Sanitizers/threads.c
fi
# With an empty data folder, the tests that load the network runtime are skipped, and the log names them.
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
run() { LD_PRELOAD=$preload XDG_DATA_HOME=$data TEST_MINUTES=${TEST_MINUTES:-60} scripts/run-tests.sh "$place/release" --filter "$1"; }
build() {
  echo "== building the tests with the $sanitizer sanitizer"
  # The sanitizer has its own checks instead of those of _FORTIFY_SOURCE, and its runtime does not survive the removal of dead code.
  BACKDROP_STRICT='' swift build -c release -Xswiftc -enable-testing --scratch-path "$place" --sanitize "$sanitizer" \
    --disable-dead-strip -Xcc -U_FORTIFY_SOURCE "$@"
}
if [ $# -eq 0 ]; then
  build --build-tests
  run "$(printf '%sTests|' "${modules[@]}" | sed 's/|$//')"
  exit
fi
# Only the named modules, and those that they import.
status=0
for module in "${modules[@]}"; do
  BACKDROP_TESTED_MODULE=$module build --product backdropPackageTests
  run "${module}Tests" || status=$?
done
exit $status
