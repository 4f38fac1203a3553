import BackdropImaging

/// The two cameras of a stereo pair, described by the file.
package struct StereoCameras: Sendable, Codable, Equatable {
  package var main: Intrinsics
  package var other: Intrinsics
  /// From the main camera to the other one.
  package var extrinsics: Extrinsics

  package init(main: Intrinsics, other: Intrinsics, extrinsics: Extrinsics) {
    self.main = main
    self.other = other
    self.extrinsics = extrinsics
  }

  /// The distance between both, in metres.
  package var baseline: Double {
    extrinsics.translation.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }

  package var swapped: StereoCameras {
    StereoCameras(main: other, other: main, extrinsics: extrinsics.inverted)
  }

  /// The cameras of the pictures turned upright. Rotated pictures are assumed to face the same way.
  package func upright(_ orientation: Orientation, _ otherOrientation: Orientation) -> StereoCameras {
    guard orientation != .up || otherOrientation != .up else { return self }
    return StereoCameras(
      main: main.oriented(orientation), other: other.oriented(otherOrientation),
      extrinsics: Extrinsics(rotation: Extrinsics.identity.rotation, translation: [baseline, 0, 0]))
  }
}
