// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Warnings are errors where `BACKDROP_STRICT=1` is set, as `make check` and CI do.
let strict = ProcessInfo.processInfo.environment["BACKDROP_STRICT"] == "1"
let swiftSettings: [SwiftSetting] =
  [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")]
  + (strict ? [.treatAllWarnings(as: .error)] : [])
let cSettings: [CSetting] = [.define("_GNU_SOURCE")] + (strict ? [.treatAllWarnings(as: .error)] : [])

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
    swiftSettings: swiftSettings)
}

let modules = [
  "BackdropImaging", "BackdropCodecs", "BackdropDepth", "BackdropMatting", "BackdropLooks", "BackdropModels",
  "BackdropMedia", "BackdropPhotos", "BackdropLive", "BackdropStudio",
]

let package = Package(
  name: "backdrop",
  products: [
    .library(name: "Backdrop", targets: modules),
    .executable(name: "backdrop", targets: ["BackdropCommand"]),
  ] + modules.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(name: "CBackdropKernels", cSettings: cSettings),
    .target(name: "COpenVINO", cSettings: cSettings),
    .target(name: "COpenNI2", cSettings: cSettings),
    .target(name: "CPipeWire", cSettings: cSettings),
    .target(name: "CV4L2", cSettings: cSettings),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CSPNG", pkgConfig: "spng", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CFFmpeg", pkgConfig: "libavformat",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]),

    module("BackdropImaging", ["CBackdropKernels"]),
    module("BackdropCodecs", ["BackdropImaging", "CTurboJPEG", "CSPNG", "CZlib"]),
    module("BackdropDepth", ["BackdropImaging", "CBackdropKernels"]),
    module("BackdropMatting", ["BackdropDepth", "CBackdropKernels"]),
    module("BackdropLooks", ["BackdropMatting", "CBackdropKernels"]),
    module("BackdropModels", ["BackdropMatting", "CBackdropKernels", "COpenVINO"]),
    module("BackdropMedia", ["BackdropImaging", "BackdropCodecs", "CFFmpeg", "CPipeWire", "CTurboJPEG", "CV4L2"]),
    module("BackdropPhotos", ["BackdropMatting", "BackdropCodecs", "BackdropMedia", "CFFmpeg"]),
    module(
      "BackdropLive",
      [
        "BackdropLooks", "BackdropDepth", "BackdropCodecs", "BackdropModels", "BackdropMedia", "BackdropPhotos",
        "COpenNI2",
      ]),
    .target(name: "CStudioPage", exclude: ["page"], cSettings: cSettings),
    .target(
      name: "BackdropStudio",
      dependencies: [
        "BackdropLive", "BackdropPhotos", "CStudioPage", .product(name: "FlyingFox", package: "FlyingFox"),
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "BackdropCommand",
      dependencies: modules.map { .byName(name: $0) } + [
        .product(name: "ArgumentParser", package: "swift-argument-parser")
      ],
      swiftSettings: swiftSettings),

    .target(
      name: "TestSupport", dependencies: ["BackdropImaging"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter", cSettings: cSettings),
    tests("BackdropImaging", ["CBackdropKernels"]),
    tests("BackdropCodecs"),
    tests("BackdropDepth", ["CAllocationCounter", "CBackdropKernels"]),
    tests("BackdropMatting", ["CAllocationCounter", "CBackdropKernels"]),
    tests("BackdropLooks", ["CAllocationCounter"]),
    tests("BackdropModels", ["BackdropMatting", "BackdropDepth", "BackdropCodecs"]),
    tests("BackdropMedia", ["CV4L2"]),
    tests("BackdropPhotos", ["BackdropCodecs"]),
    tests("BackdropLive"),
    tests("BackdropStudio", ["BackdropLive", "BackdropPhotos"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "TestSupport", "BackdropLive", "BackdropModels", "BackdropCommand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings),
  ]
)
