// swift-tools-version: 6.2
import PackageDescription

// Examples of programs that use Backdrop. This package depends on Backdrop like any other, here by its path. `make examples` builds it.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "backdrop", path: "..")],
  targets: ["portrait-folder", "matte-table", "camera-pictures"].map { name in
    .executableTarget(
      name: name,
      dependencies: [.product(name: "Backdrop", package: "backdrop")])
  }
)
