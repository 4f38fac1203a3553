#!/usr/bin/env bash
# desktop-plugins.sh FOLDER: lays out what needs no build below a folder: the actions of Dolphin, Nautilus, Nemo and Thunar (its menu
# "Send To"), and the plugins of GIMP 3, Krita and darktable. Files that name the prefix contain @PREFIX@ instead.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1

put() { install -D -m "$1" "$2" "$folder/$3"; }
put 755 packaging/files/file-action lib/backdrop/file-action
put 644 packaging/files/dolphin.desktop share/kio/servicemenus/backdrop.desktop
put 644 packaging/files/nautilus.py share/nautilus-python/extensions/backdrop.py
put 755 Bindings/gimp/backdrop.py lib/gimp/3.0/plug-ins/backdrop/backdrop.py
put 644 Bindings/krita/backdrop_krita.desktop share/krita/pykrita/backdrop_krita.desktop
put 644 Bindings/krita/backdrop_krita.py share/krita/pykrita/backdrop_krita.py
put 644 Bindings/darktable/backdrop.lua share/darktable/lua/backdrop.lua
while IFS=: read -r action label; do
  for kind in nemo.nemo_action thunar.desktop; do
    case "$kind" in
      nemo*) file=share/nemo/actions/backdrop-$action.nemo_action ;;
      *) file=share/Thunar/sendto/backdrop-$action.desktop ;;
    esac
    put 644 "packaging/files/$kind" "$file"
    sed -i "s/@ACTION@/$action/; s/@LABEL@/$label/" "$folder/$file"
  done
done <<'END'
remove:Remove background
blur:Blur background
replace:Replace background…
END
