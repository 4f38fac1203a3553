#!/usr/bin/env bash
# plugins.sh LIBRARY OUTPUT [gstreamer|obs|frei0r|gimp]…: builds the plugins of GStreamer, OBS, frei0r's hosts and GIMP 2.10 against a folder
# with libbackdrop.so and include/backdrop.h, into OUTPUT/gstreamer-1.0, obs-plugins, frei0r-1 and gimp. By default it builds those whose
# headers are installed. It uses CC and CFLAGS.
set -euo pipefail
cd "$(dirname "$0")/.."
library=$1
output=$2
shift 2
version=$(sed -n 's/.*bd_build_version.*"\(.*\)".*/\1/p' Sources/CBuildInfo/build_info.c)
flags=(-std=gnu11 -O2 -g -fPIC -fvisibility=hidden -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror "-ffile-prefix-map=$PWD=."
  "-DVERSION=\"$version\"" '-DPACKAGE="backdrop"' "-I$library/include")
shared=(-shared)
link=(-Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,--as-needed "-L$library")

# compile NAME FILE PACKAGE…: the C files of a folder of Bindings as one module.
compile() {
  local folder=Bindings/$1 file=$output/$2
  shift 2
  mkdir -p "$(dirname "$file")"
  # As system headers, to ignore their warnings.
  # shellcheck disable=SC2046,SC2086
  ${CC:-cc} "${flags[@]}" $(pkg-config --cflags "$@" | sed 's/-I/-isystem /g') ${CFLAGS:-} "$folder"/*.c "${shared[@]}" "${link[@]}" -o "$file" \
    -lbackdrop $(pkg-config --libs "$@") -lm -lpthread
}

gstreamer=(gstreamer-video-1.0 gstreamer-base-1.0 gstreamer-1.0 json-glib-1.0)
parts=("$@")
if [ $# = 0 ]; then
  if pkg-config --exists "${gstreamer[@]}"; then parts+=(gstreamer); else echo "== without GStreamer's plugin: its headers are not here"; fi
  if pkg-config --exists libobs; then parts+=(obs); else echo "== without OBS's plugin: its headers are not here"; fi
  if pkg-config --exists frei0r; then parts+=(frei0r); else echo "== without the plugin for editors: frei0r's header is not here"; fi
  if pkg-config --exists gimpui-2.0; then parts+=(gimp); else echo "== without GIMP's plugin: the headers of GIMP 2 are not here"; fi
fi
for part in ${parts+"${parts[@]}"}; do
  case "$part" in
    gstreamer) compile gstreamer gstreamer-1.0/libgstbackdrop.so "${gstreamer[@]}" ;;
    obs)
      # OBS 32 names the folder above that of its headers.
      CFLAGS="${CFLAGS:-} -isystem $(pkg-config --variable=includedir libobs)/obs" compile obs obs-plugins/backdrop-obs.so libobs
      mkdir -p "$output/obs-data"
      cp -r Bindings/obs/data/. "$output/obs-data/" ;;
    # A program of its own.
    gimp) shared=(); compile gimp gimp/backdrop gimpui-2.0; shared=(-shared) ;;
    frei0r)
      mkdir -p "$output/frei0r-data"
      # A program describes the parameters, because Python cannot load a library for another processor.
      ${CC:-cc} "${flags[@]}" Bindings/frei0r/describe/describe.c "${link[@]}" -o "$output/frei0r-data/describe" -lbackdrop
      LD_LIBRARY_PATH=$library "$output/frei0r-data/describe" | python3 -I Bindings/frei0r/generate.py "$output/frei0r-data"
      CFLAGS="${CFLAGS:-} -I$output/frei0r-data" compile frei0r frei0r-1/backdrop.so frei0r ;;
    *) echo "error: no plugin is called '$part'" >&2; exit 2 ;;
  esac
done
