#!/usr/bin/env bash
# release.sh [deb|tree]: builds the program with Swift's runtime inside and packs it into dist/: a Debian package and one of debug symbols;
# without "deb" also a tarball with install.sh, the third-party notice, an SBOM and checksums. The same commit gives the same bytes
# in every folder. "tree" only lays out the files in tree/, for the build of Debian's source package.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/dist

for tool in "${SWIFT:-swift}" python3 dh dpkg-deb xz; do
  if ! command -v "$tool" >/dev/null; then
    echo "error: $tool is not installed" >&2
    echo "hint: make release installs what it needs by apt; elsewhere use make install" >&2
    exit 2
  fi
done
. scripts/release-flags.sh
# The date of files inside packages.
SOURCE_DATE_EPOCH=$(date -u -d "$BACKDROP_DATE" +%s)
export SOURCE_DATE_EPOCH
architecture=$(dpkg-architecture -q DEB_HOST_ARCH)

echo "== building the program with Swift's runtime inside ($BACKDROP_COMMIT, $BACKDROP_DATE)"
"$swift" build "${flags[@]}" --product backdrop-server -Xlinker "-Map=$root/$build/backdrop.map"
version=$("$build/release/backdrop-server" --version)
version=${version%% *}

echo "== building the library"
scripts/library.sh

echo "== building the plugins"
rm -rf "$build/plugins"
CC=$compiler scripts/plugins.sh "$build/library" "$build/plugins"
# Later releases of Debian and Ubuntu have GIMP 3 alone.
if [ ! -d "$build/plugins/gimp" ]; then export DEB_BUILD_PROFILES=pkg.backdrop.nogimp; fi

echo "== laying out the files"
package=$build/package
if [ "${1:-}" = tree ]; then
  scripts/stage.sh "$build" tree
  scripts/third-party.py "$build" >THIRD-PARTY.txt
  exit 0
fi
rm -rf "$package"
# Packages for another processor, and the Python package, can stay beside those of "deb".
if [ "${1:-}" = deb ]; then rm -f "$dist"/*_"$architecture".deb; else rm -rf "$dist"; fi
mkdir -p "$package" "$dist"
scripts/stage.sh "$build" "$package/tree"
scripts/third-party.py "$build" >"$package/THIRD-PARTY.txt"
cp NOTICE "$package/"
cp -r packaging/debian "$package/debian"
scripts/changelog.sh >"$package/debian/changelog"

echo "== the Debian package"
# The defaults of Debian and Ubuntu differ.
(cd "$package" && OUTPUT=$dist DPKG_DEB_COMPRESSOR_TYPE=xz DPKG_DEB_COMPRESSOR_LEVEL=9 debian/rules binary)
program=$package/debian/backdrop/usr/bin/backdrop
echo "the program: $(stat -c %s "$build/release/backdrop-server") bytes as built, $(stat -c %s "$program") stripped"
if [ "${1:-}" = deb ]; then
  scripts/contents.sh
  exit 0
fi

echo "== the tarball"
name=backdrop-$version-linux-$architecture
mkdir "$package/$name"
cp -r "$package/tree/." "$package/$name/"
# Uses the package's stripped program, so that its debug symbols also fit the tarball.
cp "$program" "$package/$name/bin/backdrop"
cp "$package/THIRD-PARTY.txt" "$package/$name/share/doc/backdrop/"
packages=$(dpkg-deb -f "$dist/backdrop_${version}_$architecture.deb" Depends | sed 's/ ([^)]*)//g; s/,//g')
sed "s/@PACKAGES@/$packages/" packaging/install.sh >"$package/$name/install.sh"
chmod 755 "$package/$name/install.sh"
tar -C "$package" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" |
  xz -9 -T1 >"$dist/$name.tar.xz"

echo "== what is in it"
cp "$package/THIRD-PARTY.txt" "$dist/backdrop-$version-third-party.txt"
scripts/sbom.py "$build" "$program" "$version" "$BACKDROP_COMMIT" "$SOURCE_DATE_EPOCH" >"$dist/backdrop-$version.spdx.json"
scripts/sizes.py "$build/backdrop.map"
scripts/contents.sh
