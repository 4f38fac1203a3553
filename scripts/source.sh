#!/usr/bin/env bash
# source.sh: makes Debian's source package of this commit in dist/. The Swift packages are in its folder vendor, so that its build fetches
# nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
export BACKDROP_COMMIT=${BACKDROP_COMMIT:-$(git rev-parse --short=12 HEAD)}
export BACKDROP_DATE=${BACKDROP_DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%F)}
"${SWIFT:-swift}" package resolve
work=.build/source
source=$work/backdrop
rm -rf "$work"
mkdir -p "$source/vendor" dist
git archive HEAD | tar -x -C "$source"
cp -r "$source/packaging/debian" "$source/debian"
scripts/changelog.sh >"$source/debian/changelog"
cp Package.resolved "$source/vendor/"
# Without their tests, benchmarks and pictures, four fifths of them; the argument parser is built as a package of its own, with all targets.
tar -C .build/checkouts --exclude-vcs -cf - swift-argument-parser | tar -x -C "$source/vendor"
(cd .build/checkouts && tar -cf - swift-*/Package*.swift swift-*/{LICENSE,NOTICE}.txt swift-*/Sources) | tar -x -C "$source/vendor"
(cd "$work" && dpkg-source --build backdrop)
mv "$work"/backdrop_*.{dsc,tar.xz} dist/
scripts/contents.sh
