#!/usr/bin/env bash
# Renders every picture of README.md and docs/ with the given command. The simulated camera draws the people, code draws the
# backgrounds, and Chromium shows the pages.
set -euo pipefail
backdrop=$(realpath "$1")
cd "$(dirname "$0")/.."
pictures=$PWD/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# still NAME COMMAND…: the 25th frame of a second of the command's output, as a picture.
still() {
  local name=$1
  shift
  "$backdrop" "$@" -o "$work/still.mkv" --codec ffv1 --force --quiet
  ffmpeg -v error -nostdin -y -i "$work/still.mkv" -vf 'select=eq(n\,24)' -frames:v 1 "$work/$name.png"
  rm "$work/still.mkv"
}

# page NAME COLUMNS WIDTH PICTURE…: pictures beside each other, each so wide.
page() {
  local name=$1 columns=$2 width=$3 inputs=() filter="" rows="" index
  shift 3
  for index in $(seq 0 $(($# - 1))); do
    filter+="[$index]scale=$width:-2:flags=lanczos[s$index];"
  done
  for index in $(seq 0 "$columns" $(($# - 1))); do
    filter+="$(printf '[s%d]' $(seq "$index" $((index + columns - 1))))hstack=$columns[r$index];"
    rows+="[r$index]"
  done
  filter+=$([ $# -gt "$columns" ] && echo "${rows}vstack=$(($# / columns))" || echo "${rows}null")
  for picture in "$@"; do inputs+=(-i "$work/$picture.png"); done
  ffmpeg -v error -nostdin -y "${inputs[@]}" -filter_complex "$filter" -q:v 3 "$pictures/$name.jpg"
  echo "docs/pictures/$name.jpg"
}

mkdir -p "$pictures"
"$backdrop" record 'sim:talking?seconds=1' -o "$work/recording" --quiet
cp "$work/recording/rgb/00024.png" "$work/before.png"
still after replace 'sim:talking?seconds=1' --background scene:northern
page before-after 2 640 before after

still bokeh apply bokeh 'sim:mug?seconds=1' --filter filtered
still color-highlight apply color-highlight 'sim:mug?seconds=1' --filter filtered
still noir apply noir 'sim:talking?seconds=1'
still stage apply stage 'sim:two-people?seconds=1'
still marching apply marching 'sim:talking?seconds=1'
still hologram replace 'sim:talking?seconds=1' --look hologram --background scene:dunes
still big-head apply big-head 'sim:talking?seconds=1'
still anaglyph apply anaglyph 'sim:mug?seconds=1' --filter filtered
page looks 4 360 bokeh color-highlight noir stage marching hologram big-head anaglyph

for scene in mug two-people; do
  still "$scene-depth" replace "sim:$scene?seconds=1" --matte depth --background scene:dunes
  still "$scene-both" replace "sim:$scene?seconds=1" --background scene:dunes
done
page edges 2 640 mug-depth mug-both two-people-depth two-people-both

scripts/test-python.sh Tests/Studio/pictures.py "$backdrop" "$pictures"
# A page that shows the camera named Backdrop.
dbus-run-session -- scripts/test-python.sh Tests/Live/test_live.py "$backdrop" chromium_sees_it
ffmpeg -v error -nostdin -y -i demo/call.png -q:v 3 "$pictures/call.jpg"
echo docs/pictures/call.jpg

# A notebook, in the library's Python package.
BACKDROP_LIBRARY=$(dirname "$backdrop")/libBackdropC.so PYTHON_PACKAGES=python-package \
  scripts/test-python.sh Tests/Bindings/notebook_picture.py "$pictures"
