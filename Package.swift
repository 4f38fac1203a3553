// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Warnings are errors where `BACKDROP_STRICT=1` is set, as `make check` and CI do.
let strict = ProcessInfo.processInfo.environment["BACKDROP_STRICT"] == "1"
/// SwiftPM can refuse a dependency with flags that it calls unsafe, so they are left out where this package is one: dependencies
/// are checked out into a folder of that name.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let swiftSettings: [SwiftSetting] =
  [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")]
  + (strict ? [.treatAllWarnings(as: .error)] : [])
/// Regular expressions, which only tests use, are 1.2 MB of `libbackdrop.so`: no module imports them without saying so.
let lean: [SwiftSetting] =
  isDependency ? [] : [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]
/// What is given to others (`scripts/release-flags.sh`) is compiled for size where files and devices are read, pixels are worked on in C
/// or nobody waits.
let small: [SwiftSetting] =
  ProcessInfo.processInfo.environment["BACKDROP_RELEASE"] == "1" && !isDependency ? [.unsafeFlags(["-Osize"])] : []
/// Arrays on the stack are guarded.
let guarded: [CSetting] = isDependency ? [] : [.unsafeFlags(["-fstack-protector-strong"])]
/// All functions of libraries are looked up at the start, so that the table of their places can be read-only from then on. The
/// linker makes the program position-independent by itself. Libraries that nobody calls are not loaded: what pkg-config says of FFmpeg
/// would load a hundred and forty. HardeningTests looks at the result.
let hardened: [LinkerSetting] =
  isDependency
  ? []
  : [
    .unsafeFlags(
      ["-Xlinker", "--as-needed", "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
      .when(platforms: [.linux]))
  ]
/// FFmpeg's libraries are opened by CFFmpegLoader; what pkg-config says would link them, and is asked only where their
/// headers are not with the others.
let ffmpegHeadersAreFound = ["", "/x86_64-linux-gnu", "/aarch64-linux-gnu"].contains {
  FileManager.default.fileExists(atPath: "/usr/include\($0)/libavformat/avformat.h")
}
let cSettings: [CSetting] =
  [.define("_GNU_SOURCE"), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))] + guarded
  + (strict ? [.treatAllWarnings(as: .error)] : [])

/// What `backdrop --version` tells beside the number: the Makefile asks git. The day of the commit, not of the build, so that two
/// builds of a commit are equal. In a target of their own, since a change of them compiles it anew.
let buildInfo: [CSetting] = ["BACKDROP_COMMIT", "BACKDROP_DATE"].compactMap { name in
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : .define(name, to: $0) }
}

/// What each target of this package reaches.
nonisolated(unsafe) var reached: [String: [String]] = [:]

/// Targets with all that they reach, for a target to name.
///
/// SwiftPM compiles a target anew if the module of a target that it names has changed. A change that leaves the module in between as it
/// was would otherwise not get through to a target that uses what is behind it: its objects would stay as they were, and fail to link or
/// crash.
func reach(_ names: [String]) -> [Target.Dependency] {
  var all: [String] = []
  for name in names { for each in (reached[name] ?? []) + [name] where !all.contains(each) { all.append(each) } }
  return all.map { .byName(name: $0) }
}

func module(
  _ name: String, _ names: [String], products: [Target.Dependency] = [], path: String? = nil, isSmall: Bool = false
) -> Target {
  reached[name] = names.flatMap { (reached[$0] ?? []) + [$0] }
  return .target(
    name: name, dependencies: reach(names) + products, path: path,
    swiftSettings: swiftSettings + (path == nil ? lean : []) + (isSmall ? small : []))
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
    exclude: name == "Fuzz" ? ["regression"] : [], swiftSettings: swiftSettings)
}

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

let modules = [
  "BackdropImaging", "BackdropCodecs", "BackdropFFmpeg", "BackdropDepth", "BackdropClouds", "BackdropMatting",
  "BackdropLooks", "BackdropModels", "BackdropPhotos", "BackdropVideo", "BackdropSandbox", "BackdropCameras",
  "BackdropRecordings", "BackdropSimulation", "Backdrop", "BackdropLive", "BackdropHTTP", "BackdropServe",
  "BackdropStudio",
]

let package = Package(
  name: "backdrop",
  products: [
    .executable(name: "backdrop", targets: ["BackdropCommand"]),
    // The studio, a program of its own: SwiftNIO and the studio are a quarter of the build, which pictures alone do not need.
    .executable(name: "backdrop-server", targets: ["BackdropServer"]),
    // What C, Python, GStreamer and OBS load: scripts/library.sh makes libbackdrop.so of it.
    .library(name: "BackdropC", type: .dynamic, targets: ["BackdropC"]),
  ]
    + modules.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    // Exact, so that every build of a version is made of the same sources.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
  ],
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
    module("BackdropFFmpeg", ["BackdropImaging", "CFFmpeg", "CFFmpegLoader"], isSmall: true),
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
    module(
      "Backdrop",
      [
        "BackdropCameras", "BackdropClouds", "BackdropLooks", "BackdropModels", "BackdropPhotos",
        "BackdropRecordings", "BackdropSandbox", "BackdropSimulation", "BackdropVideo",
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
    program("BackdropServer", ["BackdropServe", "BackdropStudio", "BackdropTerminal"]),
    program(
      "BackdropCommand", ["BackdropTerminal", "CBuildInfo"],
      products: [product("ArgumentParser", "swift-argument-parser")]),

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
    // Recordings are opened by their names, as the engine does.
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
    // The benchmarks, which other packages have no use for.
    + (isDependency
      ? []
      : [
        program(
          "bench", ["BackdropLive", "TestSupport"], products: [product("ArgumentParser", "swift-argument-parser")],
          path: "Benchmarks/Sources/bench")
      ])
)
