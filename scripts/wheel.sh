#!/usr/bin/env bash
# wheel.sh: builds the Python package with the engine in dist/: a wheel for every Python from 3.10 on, and the source distribution. The
# wheel includes the picture codecs; FFmpeg's libraries are used if they are installed. scripts/arm64.sh calls it for that processor.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release-flags.sh
scripts/library.sh
platform=manylinux_2_36_$(uname -m)
if [ "${BACKDROP_ARCHITECTURE:-}" = arm64 ]; then
  # With Debian's own tools. What the wheel contains needs libstdc++ of GCC 13.
  platform=manylinux_2_39_aarch64
  export _PYTHON_HOST_PLATFORM=linux-aarch64
else
  PYTHON_PACKAGES=python-package scripts/test-python.sh
  export PATH=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop/python-package/bin:$PATH
fi
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
if [ ${#cross[@]} -gt 0 ]; then
  # glibc 2.43 has new versions of sqrtf and others, which report errors in another way. The wheel uses the first ones, of the same names.
  mkdir "$work/libraries"
  cp /usr/lib/aarch64-linux-gnu/libSvtAv1Enc.so.4 "$work/libraries/"
  python3 - "$library" "$work/libraries/libSvtAv1Enc.so.4" <<'END'
import pathlib, sys

def entry(name: bytes) -> bytes:
    """The hash by which a program asks for a version of a library."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value >> 24 & 0xF0)) & 0x0FFFFFFF
    return value.to_bytes(4, "little")

for path in map(pathlib.Path, sys.argv[1:]):
    data = path.read_bytes()
    assert data.count(entry(b"GLIBC_2.43")) == 1, path
    path.write_bytes(data.replace(b"GLIBC_2.43\0", b"GLIBC_2.17\0").replace(entry(b"GLIBC_2.43"), entry(b"GLIBC_2.17")))
END
fi
sed -n 's/.*bd_build_version.*"\(.*\)".*/\1/p' Sources/CBuildInfo/build_info.c >"$package/VERSION"
# The generated files are those of every processor.
if [ ${#cross[@]} -eq 0 ]; then BACKDROP_LIBRARY=$PWD/$build/library/libbackdrop.so.1 python3 "$package/generate.py" --check; fi
cp LICENSE NOTICE "$package/"
printf 'include VERSION LICENSE NOTICE README.md generate.py setup.py\nrecursive-include src *.py py.typed\n' >"$package/MANIFEST.in"
rm -f dist/backdrop-*"${platform##*_2_??_}".whl dist/backdrop-*.tar.gz
(
  cd "$package"
  export SOURCE_DATE_EPOCH
  SOURCE_DATE_EPOCH=$(git -C "$OLDPWD" log -1 --format=%ct)
  python3 -c 'from setuptools.build_meta import build_wheel; build_wheel("../plain")' >../log 2>&1 || { cat ../log; exit 1; }
  rm -rf build src/backdrop/_lib
  python3 -c 'from setuptools.build_meta import build_sdist; build_sdist("../../../dist")' >>../log 2>&1 || { cat ../log; exit 1; }
)
LD_LIBRARY_PATH=$PWD/$work/libraries python3 - repair --plat "$platform" -w dist "$work"/plain/*.whl <<'END'
# auditwheel knows only the platforms of the machine that it runs on.
import os, platform, sys
if os.environ.get("BACKDROP_ARCHITECTURE") == "arm64": platform.machine = lambda: "aarch64"
from auditwheel.main import main
sys.exit(main())
END
scripts/contents.sh
