#!/usr/bin/env bash
# Mattes of the pictures of matting/p3m and matting/humanseg beside the truth: MAD (× 1e-3), Grad (× 1e3) and IoU, for each
# picture and on average, for both efforts, or for those that EFFORTS names. Usage: quality.sh PROGRAM [flags for `backdrop matte`]
# Networks that are the user's choice are left out by an XDG_DATA_HOME without them.
set -euo pipefail
program=$1; shift
data=${BACKDROP_DATA:-$(cd "$(dirname "$0")/.." && pwd)/../shared/data}
if [ ! -d "$data/matting/p3m" ]; then
  echo "error: there are no pictures in $data/matting" >&2
  echo "hint: name the folder of the development data by BACKDROP_DATA" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for effort in ${EFFORTS:-live best}; do
  for set in p3m humanseg; do
    : > "$work/sum"
    for picture in "$data/matting/$set"/*.jpg; do
      name=$(basename "$picture" .jpg)
      truth=$data/matting/$set/${name}_$([ "$set" = p3m ] && echo alpha || echo mask).png
      "$program" matte "$picture" --quality "$effort" --trust-network -o "$work/matte.png" --force --quiet "$@"
      # Some masks are smaller than their photo.
      ffmpeg -y -v error -i "$truth" -i "$work/matte.png" -filter_complex \
        "[0][1]scale2ref=flags=bilinear[t][m];[m]nullsink;[t]format=gray" -frames:v 1 "$work/truth.png"
      "$program" evaluate "$work/matte.png" "$work/truth.png" > "$work/result"
      awk -v n="$set/$name" '/^MAD/{m=$2}/^Grad/{g=$2}/^IoU/{i=$2}END{printf "%s %s %s %s\n",n,m,g,i}' "$work/result" \
        | tee -a "$work/sum" | awk -v e="$effort" '{printf "%-4s %-24s MAD %8.2f  Grad %8.2f  IoU %.4f\n",e,$1,$2,$3,$4}'
    done
    awk -v e="$effort" -v s="$set" '{m+=$2;g+=$3;i+=$4}END{printf "%-4s %-24s MAD %8.2f  Grad %8.2f  IoU %.4f\n",e,s " in all",m/NR,g/NR,i/NR}' "$work/sum"
  done
done
