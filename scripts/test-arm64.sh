#!/usr/bin/env bash
# Tests the processor-specific code for arm64 in QEMU: compares the pixel loops in C with this processor's baseline, and calls the stubs of
# FFmpeg's functions. It cross-compiles with clang, without Swift.
set -euo pipefail
cd "$(dirname "$0")/.."
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
root=/usr/aarch64-linux-gnu
kernels=Sources/CBackdropKernels
read -r library < <(sed -n 's/^#define LIBAVUTIL_VERSION_MAJOR *\([0-9]*\).*/libavutil.so.\1/p' "$(find /usr/include -path '*libavutil/version.h' | head -1)")
flags=(-O2 -Wall -Wextra -Werror -D_GNU_SOURCE "-I$kernels/include")
cross=(clang --target=aarch64-linux-gnu -isystem "$root/include" -idirafter "/usr/include/$(uname -m)-linux-gnu")
link() { aarch64-linux-gnu-gcc "$@"; }
emulated=(qemu-aarch64 -L "$root")

echo "== the pixel loops"
for part in level_baseline dispatch workers memory; do
  "${cross[@]}" "${flags[@]}" -c "$kernels/$part.c" -o "$made/arm-$part.o" &
done
clang "${flags[@]}" -c "$kernels/level_baseline.c" -o "$made/level_baseline.o" &
for part in kernels kernels_pictures kernels_mattes kernels_depth kernels_lenses; do
  "${cross[@]}" "${flags[@]}" -c "Tests/Arm64/$part.c" -o "$made/arm-$part.o"
  clang "${flags[@]}" -c "Tests/Arm64/$part.c" -o "$made/$part.o"
done
for job in $(jobs -p); do wait "$job"; done
clang "$made"/kernels*.o "$made/level_baseline.o" -o "$made/kernels" -lm
link "$made"/arm-{kernels*,level_baseline,dispatch,workers,memory}.o -o "$made/arm-kernels" -lm -lpthread
"$made/kernels" record "$made/cases"
"${emulated[@]}" "$made/arm-kernels" compare "$made/cases"

echo "== the stubs of FFmpeg"
for part in Sources/CFFmpegLoader/ffmpeg_loader.c Tests/Arm64/ffmpeg_loader.c; do
  "${cross[@]}" -O2 -D_GNU_SOURCE -ISources/CFFmpegLoader/include -fPIE -c "$part" -o "$made/$(basename "$(dirname "$part")").o"
done
"${cross[@]}" -O2 -fPIC -c Tests/Arm64/stand_in.c -o "$made/stand_in.o"
link -pie "$made/CFFmpegLoader.o" "$made/Arm64.o" -o "$made/ffmpeg_loader" -ldl -lpthread
mkdir "$made/libraries"
link -shared "$made/stand_in.o" -o "$made/libraries/$library"
"${emulated[@]}" -E "LD_LIBRARY_PATH=$made/libraries" "$made/ffmpeg_loader" found
"${emulated[@]}" "$made/ffmpeg_loader" missing
echo "== all of it is right"
