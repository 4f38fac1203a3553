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

# page NAME COLUMNS WIDTH PICTURE…: pictures beside each other, each with the given width, in 60 kB if the quality allows it.
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
  for quality in 3 4 5 6 7 8 10; do
    ffmpeg -v error -nostdin -y "${inputs[@]}" -filter_complex "$filter" -q:v "$quality" "$pictures/$name.jpg"
    [ "$(stat -c %s "$pictures/$name.jpg")" -gt 61440 ] || break
  done
  echo "docs/pictures/$name.jpg"
}

# frame VIDEO NUMBER NAME: one frame of a video, as a picture.
frame() { ffmpeg -v error -nostdin -y -i "$1" -vf "select=eq(n\,$2)" -frames:v 1 "$work/$3.png"; }

# checkered NAME: the transparent picture NAME over a checkerboard, as NAME-checkered.
checkered() {
  local squares="geq=lum='if(mod(floor(X/40)+floor(Y/40),2),205,240)':cb=128:cr=128"
  ffmpeg -v error -nostdin -y -f lavfi -i "color=white:size=1280x720,$squares" -i "$work/$1.png" -filter_complex overlay \
    -frames:v 1 "$work/$1-checkered.png"
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

"$backdrop" record 'sim:mug?seconds=1' -o "$work/mug.mkv" --quiet
ffmpeg -v error -nostdin -y -i "$work/mug.mkv" -map 0:v:0 -vf 'select=eq(n\,24)' -frames:v 1 "$work/mug.png"
"$backdrop" depth colorize "$work/mug.mkv" -o "$work/colorized.mkv" --force --quiet
ffmpeg -v error -nostdin -y -i "$work/colorized.mkv" -vf 'select=eq(n\,24)' -frames:v 1 "$work/colorized.png"
"$backdrop" pointcloud "$work/mug.mkv" --render "$work/cloud.png" --view=-20,-5,0,0.8 --force --quiet
page depth 3 480 mug colorized cloud
"$backdrop" depth colorize "$work/recording" -o "$work/coloured-recording.mkv" --force --quiet
frame "$work/coloured-recording.mkv" 23 depth-of-recording
page recording 2 450 before depth-of-recording

for scene in mug two-people; do
  still "$scene-depth" replace "sim:$scene?seconds=1" --matte depth --background scene:dunes
  still "$scene-both" replace "sim:$scene?seconds=1" --background scene:dunes
done
page edges 2 560 mug-depth mug-both two-people-depth two-people-both

# Backgrounds, the standby frame and light.
still dunes replace 'sim:talking?seconds=1' --background scene:dunes
still blurred replace 'sim:talking?seconds=1' --background blur:25
still coloured replace 'sim:talking?seconds=1' --background steelblue
still cutout replace 'sim:talking?seconds=1' --background none
checkered cutout
page backgrounds 2 450 dunes blurred coloured cutout-checkered
still loft replace 'sim:talking?seconds=1' --background scene:loft
still standby replace 'sim:talking?seconds=1' --matte depth --cutoff 0.3 --background scene:loft
page standby 2 450 loft standby
ffmpeg -v error -nostdin -y -i "$work/before.png" -vf colorchannelmixer=rr=0.5:gg=0.45:bb=0.36 "$work/dim.png"
"$backdrop" replace "$work/dim.png" --background scene:loft -o "$work/unlit.png" --quiet
"$backdrop" replace "$work/dim.png" --background scene:loft --auto-exposure 1 --white-balance 1 --key-light 1 \
  -o "$work/lit.png" --quiet
page light 2 450 unlit lit

# A photo with depth and a matte: composition, and depth from a stereo pair.
"$backdrop" matte 'sim:talking?seconds=1' -o "$work/mattes/%05d.png" --quiet
"$backdrop" photo embed "$work/before.png" --depth "$work/recording/depth/00024.png" --depth-scale 5000 \
  --portrait-matte "$work/mattes/00024.png" -o "$work/photo.heic"
"$backdrop" replace "$work/photo.heic" --background scene:northern --aspect 4:5 -o "$work/cropped.png" --quiet
"$backdrop" replace "$work/photo.heic" --background scene:northern --aspect 4:5 --match-light 1 -o "$work/matched.png" --quiet
"$backdrop" replace "$work/photo.heic" --background scene:northern --aspect 4:5 --match-light 1 --place-scale 0.7 \
  --shadow 0.8 -o "$work/placed.png" --quiet
page composition 3 300 cropped matched placed
"$backdrop" apply bokeh "$work/photo.heic" --at subject -o "$work/soft.png" --quiet
"$backdrop" apply side-by-side "$work/photo.heic" -o "$work/both.png" --quiet
"$backdrop" photo extract "$work/both.png" --side-by-side left-right --save-depth "$work/stereo.tiff"
"$backdrop" depth colorize "$work/stereo.tiff" -o "$work/stereo.png" --quiet

# A touch-up brings the mug back.
echo '{"version": 1, "strokes": [{"does": "keep", "size": 0.028, "softness": 0.1, "edges": false,
  "points": [0.66, 0.47, 0.78, 0.47, 0.78, 0.54, 0.66, 0.54, 0.66, 0.61, 0.79, 0.61, 0.79, 0.67, 0.66, 0.67, 0.66, 0.73, 0.77, 0.73]}]}' >"$work/strokes.json"
"$backdrop" matte "$work/mug.png" -o "$work/mug-matte.png" --quiet
"$backdrop" matte "$work/mug.png" --touch-up "$work/strokes.json" -o "$work/mug-touched.png" --quiet
page touch-up 3 300 mug mug-matte mug-touched

# People, a green screen, a blur that grows.
still two-people apply refocus 'sim:two-people?seconds=1' --radius 0
still left replace 'sim:two-people?seconds=1' --keep 30%,40% --background scene:dunes
still right replace 'sim:two-people?seconds=1' --drop 30%,40% --background scene:dunes
page people 3 300 two-people left right
"$backdrop" replace 'sim:talking?seconds=1' --background '#00B140' -o "$work/green.mp4" --quiet
frame "$work/green.mp4" 24 green
still keyed replace "$work/green.mp4" --matte chroma --background scene:dunes
page chroma 2 450 green keyed
"$backdrop" replace 'sim:talking?seconds=1' --background blur:1@0,blur:40@0.9 -o "$work/growing.mkv" --quiet
for number in 0 13 27; do frame "$work/growing.mkv" "$number" "growing$number"; done
page growing-blur 3 300 growing0 growing13 growing27

page recipes 2 450 cutout-checkered soft cloud keyed
cp "$work/mattes/00024.png" "$work/matte.png"
page answers 3 300 dunes matte noir

scripts/test-python.sh Tests/Studio/pictures.py "$backdrop" "$pictures"
# A page that shows the camera named Backdrop.
dbus-run-session -- scripts/test-python.sh Tests/Live/test_live.py "$backdrop" chromium_sees_it
ffmpeg -v error -nostdin -y -i demo/call.png -q:v 3 "$pictures/call.jpg"
echo docs/pictures/call.jpg

# A notebook, in the library's Python package.
BACKDROP_LIBRARY=$(dirname "$backdrop")/libBackdropC.so PYTHON_PACKAGES=python-package \
  scripts/test-python.sh Tests/Bindings/notebook_picture.py "$pictures"
