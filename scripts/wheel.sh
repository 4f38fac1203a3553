#!/usr/bin/env bash
# wheel.sh: builds the Python package with the engine in dist/: a wheel for every Python from 3.10 on, and the source distribution. The
# wheel includes the picture codecs; FFmpeg's libraries are used if they are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/library.sh
build=.build-release
PYTHON_PACKAGES=python-package scripts/test-python.sh
tools=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/python-package
export PATH=$tools/bin:$PATH
work=$build/wheel
rm -rf "$work"
mkdir -p "$work" dist
cp -r Bindings/python "$work/package"
package=$work/package
rm -rf "$package"/{build,src/*.egg-info,.mypy_cache,.ruff_cache} "$package"/src/backdrop/__pycache__
library=$package/src/backdrop/_lib/libbackdrop.so.1
mkdir -p "$package/src/backdrop/_lib"
cp "$build/library/libbackdrop.so.1" "$library"
chmod u+w "$library"
# shellcheck disable=SC2016
patchelf --set-rpath '$ORIGIN' "$library"
BACKDROP_LIBRARY=$PWD/$build/library/libbackdrop.so.1 python3 - "$package" <<'END'
import ctypes, pathlib, sys
library = ctypes.CDLL(__import__("os").environ["BACKDROP_LIBRARY"])
library.bd_version.restype = ctypes.c_char_p
pathlib.Path(sys.argv[1], "VERSION").write_text(library.bd_version().decode() + "\n")
END
BACKDROP_LIBRARY=$PWD/$build/library/libbackdrop.so.1 python3 "$package/generate.py" --check
cp LICENSE NOTICE "$package/"
printf 'include VERSION LICENSE NOTICE README.md generate.py setup.py\nrecursive-include src *.py py.typed\n' >"$package/MANIFEST.in"
rm -f dist/backdrop-*.whl dist/backdrop-*.tar.gz
(
  cd "$package"
  export SOURCE_DATE_EPOCH
  SOURCE_DATE_EPOCH=$(git -C "$OLDPWD" log -1 --format=%ct)
  python3 -c 'from setuptools.build_meta import build_wheel; build_wheel("../plain")' >../log 2>&1 || { cat ../log; exit 1; }
  rm -rf build src/backdrop/_lib
  python3 -c 'from setuptools.build_meta import build_sdist; build_sdist("../../../dist")' >>../log 2>&1 || { cat ../log; exit 1; }
)
auditwheel repair --plat "manylinux_2_36_$(uname -m)" -w dist "$work"/plain/*.whl
ls -l dist
