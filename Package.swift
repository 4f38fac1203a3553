// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Warnings are errors where `BACKDROP_STRICT=1` is set, as `make check` and CI do.
let strict = ProcessInfo.processInfo.environment["BACKDROP_STRICT"] == "1"
/// Whether this package is a dependency, which SwiftPM checks out into a folder of that name. SwiftPM can refuse the flags of a
/// dependency that it calls unsafe.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let swiftSettings: [SwiftSetting] =
  [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")]
  + (strict ? [.treatAllWarnings(as: .error)] : [])
/// Regular expressions would add 1.2 MB to `libbackdrop.so`, and only tests use them. Modules therefore import them explicitly.
let lean: [SwiftSetting] =
  isDependency ? [] : [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]
/// Packages (`scripts/release-flags.sh`) compile modules for size if they read files and devices, or leave pixels to C.
let small: [SwiftSetting] =
  ProcessInfo.processInfo.environment["BACKDROP_RELEASE"] == "1" && !isDependency ? [.unsafeFlags(["-Osize"])] : []
/// Code without loops over pixels or sound compiles in a quarter to half of the time without optimisation: tests, and the command's
/// reading of its arguments. Packages compile the command for size.
let quick: [SwiftSetting] = isDependency ? [] : [.unsafeFlags(["-Onone"])]
let optimizedTests: Set = [
  "BackdropImaging", "BackdropCodecs", "BackdropDepth", "BackdropClouds", "BackdropMatting", "BackdropLooks",
  "BackdropModels", "BackdropSimulation", "Backdrop", "BackdropLive",
]
/// Guards arrays on the stack.
let guarded: [CSetting] = isDependency ? [] : [.unsafeFlags(["-fstack-protector-strong"])]
/// The loader looks up all functions of libraries at the start, so that their table is read-only afterwards. The linker leaves out
/// libraries without a call: pkg-config's flags for FFmpeg alone would load a hundred and forty. `HardeningTests` checks the result.
let hardened: [LinkerSetting] =
  isDependency
  ? []
  : [
    .unsafeFlags(
      ["-Xlinker", "--as-needed", "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
      .when(platforms: [.linux]))
  ]
/// CFFmpegLoader opens FFmpeg's libraries. pkg-config would link them, so it is used only if their headers are in a separate folder.
let ffmpegHeadersAreFound = ["", "/x86_64-linux-gnu", "/aarch64-linux-gnu"].contains {
  FileManager.default.fileExists(atPath: "/usr/include\($0)/libavformat/avformat.h")
}
/// Whether the Swift packages are in a folder, as in Debian's source package (`scripts/source.sh`), whose build fetches nothing.
let isVendored = FileManager.default.fileExists(atPath: Context.packageDirectory + "/vendor")
/// The module whose tests to build, such as `BackdropMatting`; `nil` for all tests. With one module, an edit of it compiles no other.
let testedModule = ProcessInfo.processInfo.environment["BACKDROP_TESTED_MODULE"]
let cSettings: [CSetting] =
  [.define("_GNU_SOURCE"), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))] + guarded
  + (strict ? [.treatAllWarnings(as: .error)] : [])

/// The commit and its date for `backdrop --version`, which the Makefile gets from git. The date is not that of the build, so that two
/// builds of a commit are equal. A change compiles only their own target again.
let buildInfo: [CSetting] = ["BACKDROP_COMMIT", "BACKDROP_DATE"].compactMap { name in
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : .define(name, to: $0) }
}

/// All dependencies of each target of this package, direct or not.
nonisolated(unsafe) var reached: [String: [String]] = [:]

/// Targets with all their dependencies.
///
/// SwiftPM compiles a target again if the module of a direct dependency has changed. A change further down that leaves the modules in
/// between unchanged would otherwise not reach the target: its old objects would fail to link, or crash.
func reach(_ names: [String]) -> [Target.Dependency] {
  var all: [String] = []
  for name in names { for each in (reached[name] ?? []) + [name] where !all.contains(each) { all.append(each) } }
  return all.map { .byName(name: $0) }
}

func module(
  _ name: String, _ names: [String], products: [Target.Dependency] = [], path: String? = nil, isSmall: Bool = false,
  isLean: Bool = true, isQuick: Bool = false
) -> Target {
  reached[name] = names.flatMap { (reached[$0] ?? []) + [$0] }
  return .target(
    name: name, dependencies: reach(names) + products, path: path,
    swiftSettings: swiftSettings + (path == nil && isLean ? lean : [])
      + (isQuick && small.isEmpty ? quick : []) + (isSmall || isQuick ? small : []))
}

func program(_ name: String, _ names: [String], products: [Target.Dependency] = [], path: String? = nil) -> Target {
  .executableTarget(
    name: name, dependencies: reach(names) + products, path: path, swiftSettings: swiftSettings,
    linkerSettings: path == nil ? hardened : [])
}

func tests(_ name: String, _ names: [String] = [], of tested: [String]? = nil, products: [Target.Dependency] = [])
  -> Target
{
  .testTarget(
    name: name + "Tests", dependencies: reach((tested ?? [name]) + ["TestSupport"] + names) + products,
    exclude: name == "Fuzz" ? ["regression"] : [],
    swiftSettings: swiftSettings + (optimizedTests.contains(name) ? [] : quick))
}

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

/// Whether `scripts/fuzz.sh` builds, which tests the servers from another package.
let fuzzes = ProcessInfo.processInfo.environment["BACKDROP_FUZZ"] == "1"
/// The libraries for other packages: everything, and photos without the engine.
let libraries = ["Backdrop", "BackdropPhotos"] + (fuzzes ? ["BackdropHTTP", "BackdropLive", "BackdropStudio"] : [])

func dependency(_ name: String, exact version: Version) -> Package.Dependency {
  isVendored
    ? .package(path: "vendor/" + name) : .package(url: "https://github.com/apple/" + name, exact: version)
}

let package = Package(
  name: "backdrop",
  products: [
    .executable(name: "backdrop", targets: ["BackdropProgram"]),
    // The same program with the studio and the service, which packages install as "backdrop". SwiftNIO and both are a quarter of the build,
    // and pictures do not need them.
    .executable(name: "backdrop-server", targets: ["BackdropServer"]),
    // scripts/library.sh makes libbackdrop.so of it, which C, Python, GStreamer and OBS load.
    .library(name: "BackdropC", type: .dynamic, targets: ["BackdropC"]),
  ]
    + libraries.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    // Exact versions of these. SwiftNIO gives ranges for swift-atomics, swift-collections and swift-system, so builds at different times may
    // have different ones; SwiftPM warns of a dependency that no target here uses. The SBOM of a release names the versions in it.
    dependency("swift-argument-parser", exact: "1.8.2"),
    dependency("swift-nio", exact: "2.101.2"),
    dependency("swift-nio-http2", exact: "1.46.0"),
  ]
    // Folders replace the dependencies of dependencies only if they are named.
    + (isVendored
      ? ["swift-atomics", "swift-collections", "swift-system"].map { .package(path: "vendor/" + $0) } : []),
  targets: [
    .target(name: "CBackdropKernels", cSettings: cSettings),
    .target(name: "CBuildInfo", cSettings: cSettings + buildInfo),
    .target(name: "COpenVINO", cSettings: cSettings),
    .target(name: "COpenNI2", cSettings: cSettings),
    .target(name: "CPipeWire", cSettings: cSettings),
    .target(name: "CRealSense", cSettings: cSettings),
    .target(name: "CSandbox", cSettings: cSettings),
    .target(name: "CTIFF", cSettings: cSettings),
    .target(name: "CV4L2", cSettings: cSettings),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CSPNG", pkgConfig: "spng", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
    // Its pkg-config file has a flag for Windows that SwiftPM refuses.
    .systemLibrary(name: "CAVIF", providers: [.apt(["libavif-dev"])]),
    .systemLibrary(name: "CGIF", providers: [.apt(["libgif-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CFFmpeg", pkgConfig: ffmpegHeadersAreFound ? nil : "libavformat",
      providers: [
        .apt([
          "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev", "libswresample-dev",
          "libavfilter-dev",
        ])
      ]),

    module("Libc", []),
    module("BackdropImaging", ["CBackdropKernels", "CLCMS", "Libc"]),
    module("BackdropCodecs", ["BackdropImaging", "CAVIF", "CGIF", "CSPNG", "CTurboJPEG", "CWebP", "CZlib"]),
    .target(name: "CFFmpegLoader", cSettings: cSettings),
    module(
      "BackdropFFmpeg", ["BackdropImaging", "CBackdropKernels", "CFFmpeg", "CFFmpegLoader"], isSmall: true),
    module("BackdropDepth", ["BackdropImaging", "CBackdropKernels"]),
    module("BackdropClouds", ["BackdropDepth", "CBackdropKernels"], isSmall: true),
    module("BackdropMatting", ["BackdropDepth", "CBackdropKernels"]),
    module("BackdropLooks", ["BackdropMatting", "CBackdropKernels"], isSmall: true),
    module("BackdropModels", ["BackdropMatting", "CBackdropKernels", "COpenVINO"]),
    module(
      "BackdropPhotos",
      ["BackdropDepth", "BackdropCodecs", "BackdropFFmpeg", "CExpat", "CFFmpeg", "CTIFF"], isSmall: true),
    module("BackdropVideo", ["BackdropFFmpeg", "CFFmpeg"], isSmall: true),
    module("BackdropSandbox", ["BackdropPhotos", "BackdropVideo", "CSandbox"], isSmall: true),
    module(
      "BackdropCameras", ["BackdropCodecs", "BackdropFFmpeg", "CFFmpeg", "CPipeWire", "CTurboJPEG", "CV4L2"],
      isSmall: true),
    module(
      "BackdropRecordings", ["BackdropDepth", "BackdropCodecs", "BackdropVideo", "CExpat", "COpenNI2", "CRealSense"],
      isSmall: true),
    module("BackdropSimulation", ["BackdropDepth", "CBackdropKernels"], isSmall: true),
    .target(name: "CScenery", exclude: ["pictures"], cSettings: cSettings),
    module(
      "Backdrop",
      [
        "BackdropCameras", "BackdropClouds", "BackdropLooks", "BackdropModels", "BackdropPhotos",
        "BackdropRecordings", "BackdropSandbox", "BackdropSimulation", "BackdropVideo", "CScenery",
      ]),
    module("BackdropLive", ["Backdrop", "BackdropCameras"]),
    .target(name: "CStudioPage", exclude: ["page"], cSettings: cSettings),
    module(
      "BackdropHTTP", ["BackdropImaging"],
      products: [product("NIOHTTP2", "swift-nio-http2")]
        + ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map { product($0, "swift-nio") }),
    module(
      "BackdropServe", ["Backdrop", "BackdropHTTP"], products: ["NIOCore", "NIOHTTP1"].map { product($0, "swift-nio") }),
    module(
      "BackdropStudio", ["BackdropHTTP", "BackdropLive", "CStudioPage"],
      products: ["NIOCore", "NIOHTTP1", "NIOWebSocket"].map { product($0, "swift-nio") }),
    .target(name: "CBackdrop", cSettings: cSettings),
    module("BackdropC", ["Backdrop", "CBackdrop", "CBuildInfo"], isSmall: true),
    module("BackdropTerminal", ["BackdropLive"]),
    module(
      "BackdropCommand", ["BackdropTerminal", "CBuildInfo"],
      products: [product("ArgumentParser", "swift-argument-parser")], isLean: false, isQuick: true),
    program("BackdropProgram", ["BackdropCommand"]),
    program("BackdropServer", ["BackdropCommand", "BackdropServe", "BackdropStudio"]),

    module("TestSupport", ["BackdropCodecs", "BackdropDepth"], path: "Tests/TestSupport"),
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter", cSettings: cSettings),
    tests("BackdropImaging", ["CBackdropKernels"]),
    tests("BackdropCodecs"),
    tests("BackdropDepth", ["CAllocationCounter", "CBackdropKernels"]),
    tests("BackdropClouds", ["CBackdropKernels"]),
    tests("BackdropMatting", ["CAllocationCounter", "CBackdropKernels"]),
    tests("BackdropLooks", ["CAllocationCounter"]),
    tests("BackdropModels", ["BackdropCodecs"]),
    tests("BackdropPhotos"),
    tests("BackdropVideo"),
    tests("BackdropSandbox", ["CSandbox"]),
    tests("BackdropCameras", ["CV4L2"]),
    // These tests open recordings by their names, as the engine does.
    tests("BackdropRecordings", ["Backdrop"]),
    tests("BackdropSimulation", ["CBackdropKernels"]),
    tests("Backdrop"),
    tests("BackdropLive"),
    tests("BackdropHTTP", products: [product("NIOEmbedded", "swift-nio")]),
    tests("BackdropServe"),
    tests("BackdropStudio"),
    tests("Fuzz", ["BackdropStudio"], of: [], products: [product("NIOEmbedded", "swift-nio")]),
    tests("Architecture", of: []),
    tests("Documentation", ["Backdrop"], of: []),
    tests(
      "Command", ["BackdropCommand", "BackdropServer", "BackdropTerminal"], of: [],
      products: [product("ArgumentParser", "swift-argument-parser")]),
  ]
    // Other packages have no use for the benchmarks.
    + (isDependency
      ? []
      : [
        program(
          "bench", ["BackdropLive", "TestSupport"], products: [product("ArgumentParser", "swift-argument-parser")],
          path: "Benchmarks/Sources/bench")
      ])
)

if let testedModule { package.targets.removeAll { $0.type == .test && $0.name != testedModule + "Tests" } }
