// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "backdrop", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "BackdropLooks", package: "backdrop"),
        .product(name: "BackdropLive", package: "backdrop"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ]
)
