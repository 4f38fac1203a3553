#!/usr/bin/env bash
# arm64.sh: cross-builds the program, its library, the plugins, their Debian packages and the Python package for arm64, on 64-bit Intel and
# AMD, in the system of sid.sh. Debian's compiler for this machine compiles against Debian's standard library of the same version for arm64.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! dpkg --print-foreign-architectures 2>/dev/null | grep -q arm64; then
  echo "error: this system has no packages for arm64" >&2
  echo "hint: make arm64" >&2
  exit 2
fi
export BACKDROP_ARCHITECTURE=arm64 BACKDROP_SWIFT_SDKS=/opt/swift-arm64
# SwiftPM reads the one, pkg-config the other.
export PKG_CONFIG_PATH=/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig
sdks=$BACKDROP_SWIFT_SDKS
resources=$sdks/usr/libexec/swift/lib

if [ ! -d "$sdks/backdrop-arm64.artifactbundle" ]; then
  echo "== Swift's standard library for arm64"
  version=$(dpkg-query -W -f '${Version}' swiftlang)
  rm -rf "$sdks"
  mkdir -p "$sdks/new/arm64" "$resources/clang"
  apt-get update -qq
  apt-get install -qq gcc-aarch64-linux-gnu libc6-dev:arm64 libstdc++-16-dev:arm64 libcurl4t64:arm64 libxml2-16:arm64 >/dev/null
  (cd "$sdks/new" && apt-get download -qq -o APT::Sandbox::User=root "swiftlang:arm64=$version")
  dpkg-deb --fsys-tarfile "$sdks"/new/*.deb | tar -x -C "$sdks" --wildcards --no-anchored 'lib/swift_static'
  rm "$sdks"/new/*.deb
  # The compiler's own headers.
  ln -s "$(find /usr/libexec/swift/lib/clang -mindepth 1 -maxdepth 1)" "$resources/clang/"
  # The SDK's root is that of the system by another name, because the compiler takes everything below "/" for a part of it. The driver
  # looks there for the start of static programs.
  mkdir -p "$sdks/root"
  ln -s /usr /lib "$sdks/root/"
  ln -sfn "$resources/swift_static" /usr/lib/swift_static
  cat >"$sdks/new/info.json" <<'END'
{"schemaVersion": "1.0", "artifacts": {"backdrop-arm64": {"type": "swiftSDK", "version": "1", "variants": [{"path": "arm64"}]}}}
END
  cat >"$sdks/new/arm64/swift-sdk.json" <<END
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "$sdks/root",
  "swiftResourcesPath": "$resources/swift_static", "swiftStaticResourcesPath": "$resources/swift_static"}}}
END
  mv "$sdks/new" "$sdks/backdrop-arm64.artifactbundle"
fi
scripts/setup.sh build package plugins wheel

# The tools of Debian that pack for another processor ask for it in the environment.
eval "$(dpkg-architecture --host-arch arm64 --print-set 2>/dev/null)"
SECONDS=0
scripts/release.sh deb
scripts/wheel.sh
echo "== took $((SECONDS / 60)) min $((SECONDS % 60)) s"
file .build-arm64/release/backdrop-server .build-arm64/library/libbackdrop.so.1 .build-arm64/plugins/*/*backdrop*.so | sed 's/, BuildID.*//'
