#!/usr/bin/env bash
# test-bindings.sh LIBRARY BACKDROP [PART…]: tests everything that uses backdrop.h, with a folder that contains libbackdrop.so, and the
# command. LIBRARY "built" is the library of the command's own build, for quick tests. Each part is a function below; by default all of them
# run, even if one fails.
set -euo pipefail
cd "$(dirname "$0")/.."
library=$1
backdrop=$(realpath "$2")
shift 2
parts=(header library python wheel gstreamer obs frei0r gimp files photos comfyui cluster)
plugins=$(mktemp -d)
trap 'rm -rf "$plugins"' EXIT
is_built=
if [ "$library" = built ]; then
  is_built=yes
  library=$plugins/library
  mkdir -p "$library/include"
  # valgrind cannot read Swift's debug information.
  strip --strip-debug -o "$library/libBackdropC.so" "$(dirname "$backdrop")/libBackdropC.so"
  ln -s libBackdropC.so "$library/libbackdrop.so"
  ln -s libBackdropC.so "$library/libbackdrop.so.1"
  cp Sources/CBackdrop/include/backdrop.h "$library/include/"
fi
library=$(realpath "$library")
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Tests the header in C and C++, correct and wrong use of the library, and its promises.
header() {
  scripts/setup.sh bindings
  local flags=(-Wall -Wextra -Wpedantic -Werror "-I$library/include") program=$plugins/interface
  cc -std=c11 -g "${flags[@]}" Tests/Bindings/interface.c -o "$program" "-L$library" -lbackdrop -lpthread
  c++ -std=c++17 "${flags[@]}" Tests/Bindings/interface.cpp -o "$program-cpp" "-L$library" -lbackdrop -lpthread
  "$program" "$plugins" 100
  rm "$plugins/job.mp4"
  "$program-cpp" "$plugins" 1 >/dev/null
  echo "ok   the same as C++17"
  # Enumeration values are copied with bits that were never set, and some objects are referenced only by pointers to their inside: neither
  # is an error. valgrind does not support AVX-512.
  BACKDROP_CPU_LEVEL=baseline valgrind -q --undef-value-errors=no --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite --error-exitcode=3 "$program" "$plugins" 1000 only
  echo "ok   valgrind: nothing is lost in 1,000 sessions"
  scripts/abi.sh "$library"
}

# Tests the dependencies of a library built by scripts/library.sh: one from the command's build needs Swift's libraries next to it.
library() {
  local needed
  if [ -n "$is_built" ]; then
    echo "skip library: leave LIBRARY=built out"
    return
  fi
  needed=$(objdump -p "$library/libbackdrop.so.1" | awk '$1 == "NEEDED" {print $2}')
  if grep -E 'swift|Foundation|dispatch' <<<"$needed"; then
    echo "error: the library needs Swift's" >&2
    return 1
  fi
  echo "ok   it needs" $needed
  echo "     $(stat -L -c %s "$library/libbackdrop.so.1") bytes"
}

# Tests the Python package from its sources.
python() {
  scripts/setup.sh bindings
  local test
  for test in test_python test_client test_fronts; do
    BACKDROP_LIBRARY=$library/libbackdrop.so.1 BACKDROP=$backdrop PYTHON_PACKAGES=python-package \
      scripts/test-python.sh Tests/Bindings/$test.py
  done
}

# Tests the wheel in every installed Python, without any other part of Backdrop.
wheel() {
  scripts/wheel.sh >"$plugins/wheel.log" || { cat "$plugins/wheel.log"; return 1; }
  local version found=0
  for version in 3.10 3.11 3.12 3.13; do
    local candidate python=
    while IFS= read -r candidate; do
      if "$candidate" -I -c '' 2>/dev/null; then python=$candidate && break; fi
    done < <(type -ap "python$version"; find ~/.pyenv/versions -path "*/bin/python$version" 2>/dev/null)
    if [ -z "$python" ]; then
      echo "skip Python $version is not here"
      continue
    fi
    "$python" -I -m venv "$plugins/python-$version"
    "$plugins/python-$version/bin/python" -I -m pip install -q --disable-pip-version-check dist/backdrop-*_"$(uname -m)".whl
    env -u LD_LIBRARY_PATH "$plugins/python-$version/bin/python" -I Tests/Bindings/wheel.py
    found=$((found + 1))
  done
  [ $found -gt 0 ]
}

# Tests in GStreamer, with a separate registry.
gstreamer() {
  scripts/setup.sh gstreamer
  scripts/plugins.sh "$library" "$plugins" gstreamer
  GST_PLUGIN_PATH=$plugins/gstreamer-1.0 GST_REGISTRY=$plugins/registry dbus-run-session -- \
    scripts/test-python.sh Tests/Bindings/test_gstreamer.py "$backdrop"
}

# Tests in OBS, on a separate screen.
obs() {
  scripts/setup.sh obs
  scripts/plugins.sh "$library" "$plugins" obs
  BACKDROP_OBS=$plugins scripts/test-python.sh Tests/Bindings/test_obs.py "$backdrop"
}

# Tests in video editors.
frei0r() {
  scripts/setup.sh editors
  scripts/plugins.sh "$library" "$plugins" frei0r
  FREI0R_PATH=$plugins/frei0r-1 scripts/test-python.sh Tests/Bindings/test_frei0r.py "$backdrop"
}

# Tests in GIMP, without its windows.
gimp() {
  scripts/setup.sh editors
  if pkg-config --exists gimpui-2.0; then scripts/plugins.sh "$library" "$plugins" gimp; fi
  desktop_plugins
  mkdir -p "$plugins/gimp"
  cp "$plugins/stage/lib/gimp/3.0/plug-ins/backdrop/backdrop.py" "$plugins/gimp/"
  BACKDROP_GIMP=$plugins/gimp scripts/test-python.sh Tests/Bindings/test_gimp.py
}

# Tests the actions of file managers.
files() {
  scripts/setup.sh editors
  desktop_plugins
  scripts/test-python.sh Tests/Bindings/test_files.py "$backdrop" "$plugins/stage"
}

# Tests in Krita and darktable, on a separate screen.
photos() {
  scripts/setup.sh photos
  desktop_plugins
  scripts/test-python.sh Tests/Bindings/test_photos.py "$backdrop" "$plugins/stage"
}

# Lays out the plugins that need no build.
desktop_plugins() {
  scripts/desktop-plugins.sh "$plugins/stage"
  mkdir -p "$plugins/stage/bin"
  ln -sf "$backdrop" "$plugins/stage/bin/backdrop"
  grep -rl '@PREFIX@' "$plugins/stage" | xargs sed -i "s|@PREFIX@|$plugins/stage|"
}

# Tests the nodes for ComfyUI, if the Python that is found first has PyTorch.
comfyui() {
  BACKDROP_LIBRARY=$library/libbackdrop.so.1 python3 Tests/Bindings/test_comfyui.py
}

# Tests on a local Ray cluster.
cluster() {
  BACKDROP_LIBRARY=$library/libbackdrop.so.1 PYTHON_PACKAGES=python-ray scripts/test-python.sh Tests/Bindings/test_cluster.py
}

failed=()
for part in "${@:-${parts[@]}}"; do
  if ! [[ " ${parts[*]} " == *" $part "* ]]; then
    echo "error: there is no part '$part'; there are ${parts[*]}" >&2
    exit 2
  fi
  echo "== $part"
  # Not in a condition, where errors would not end the script.
  set +e
  (set -e; "$part")
  status=$?
  set -e
  if [ $status != 0 ]; then failed+=("$part"); fi
done
if [ ${#failed[@]} != 0 ]; then
  echo "FAILED: ${failed[*]}" >&2
  exit 1
fi
