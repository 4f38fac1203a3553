#!/usr/bin/env bash
# test-packages.sh [PART…]: tries the packages in dist/ in a separate Debian 12, without Swift and without a compiler. Parts, by default
# all: files (the contents of the packages), deb, library, plugins, tarball (each is installed, used by an ordinary user and removed),
# wheel (the Python package, if it was built), piuparts (nothing is left behind). pip uses the settings from outside, including its
# certificates. SUITE chooses another Debian, and ARCHITECTURE=arm64 another processor, in QEMU. KEEP is a folder for the results of the
# part deb.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${SUITE:-bookworm}
architecture=${ARCHITECTURE:-amd64}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/backdrop
fail() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 2
}
[ "$(id -u)" = 0 ] || exec sudo --preserve-env "$0" "$@"
debs=(dist/backdrop_*_"$architecture".deb)
tarballs=(dist/backdrop-*-linux-"$architecture".tar.xz)
[ -f "${debs[0]}" ] || fail "there is no package in dist/" "make release"
for tool in ffmpeg mmdebstrap piuparts lintian mandoc appstreamcli desktop-file-validate; do
  command -v "$tool" >/dev/null || fail "$tool is not installed" "make test-packages installs it"
done
passed=0
ok() { echo "ok   $*"; passed=$((passed + 1)); }
work=$(mktemp -d)
# Mounts disappeared with their namespace.
trap 'rm -rf "$work"' EXIT

. scripts/roots.sh
sandbox=--sandbox
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
  emulate_arm64
  # QEMU has no seccomp, and OpenVINO hangs or ends with QEMU's largest processor, which has SVE.
  sandbox=--no-sandbox
  settings+=(QEMU_CPU=cortex-a76)
fi

# A clean system, created once.
base=$cache/packages-$suite-$architecture.tar
if [ ! -f "$base" ]; then
  echo "== a clean $suite for $architecture"
  mkdir -p "$cache"
  rm -rf "$base" "$base.new"
  # The format is given because mmdebstrap would otherwise choose a folder by the file's extension.
  mmdebstrap --quiet --variant=apt --format=tar --architectures="$architecture" --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$base.new" ${MIRROR:+"$MIRROR"}
  mv "$base.new" "$base"
fi

ffmpeg -v error -f lavfi -i color=0x00c040:s=320x240:r=10:d=2 -f lavfi -i sine=440:d=2 -vf drawbox=110:40:100:200:white:fill \
  -c:v libx264 -pix_fmt yuv420p -c:a aac "$work/sound.mp4"

# make ROOT: creates a clean system there.
make_root() {
  mkdir "$1"
  tar -C "$1" -xf "$base" --exclude=./dev/*
  cp /etc/resolv.conf /etc/hosts "$1/etc/"
  cp "$work/sound.mp4" "$1/"
  if [ -n "$certificates" ]; then cp "$certificates" "$1/etc/test-certificates"; fi
  printf 'APT::Get::Assume-Yes "1";\nquiet "2";\nDpkg::Use-Pty "0";\n' >"$1/etc/apt/apt.conf.d/90test"
  inside "$1" root 'apt-get update && apt-get install passwd && useradd --create-home person' >/dev/null
  inside "$1" root '! command -v swift cc gcc clang' || fail "the clean system has a compiler" "rm $base"
}

# use ROOT: a user's first steps.
use() {
  local root=$1
  try() {
    if ! inside "$root" person "$2" >"$work/log" 2>&1; then
      cat "$work/log" >&2
      fail "$1 does not work" "the command was: $2"
    fi
    ok "$1"
  }
  try "--version tells the commit and the day" 'backdrop --version | grep -E "^[0-9.]+ \([0-9a-f]{12}(-dirty)?, [0-9]{4}-[0-9]{2}-[0-9]{2}\)$"'
  try "models install" 'backdrop models install'
  try "demo" 'mkdir demo && backdrop demo --seconds 2 --output demo && test -s demo/backdrop.mp4 && test -s demo/contact-sheet.png'
  try "replace by depth" 'backdrop replace "sim:two-people?seconds=1" --background scene:northern -o two.mp4 && test -s two.mp4'
  try "replace by the network" 'backdrop replace demo/backdrop.mp4 --matte person --background scene:loft -o again.mp4 --json | grep "\"networks\"\|selfie"'
  # Each kind of file is read by the decoder's process. The demo's portraits have the best quality.
  try "pictures of each kind" 'for kind in png jpg webp avif heic; do
      backdrop replace demo/portrait.png --quality live --background scene:loft -o new.$kind &&
        backdrop matte new.$kind --quality live -o matte-$kind.png '$sandbox'
    done'
  # An MP4 file can hold Opus, so the sound stays as it is.
  try "a video with sound, both ways" 'backdrop replace /sound.mp4 --matte chroma --background "#00c040" -o sound.webm && grep -q OpusHead sound.webm
    backdrop replace sound.webm --matte chroma --background scene:dunes -o sound.mp4 && grep -q dOps sound.mp4'
  try "a second of a live session" 'backdrop live sim: --no-config --matte depth --background scene:dunes --size 320x180 --seconds 1 -o live.mp4 && test -s live.mp4'
  try "the service" 'backdrop serve '$sandbox' --deadline 600 --port 7398 >serve.log 2>&1 & serve=$!
    for wait in $(seq 300); do grep -q http serve.log && break; sleep 0.1; done
    python3 -c "import urllib.request
request = urllib.request.Request(\"http://127.0.0.1:7398/v1/replace?background=scene:dunes&quality=live\", open(\"new.jpg\", \"rb\").read())
request.add_header(\"Content-Type\", \"image/jpeg\")
open(\"served.jpg\", \"wb\").write(urllib.request.urlopen(request).read())"
    kill $serve; wait $serve || true; test -s served.jpg'
  try "apply" 'backdrop apply noir two.mp4 --matte person -o noir.mp4 && test -s noir.mp4'
  # A network camera that does not exist: there are no cameras here, but the runtime and the networks must be found.
  try "doctor" 'backdrop doctor --json >found.json || test $? = 1
    python3 -c "import json; found = {each[\"id\"]: each[\"state\"] for each in json.load(open(\"found.json\"))}; print(found)
assert found[\"runtime\"] == found[\"models\"] == \"good\""'
  try "studio" 'backdrop studio --no-open --port 7399 >studio.log 2>&1 & studio=$!
    for wait in $(seq 100); do grep -q http studio.log && break; sleep 0.1; done
    python3 -c "import re, urllib.request
link = re.search(r\"http://\S+\", open(\"studio.log\").read())[0]
page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(link).read()
assert b\"<html\" in page and b\"Backdrop\" in page, page[:200]"
    kill $studio; wait $studio || true'
  try "man backdrop" 'man backdrop | grep -q "Replace the background" && man backdrop replace | grep -q -e --background'
  try "completions" 'test -n "$(cat /usr/share/bash-completion/completions/backdrop ~/.local/share/bash-completion/completions/backdrop 2>/dev/null)"'
}

part_files() {
  mkdir "$work/deb"
  dpkg-deb -x "${debs[0]}" "$work/deb"
  local usr=$work/deb/usr
  lintian --fail-on error,warning --tag-display-limit 0 dist/*_"$architecture".deb || fail "lintian finds something" "see above"
  ok "lintian"
  gunzip -r "$usr/share/man"
  makewhatis "$usr/share/man"
  MANPATH=$usr/share/man mandoc -T lint -W style "$usr"/share/man/man1/*.1 || fail "the manual is not clean" "see above"
  ok "mandoc -T lint: $(find "$usr/share/man/man1" -name '*.1' | wc -l) pages"
  appstreamcli validate --no-net "$usr"/share/metainfo/*.xml || fail "the AppStream data is wrong" "see above"
  ok "appstreamcli validate"
  desktop-file-validate "$usr/share/applications/backdrop.desktop" || fail "the desktop entry is wrong" "see above"
  ok "desktop-file-validate"
  (cd dist && sha256sum --check --quiet SHA256SUMS) || fail "checksums differ" "make release"
  ok "checksums"
  dpkg-deb -x dist/libbackdrop1_*_"$architecture".deb "$work/deb"
  if readelf -dW "$usr/bin/backdrop" "$usr"/lib/*/libbackdrop.so.1 | grep -E 'RUNPATH|RPATH|libswift|libFoundation|libdispatch'; then
    fail "something looks for libraries beside Debian's" "see above"
  fi
  ok "no library of Swift is asked for"
}

part_deb() {
  local root=$work/deb-root
  make_root "$root"
  cp "${debs[0]}" "$root/root/"
  inside "$root" root 'apt-get install man-db ./backdrop_*.deb' >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "apt cannot install the package" "see above"
  }
  ok "apt install ./backdrop_….deb"
  inside "$root" root '! command -v swift cc gcc clang' || fail "the package brings a compiler" "look at its dependencies"
  ok "no compiler and no Swift came with it"
  use "$root"
  if [ -n "${KEEP:-}" ]; then mkdir -p "$KEEP" && find "$root/home/person" -maxdepth 2 -type f -not -path '*/.*' -exec cp -t "$KEEP" {} +; fi
  inside "$root" root 'apt-get purge backdrop; rm /sound.mp4' >/dev/null 2>&1
  inside "$root" root '! find / -xdev -name "*backdrop*" -not -path "/home/*" -not -path "/root/*" -not -path "/proc/*" -not -path "/tmp/*" | grep .' ||
    fail "something is left after the package" "see above"
  inside "$root" person 'test -d .local/share/backdrop/runtime' || fail "the person's networks are gone" "the package may not touch them"
  ok "purged: nothing is left but the person's networks"
  rm -rf "$root"
}

part_library() {
  local root=$work/library-root
  make_root "$root"
  cp dist/libbackdrop1_*_"$architecture".deb dist/libbackdrop-dev_*_"$architecture".deb Tests/Bindings/interface.c "$root/root/"
  inside "$root" root 'apt-get install gcc libc6-dev pkgconf ./libbackdrop1_*.deb ./libbackdrop-dev_*.deb' >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "apt cannot install the library" "see above"
  }
  ok "apt install ./libbackdrop1_….deb ./libbackdrop-dev_….deb"
  inside "$root" root 'cc interface.c $(pkg-config --cflags --libs backdrop) -o /usr/local/bin/interface && mv interface.c /tmp' ||
    fail "a program in C is not built with it" "see above"
  inside "$root" person 'interface . 10 >log || { cat log; exit 1; }' || fail "a program in C does not work" "see above"
  ok "a program in C"
  inside "$root" root 'rm /usr/local/bin/interface; apt-get purge libbackdrop1' >/dev/null 2>&1
  inside "$root" root '! find / -xdev -name "*backdrop*" -not -path "/home/*" -not -path "/root/*" -not -path "/proc/*" -not -path "/tmp/*" | grep .' ||
    fail "something is left after the library" "see above"
  ok "purged: nothing is left of the library"
  rm -rf "$root"
}

part_tarball() {
  local root=$work/tar-root packages
  make_root "$root"
  tar -C "$root/home" -xf "${tarballs[0]}"
  inside "$root" root 'mv /home/backdrop-* /home/backdrop'
  if inside "$root" person '/home/backdrop/install.sh ~/.local' 2>"$work/log"; then
    fail "it was installed without the libraries" "look at install.sh"
  fi
  grep -q '^hint: on Debian 12: sudo apt install lib' "$work/log" || fail "it does not say what is missing" "$(cat "$work/log")"
  ok "install.sh says which libraries are missing"
  packages=$(sed -n 's/.*sudo apt install \([^;]*\);.*/\1/p' "$work/log")
  inside "$root" root "apt-get install man-db python3 python3-pip-whl $packages" >/dev/null 2>&1
  inside "$root" person '/home/backdrop/install.sh ~/.local' >/dev/null
  ok "install.sh ~/.local"
  use "$root"
  inside "$root" person '/home/backdrop/install.sh --remove ~/.local >/dev/null; ! find .local -name "*backdrop*" -not -path "*/share/backdrop*" -not -path "*/state/backdrop*" | grep .' ||
    fail "something is left after the tarball" "see above"
  ok "install.sh --remove"
  rm -rf "$root"
}

part_plugins() {
  local root=$work/plugins-root
  make_root "$root"
  cp dist/libbackdrop1_[0-9]*_"$architecture".deb dist/backdrop-gstreamer_[0-9]*_"$architecture".deb dist/backdrop-obs_[0-9]*_"$architecture".deb dist/backdrop-frei0r_[0-9]*_"$architecture".deb "$root/root/"
  inside "$root" root 'apt-get install --no-install-recommends gstreamer1.0-tools gstreamer1.0-plugins-base ffmpeg ./*.deb' >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "apt cannot install the plugins" "see above"
  }
  ok "apt install ./backdrop-gstreamer_….deb ./backdrop-obs_….deb ./backdrop-frei0r_….deb"
  inside "$root" person 'gst-inspect-1.0 backdropfilter | grep -q "light-wrap"' || fail "GStreamer does not find the element" "gst-inspect-1.0 backdropfilter"
  ok "gst-inspect-1.0 backdropfilter"
  inside "$root" person '{ gst-launch-1.0 videotestsrc num-buffers=2 ! backdropfilter ! fakesink 2>&1 || true; } | grep "is not installed"' >/dev/null ||
    fail "the element does not say that the networks are missing" "gst-launch-1.0 videotestsrc ! backdropfilter ! fakesink"
  ok "it says that the networks are missing"
  inside "$root" person 'test -s /usr/share/obs/obs-plugins/backdrop-obs/locale/en-US.ini && ! ldd -r /usr/lib/*/obs-plugins/backdrop-obs.so 2>&1 | grep -E "not found|undefined"' ||
    fail "OBS could not load the filter" "see above"
  ok "the filter of OBS can be loaded"
  inside "$root" person 'ffmpeg -v error -f lavfi -i testsrc=d=0.1 -vf frei0r=backdrop:blur -f null - 2>&1 | grep "is not installed"' >/dev/null ||
    fail "the filter for editors does not say that the networks are missing" "ffmpeg -f lavfi -i testsrc -vf frei0r=backdrop:blur -f null -"
  inside "$root" person 'test -s /usr/share/kdenlive/effects/frei0r_backdrop.xml -a -s /usr/share/shotcut/qml/filters/backdrop/ui.qml' ||
    fail "Kdenlive's or Shotcut's description is missing" "see above"
  ok "FFmpeg loads the filter for editors"
  inside "$root" root 'apt-get purge backdrop-gstreamer backdrop-obs backdrop-frei0r libbackdrop1' >/dev/null 2>&1
  inside "$root" root '! find /usr /etc /var -xdev -name "*backdrop*" -not -path "/var/cache/*" -not -path "/var/lib/dpkg/*" -not -path "/var/log/*" | grep .' ||
    fail "something is left after the plugins" "see above"
  ok "purged: nothing is left"
  rm -rf "$root"
}

part_wheel() {
  local root=$work/wheel-root wheels=(dist/backdrop-*_"$([ "$architecture" = arm64 ] && echo aarch64 || echo x86_64)".whl)
  if [ ! -f "${wheels[0]}" ]; then
    echo "skip there is no Python package in dist/"
    return
  fi
  make_root "$root"
  cp "${wheels[0]}" Tests/Bindings/wheel.py "$root/home/"
  inside "$root" root 'apt-get install --no-install-recommends python3-venv ffmpeg' >/dev/null 2>&1
  inside "$root" person 'python3 -m venv v && v/bin/pip install --quiet /home/*.whl && v/bin/python /home/wheel.py' ||
    fail "the wheel does not work" "see above"
  ok "pip install ${wheels[0]##*/}"
  rm -rf "$root"
}

part_piuparts() {
  # Without recommended packages, so that piuparts finds only files that the package itself leaves.
  local root=$work/piuparts-root
  mkdir "$root"
  tar -C "$root" -xf "$base" --exclude=./dev/*
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  piuparts --distribution "$suite" --existing-chroot "$root" --no-eatmydata --warn-on-debsums-errors "${debs[0]}" >"$work/log" 2>&1 || {
    tail -50 "$work/log" >&2
    fail "piuparts finds something" "see above"
  }
  ok "piuparts"
}

for part in "${@:-files deb library plugins tarball wheel piuparts}"; do
  for one in $part; do
    declare -F "part_$one" >/dev/null || fail "there is no part '$one'" "there are files, deb, library, plugins, tarball, wheel, piuparts"
    echo "== $one"
    "part_$one"
  done
done
echo "$passed passed, 0 failed"
