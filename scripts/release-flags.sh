# Sourced by release.sh and library.sh: the compiler's options for releases, with Swift's runtime inside and independent of the folder.
# Sets root, build, swift, compiler (C's), strip and flags, and prepares the scratch folder. With BACKDROP_ARCHITECTURE=arm64 they compile for that
# processor, if scripts/arm64.sh has prepared this system.
root=$PWD
build=.build-release
swift=${SWIFT:-swift}
compiler=${CC:-cc}
strip=strip
umask 022
export LC_ALL=C.UTF-8 TZ=UTC BACKDROP_RELEASE=1
export BACKDROP_COMMIT=${BACKDROP_COMMIT:-$(git describe --always --dirty --exclude='*' --abbrev=12)}
export BACKDROP_DATE=${BACKDROP_DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%F)}
cross=()
if [ "${BACKDROP_ARCHITECTURE:-}" = arm64 ]; then
  build=.build-arm64
  compiler=aarch64-linux-gnu-gcc
  strip=aarch64-linux-gnu-strip
  # SwiftPM gives C the last option by itself only for this machine.
  cross=(--swift-sdks-path "$BACKDROP_SWIFT_SDKS" --swift-sdk backdrop-arm64 -Xcc -fPIC)
fi
flags=(
  # SwiftPM's own option works for programs, the compiler's also for libraries.
  -c release --scratch-path "$build" ${cross+"${cross[@]}"} --static-swift-stdlib -Xswiftc -static-stdlib
  # The program searches no folder next to it, and contains no path of this folder.
  --disable-local-rpath -Xswiftc -file-prefix-map -Xswiftc "$root=." -Xswiftc -prefix-serialized-debugging-options
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xcc "-ffile-prefix-map=$root=."
  # Removes functions that nothing calls, equal ones, and tables that only code loaded into the program would read. Uses the toolchain's own
  # linker; relative relocations are packed (read by glibc 2.36 and later).
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xswiftc -use-ld=lld -Xlinker --icf=all
  -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
  -Xlinker "$root/scripts/release.ld" -Xlinker --build-id=sha1
)
# Files compiled with other flags would not be rebuilt.
stamp=$(printf '%s\n' "${flags[@]}" "$("$swift" --version 2>&1)")
if [ "$(cat "$build/flags" 2>/dev/null)" != "$stamp" ]; then
  # The folder itself can be a mount (scripts/sid.sh).
  mkdir -p "$build"
  find "$build" -mindepth 1 -delete
  printf '%s\n' "$stamp" >"$build/flags"
fi
