#!/usr/bin/env bash
# Workload w5: puts the person of a video in front of a picture, alternating with FFmpeg's alphamerge and overlay, which get Backdrop's
# matte and the same encoder settings. Prints elapsed time, processor time and peak memory.
#
# Usage: video.sh [ROUNDS] [WIDTHxHEIGHT] [SECONDS]. The clip is BACKDROP_DATA/video/talking_head_720p.mp4, repeated.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds="${1:-3}"
size="${2:-1280x720}"
seconds="${3:-20}"
scale="${size/x/:}"
data="${BACKDROP_DATA:-../shared/data}"
backdrop=.build/release/backdrop
work=Benchmarks/inputs/w5-$size-$seconds
mkdir -p "$work"

quietly() { ffmpeg -v error -nostdin -y "$@"; }
if [ ! -f "$work/clip.mp4" ]; then
  echo "== making the clip" >&2
  quietly -stream_loop 4 -i "$data/video/talking_head_720p.mp4" -t "$seconds" -an -vf "scale=$scale:flags=bicubic" \
    -c:v libx264 -preset medium -crf 20 -pix_fmt yuv420p "$work/making.mp4"
  quietly -f lavfi -i "mandelbrot=size=$size" -frames:v 1 "$work/background.png"
  mv "$work/making.mp4" "$work/clip.mp4"
fi
echo "== making the matte" >&2
"$backdrop" matte "$work/clip.mp4" -o "$work/matte.mkv" --force --quiet
frames=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 \
  "$work/matte.mkv")

# All inputs get the same clock, because FFmpeg drops or doubles frames if rates differ.
clock="settb=1/30,setpts=N"
graph="[1:v]$clock,format=gray,scale=$scale:flags=bicubic,format=gray[matte];\
[0:v]$clock,format=yuva420p[frame];[frame][matte]alphamerge[person];\
[2:v]scale=$scale,format=yuv420p,loop=loop=$((frames - 1)):size=1,$clock[back];\
[back][person]overlay=format=yuv420[out]"
# The peer gets a matte of a network's size, which is faster to decode.
quietly -i "$work/matte.mkv" -vf scale=320:180:flags=area -c:v ffv1 "$work/small.mkv"

timed() {
  local name=$1
  shift
  /usr/bin/time -f "$name %e s, processor %U + %S s, memory %M KB" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  tail -n 1 "$work/log"
}
echo "$frames frames of $size, x264 veryfast, crf 23"
for _ in $(seq "$rounds"); do
  timed "ffmpeg  " ffmpeg -v error -nostdin -y -threads 2 -i "$work/clip.mp4" -i "$work/small.mkv" -framerate 30 \
    -i "$work/background.png" -filter_threads 2 -filter_complex_threads 2 -filter_complex "$graph" -map '[out]' \
    -frames:v "$frames" -c:v libx264 -preset veryfast -crf 23 -threads 2 -pix_fmt yuv420p "$work/ffmpeg.mp4"
  timed "backdrop" "$backdrop" replace "$work/clip.mp4" --background "$work/background.png" --crf 23 \
    -o "$work/backdrop.mp4" --force --quiet
done
