#!/usr/bin/env bash
# file-actions.sh FOLDER: lays out the actions of Dolphin, Nautilus, Nemo and Thunar (its menu "Send To") below a folder. Files that name the
# prefix contain @PREFIX@ instead.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1

put() { install -D -m "$1" "$2" "$folder/$3"; }
put 755 packaging/files/file-action lib/backdrop/file-action
put 644 packaging/files/dolphin.desktop share/kio/servicemenus/backdrop.desktop
put 644 packaging/files/nautilus.py share/nautilus-python/extensions/backdrop.py
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
