#!/usr/bin/env bash
# Makes a Python for the tests in the user's cache folder, with pinned packages that read clouds, models and HEIC and control browsers. It
# does nothing if everything is installed. With arguments, it then runs that Python with them. PYTHON_PACKAGES=python-package makes one to
# build and test Backdrop's Python package, python-ray one for the cluster, and python-docs one for the book.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-}
case "$cache" in /*) ;; *) cache=$HOME/.cache ;; esac
packages=${PYTHON_PACKAGES:-test-python}
target=$cache/backdrop/$packages
lists=("$here/$packages.txt")
if [ "$packages" = test-python ]; then lists+=("$here/test-open3d.txt"); fi
stamp=$(cat "${lists[@]}" <(python3 -I -VV) | sha256sum | cut -d ' ' -f 1)

mkdir -p "$cache/backdrop"
exec 9>"$cache/backdrop/.$packages.lock"
flock 9
finish() {
  flock --unlock 9
  if [ $# -eq 0 ]; then exit 0; fi
  if [ ! -x "$target/bin/python3" ]; then
    echo "error: no Python for the tests is installed" >&2
    echo "hint: they need CPython 3.11 to 3.13 on a 64-bit Intel or AMD processor" >&2
    exit 2
  fi
  exec "$target/bin/python3" "$@"
}
if [ "$(cat "$target/.stamp" 2>/dev/null)" = "$stamp" ] && "$target/bin/python3" -I -c '' 2>/dev/null; then
  echo "== the tests' Python packages are installed in $target"
  finish "$@"
fi

# Without these packages, tests that need them are skipped with a message; other processors and Python versions cause no error.
case "$(uname -s) $(uname -m) $(python3 -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')" in
  "Linux x86_64 3.11" | "Linux x86_64 3.12" | "Linux x86_64 3.13") ;;
  *) echo "== no Python packages are pinned for $(uname -m) and $(python3 -V): tests that need them are skipped"; finish "$@" ;;
esac

echo "== installing the tests' Python packages from PyPI in $target"
rm -rf "$target"
# Isolated (-I), as everywhere: a pip.py or json.py in the current folder must not run. Without pip inside: the system may lack the module
# that installs it.
python3 -I -m venv --without-pip "$target"
pip() {
  PYTHONSAFEPATH=1 python3 -I -m pip --python "$target/bin/python3" install --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --require-hashes "$@"
}
pip --requirement "${lists[0]}"
# If the system is too old for it, the tests that use it are skipped.
[ "$packages" != test-python ] || pip --requirement "${lists[1]}" || echo "== Open3D could not be installed: its tests are skipped"
printf '%s\n' "$stamp" >"$target/.stamp"
finish "$@"
