// swift-tools-version: 6.2
import PackageDescription

// Programs as a user would write them: this package depends on Backdrop as any other would, here by its path. `make examples`.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "backdrop", path: "..")],
  targets: ["portrait-folder", "matte-table", "camera-pictures"].map { name in
    .executableTarget(
      name: name,
      dependencies: [.product(name: "Backdrop", package: "backdrop")])
  }
)
