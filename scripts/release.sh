#!/usr/bin/env bash
# release.sh [deb]: builds the program with Swift's runtime inside and packs it into dist/: a Debian package and one of debug symbols;
# without "deb" also a tarball with install.sh, the third-party notice, an SBOM and checksums. The same commit gives the same bytes,
# in whatever folder.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=.build-release
dist=$root/dist
swift=${SWIFT:-swift}
umask 022
export LC_ALL=C.UTF-8 TZ=UTC

for tool in git "$swift" python3 dh dpkg-deb xz; do
  if ! command -v "$tool" >/dev/null; then
    echo "error: $tool is not installed" >&2
    echo "hint: make release installs what it needs by apt; elsewhere use make install" >&2
    exit 2
  fi
done
export BACKDROP_COMMIT=${BACKDROP_COMMIT:-$(git describe --always --dirty --exclude='*' --abbrev=12)}
export BACKDROP_DATE=${BACKDROP_DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%F)}
# What dates files inside packages.
SOURCE_DATE_EPOCH=$(date -u -d "$BACKDROP_DATE" +%s)
export SOURCE_DATE_EPOCH
architecture=$(dpkg --print-architecture)

echo "== building the program with Swift's runtime inside ($BACKDROP_COMMIT, $BACKDROP_DATE)"
flags=(
  -c release --product backdrop --scratch-path "$build" --static-swift-stdlib
  # Nothing is searched for beside the program, and no path of this folder gets into it.
  --disable-local-rpath -Xswiftc -file-prefix-map -Xswiftc "$root=." -Xswiftc -prefix-serialized-debugging-options
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xcc "-ffile-prefix-map=$root=."
  # Functions that nothing calls are left out, and tables that only programs loaded into this one would read. The linker is the
  # toolchain's own; relative relocations are packed (read by glibc 2.36 and later).
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xswiftc -use-ld=lld
  -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
  -Xlinker "$root/scripts/release.ld" -Xlinker --build-id=sha1 -Xlinker "-Map=$root/$build/backdrop.map"
)
# What was compiled with other flags would stay as it is.
stamp=$(printf '%s\n' "${flags[@]}" "$("$swift" --version 2>&1)")
if [ "$(cat "$build/flags" 2>/dev/null)" != "$stamp" ]; then
  rm -rf "$build"
  mkdir "$build"
  printf '%s\n' "$stamp" >"$build/flags"
fi
"$swift" build "${flags[@]}"
version=$("$build/release/backdrop" --version)
version=${version%% *}

echo "== laying out the files"
package=$build/package
rm -rf "$package" "$dist"
mkdir -p "$package" "$dist"
scripts/stage.sh "$build" "$package/tree"
scripts/third-party.py "$build" >"$package/THIRD-PARTY.txt"
cp NOTICE "$package/"
cp -r packaging/debian "$package/debian"
printf 'backdrop (%s) unstable; urgency=medium\n\n  * Commit %s; what is new is in CHANGELOG.md.\n\n -- %s  %s\n' \
  "$version" "$BACKDROP_COMMIT" "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" \
  "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$package/debian/changelog"

echo "== the Debian package"
(cd "$package" && OUTPUT=$dist debian/rules binary)
program=$package/debian/backdrop/usr/bin/backdrop
echo "the program: $(stat -c %s "$build/release/backdrop") bytes as built, $(stat -c %s "$program") stripped"
if [ "${1:-}" = deb ]; then
  ls -l "$dist"
  exit 0
fi

echo "== the tarball"
name=backdrop-$version-linux-$architecture
mkdir "$package/$name"
cp -r "$package/tree/." "$package/$name/"
# The stripped one, as in the package, so that the debug symbols are for both.
cp "$program" "$package/$name/bin/backdrop"
cp "$package/THIRD-PARTY.txt" "$package/$name/share/doc/backdrop/"
packages=$(dpkg-deb -f "$dist/backdrop_${version}_$architecture.deb" Depends | sed 's/ ([^)]*)//g; s/,//g')
sed "s/@PACKAGES@/$packages/" packaging/install.sh >"$package/$name/install.sh"
chmod 755 "$package/$name/install.sh"
tar -C "$package" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" |
  xz -6 >"$dist/$name.tar.xz"

echo "== what is in it"
cp "$package/THIRD-PARTY.txt" "$dist/backdrop-$version-third-party.txt"
scripts/sbom.py "$build" "$program" "$version" "$BACKDROP_COMMIT" "$SOURCE_DATE_EPOCH" >"$dist/backdrop-$version.spdx.json"
(cd "$dist" && sha256sum -- * >SHA256SUMS)
scripts/sizes.py "$build/backdrop.map"
ls -l "$dist"
