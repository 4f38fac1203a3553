#!/usr/bin/env bash
# install.sh PREFIX           copies Backdrop to PREFIX (such as ~/.local or /usr/local)
# install.sh --remove PREFIX  removes those files; downloaded networks and your settings stay
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 2
}
remove=
if [ "${1:-}" = --remove ]; then
  remove=yes
  shift
fi
if [ $# -ne 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
  fail "expected one folder" "./install.sh ~/.local, or sudo ./install.sh /usr/local; --remove before it removes"
fi
prefix=$(realpath -ms -- "$1")
case "$prefix" in *[[:space:]\"\'\\%\|\&]*) fail "the folder's name has a space or a sign that a desktop entry cannot hold: $prefix" "choose another" ;; esac
cd "$here"
mapfile -t files < <(find bin include lib share ! -type d | sort)

if [ -n "$remove" ]; then
  for file in "${files[@]}"; do
    rm -f -- "$prefix/$file"
    # Then also remove folders that are now empty.
    folder=$(dirname "$file")
    while [ "$folder" != . ] && rmdir -- "$prefix/$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
  done
  echo "removed Backdrop from $prefix"
  exit 0
fi

if ! lacking=$(ldd bin/backdrop 2>&1); then fail "this is no system for the program: $lacking" "it is for 64-bit Intel and AMD"; fi
lacking=$(awk '/not found/ { print $1 }' <<<"$lacking" | sort -u | paste -sd ' ')
if [ -n "$lacking" ]; then
  fail "the program needs libraries that are not here: $lacking" \
    "on Debian 12: sudo apt install @PACKAGES@; elsewhere build it from source, see the README"
fi
for file in "${files[@]}"; do
  if [ -L "$file" ]; then
    ln -sfn -- "$(readlink "$file")" "$prefix/$file" || fail "cannot write to $prefix" "choose another folder, or use sudo"
    continue
  fi
  mode=644
  if [ -x "$file" ]; then mode=755; fi
  # Under another name first, so that a running program keeps its own file.
  install -D -m "$mode" -- "$file" "$prefix/$file.new" 2>/dev/null || fail "cannot write to $prefix" "choose another folder, or use sudo"
  if grep -Iq '@PREFIX@' "$file"; then sed -i "s|@PREFIX@|$prefix|" "$prefix/$file.new"; fi
  mv -f -- "$prefix/$file.new" "$prefix/$file"
done
echo "installed $("$prefix/bin/backdrop" --version) in $prefix"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "hint: $prefix/bin is not in your PATH" ;; esac
