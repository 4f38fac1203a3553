#!/usr/bin/env bash
# link-plugins.sh DESTDIR PREFIX: after an installation under PREFIX, links the plugins into the folders of GStreamer, OBS, frei0r's
# hosts, Shotcut, darktable and GIMP, if those are elsewhere, so that these programs find them.
set -euo pipefail
destination=$1
prefix=$2

# link FILE PLACE
link() {
  if [ ! -e "$destination$prefix/$1" ] || [ "$prefix/$1" = "$2" ]; then return 0; fi
  mkdir -p "$destination$(dirname "$2")"
  ln -sfn "$prefix/$1" "$destination$2"
  echo "linked $2"
}

if folder=$(pkg-config --variable=pluginsdir gstreamer-1.0 2>/dev/null); then
  link lib/gstreamer-1.0/libgstbackdrop.so "$folder/libgstbackdrop.so"
fi
if folder=$(pkg-config --variable=libdir libobs 2>/dev/null); then
  link lib/obs-plugins/backdrop-obs.so "$folder/obs-plugins/backdrop-obs.so"
  link share/obs/obs-plugins/backdrop-obs "$(pkg-config --variable=prefix libobs)/share/obs/obs-plugins/backdrop-obs"
fi
if pkg-config --exists frei0r; then
  link lib/frei0r-1/backdrop.so "$(pkg-config --variable=libdir frei0r)/frei0r-1/backdrop.so"
fi
if [ -d /usr/share/shotcut/qml/filters ]; then
  link share/shotcut/qml/filters/backdrop /usr/share/shotcut/qml/filters/backdrop
fi
if [ -d /usr/share/darktable/lua ]; then
  link share/darktable/lua/backdrop.lua /usr/share/darktable/lua/backdrop.lua
fi
for version in 2.0 3.0; do
  if folder=$(pkg-config --variable=gimplibdir gimp-$version 2>/dev/null); then
    link lib/gimp/$version/plug-ins/backdrop "$folder/plug-ins/backdrop"
  fi
done
