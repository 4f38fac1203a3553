// swift-tools-version: 6.2
import PackageDescription

// Built by scripts/fuzz.sh, with the flags that libFuzzer needs.
let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(name: "backdrop", path: ".."),
    // The version of the root package.
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "Backdrop", package: "backdrop"), .product(name: "BackdropLive", package: "backdrop"),
        .product(name: "BackdropStudio", package: "backdrop"), .product(name: "BackdropHTTP", package: "backdrop"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")])
  ]
)
