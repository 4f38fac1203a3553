#!/usr/bin/env bash
# stage.sh BUILD FOLDER: lays out the program of a build (.build, .build-release) and its files as they are installed under a prefix: bin,
# share. Files that name the prefix contain @PREFIX@ instead.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
folder=$2
swift=${SWIFT:-swift}
program=$PWD/$build/release/backdrop-server
date=${BACKDROP_DATE:-$(date -u +%F)}

packages=$build/checkouts
if [ -d vendor ]; then packages=vendor; fi

echo "== the manual's pages, by argument-parser's own generator"
"$swift" build --package-path "$packages/swift-argument-parser" --scratch-path "$build/manual" --product generate-manual
generator=$("$swift" build --package-path "$packages/swift-argument-parser" --scratch-path "$build/manual" --show-bin-path)

rm -rf "$folder"
put() { install -D -m "$1" "$2" "$folder/$3"; }
put 755 "$program" bin/backdrop
python3 -I scripts/manual.py "$program" "$generator/generate-manual" "$date" "$folder/share/man/man1"
while read -r shell file; do
  mkdir -p "$folder/share/$(dirname "$file")"
  "$program" --generate-completion-script "$shell" >"$folder/share/$file"
done <<'END'
bash bash-completion/completions/backdrop
zsh zsh/site-functions/_backdrop
fish fish/vendor_completions.d/backdrop.fish
END
# A folder that systemd searches under /usr, /usr/local and ~/.local alike.
put 644 packaging/backdrop.service share/systemd/user/backdrop.service
# The service, for the machine: a folder that systemd searches under /usr and /usr/local.
put 644 packaging/backdrop-serve.service lib/systemd/system/backdrop-serve.service
put 644 packaging/backdrop-serve.socket lib/systemd/system/backdrop-serve.socket
put 644 packaging/backdrop.desktop share/applications/backdrop.desktop
put 644 packaging/backdrop.svg share/icons/hicolor/scalable/apps/backdrop.svg
put 644 packaging/backdrop.metainfo.xml share/metainfo/org.example.backdrop.metainfo.xml
version=$("$program" --version)
sed -i "s/@VERSION@/${version%% *}/; s/@DATE@/$date/" "$folder/share/metainfo/org.example.backdrop.metainfo.xml"
# The library, if it was built.
if [ -f "$build/library/libbackdrop.so.1" ]; then
  put 644 "$build/library/libbackdrop.so.1" lib/libbackdrop.so.1
  ln -s libbackdrop.so.1 "$folder/lib/libbackdrop.so"
  put 644 Sources/CBackdrop/include/backdrop.h include/backdrop.h
  put 644 packaging/backdrop.pc lib/pkgconfig/backdrop.pc
  sed -i "s/@VERSION@/${version%% *}/; s/@LIBDIR@/lib/" "$folder/lib/pkgconfig/backdrop.pc"
fi
# Plugins, if they were built.
if [ -f "$build/plugins/gstreamer-1.0/libgstbackdrop.so" ]; then
  put 644 "$build/plugins/gstreamer-1.0/libgstbackdrop.so" lib/gstreamer-1.0/libgstbackdrop.so
fi
if [ -f "$build/plugins/obs-plugins/backdrop-obs.so" ]; then
  put 644 "$build/plugins/obs-plugins/backdrop-obs.so" lib/obs-plugins/backdrop-obs.so
  put 644 Bindings/obs/data/locale/en-US.ini share/obs/obs-plugins/backdrop-obs/locale/en-US.ini
fi
if [ -f "$build/plugins/frei0r-1/backdrop.so" ]; then
  put 644 "$build/plugins/frei0r-1/backdrop.so" lib/frei0r-1/backdrop.so
  put 644 "$build/plugins/frei0r-data/frei0r_backdrop.xml" share/kdenlive/effects/frei0r_backdrop.xml
  for file in Bindings/frei0r/shotcut/*.qml "$build/plugins/frei0r-data/parameters.js"; do
    put 644 "$file" "share/shotcut/qml/filters/backdrop/${file##*/}"
  done
fi
if [ -f "$build/plugins/gimp/backdrop" ]; then
  put 755 "$build/plugins/gimp/backdrop" lib/gimp/2.0/plug-ins/backdrop/backdrop
fi
scripts/desktop-plugins.sh "$folder"
put 644 LICENSE share/doc/backdrop/LICENSE
put 644 NOTICE share/doc/backdrop/NOTICE
# A shell reads it; it is never run.
sed -i '1{/^#!/d}' "$folder/share/bash-completion/completions/backdrop"
# File modes must not depend on the user who builds.
chmod -R u=rwX,go=rX "$folder"
