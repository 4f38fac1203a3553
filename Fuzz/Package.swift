// swift-tools-version: 6.2
import PackageDescription

// Built by scripts/fuzz.sh, with the flags that libFuzzer needs.
let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "backdrop", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "Backdrop", package: "backdrop"), .product(name: "BackdropLive", package: "backdrop"),
        .product(name: "BackdropStudio", package: "backdrop"),
      ],
      swiftSettings: [.enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("ExistentialAny")])
  ]
)
