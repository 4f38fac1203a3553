#!/usr/bin/env bash
# changelog.sh: prints the changelog of Debian's packages for this commit, with BACKDROP_COMMIT and BACKDROP_DATE.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*bd_build_version.*"\(.*\)".*/\1/p' Sources/CBuildInfo/build_info.c)
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
printf 'backdrop (%s) unstable; urgency=medium\n\n  * Commit %s; what is new is in CHANGELOG.md.\n\n -- %s  %s\n' \
  "$version" "$BACKDROP_COMMIT" "$maintainer" "$(date -u -R -d "$BACKDROP_DATE")"
