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

func module(_ name: String, _ dependencies: [Target.Dependency], isSmall: Bool = false) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings + lean + (isSmall ? small : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
    swiftSettings: swiftSettings)
}

let modules = [
  "BackdropImaging", "BackdropCodecs", "BackdropFFmpeg", "BackdropDepth", "BackdropClouds", "BackdropMatting",
  "BackdropLooks", "BackdropModels", "BackdropPhotos", "BackdropVideo", "BackdropCameras", "BackdropRecordings",
  "BackdropSimulation", "Backdrop", "BackdropLive", "BackdropStudio",
]

let package = Package(
  name: "backdrop",
  products: [
    .executable(name: "backdrop", targets: ["BackdropCommand"]),
    // What C, Python, GStreamer and OBS load: scripts/library.sh makes libbackdrop.so of it.
    .library(name: "BackdropC", type: .dynamic, targets: ["BackdropC"]),
  ]
    + modules.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    // Exact, so that every build of a version is made of the same sources.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .target(name: "CBackdropKernels", cSettings: cSettings),
    .target(name: "CBuildInfo", cSettings: cSettings + buildInfo),
    .target(name: "COpenVINO", cSettings: cSettings),
    .target(name: "COpenNI2", cSettings: cSettings),
    .target(name: "CPipeWire", cSettings: cSettings),
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
    module(
      "BackdropCameras", ["BackdropCodecs", "BackdropFFmpeg", "CFFmpeg", "CPipeWire", "CTurboJPEG", "CV4L2"],
      isSmall: true),
    module("BackdropRecordings", ["BackdropDepth", "BackdropCodecs", "BackdropVideo", "COpenNI2"], isSmall: true),
    module("BackdropSimulation", ["BackdropDepth", "CBackdropKernels"], isSmall: true),
    module(
      "Backdrop",
      [
        "BackdropCameras", "BackdropClouds", "BackdropLooks", "BackdropModels", "BackdropPhotos",
        "BackdropRecordings", "BackdropSimulation", "BackdropVideo",
      ]),
    module("BackdropLive", ["Backdrop", "BackdropCameras"]),
    .target(name: "CStudioPage", exclude: ["page"], cSettings: cSettings),
    .target(
      name: "BackdropStudio",
      dependencies: ["BackdropLive", "CStudioPage"]
        + ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map { .product(name: $0, package: "swift-nio") },
      swiftSettings: swiftSettings),
    .target(name: "CBackdrop", cSettings: cSettings),
    module("BackdropC", ["Backdrop", "CBackdrop", "CBuildInfo"], isSmall: true),
    .executableTarget(
      name: "BackdropCommand",
      dependencies: modules.map { .byName(name: $0) } + [
        "CBuildInfo", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings, linkerSettings: hardened),

    .target(
      name: "TestSupport", dependencies: ["BackdropCodecs", "BackdropDepth"], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
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
    tests("BackdropCameras", ["CV4L2"]),
    // Recordings are opened by their names, as the engine does.
    tests("BackdropRecordings", ["Backdrop"]),
    tests("BackdropSimulation", ["CBackdropKernels"]),
    tests("Backdrop"),
    tests("BackdropLive"),
    tests("BackdropStudio"),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Backdrop", "BackdropLive", "BackdropStudio", .product(name: "NIOEmbedded", package: "swift-nio"),
      ], exclude: ["regression"],
      swiftSettings: swiftSettings),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: swiftSettings),
    .testTarget(name: "DocumentationTests", dependencies: ["TestSupport", "Backdrop"], swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "TestSupport", "BackdropLive", "BackdropCommand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings),
  ]
)
