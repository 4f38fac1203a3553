import BackdropDepth
import BackdropImaging

/// The intrinsics and the pose of a recorded frame, read together with its pictures.
enum FrameFacts: Sendable {
  case none
  case known(camera: Intrinsics?, pose: Extrinsics?)
  /// The path of a file that holds the camera-to-world pose as a matrix of four rows.
  case matrix(String)
  /// The path of a Polycam camera file, which holds intrinsics and pose.
  case polycam(String)

  /// Reads the intrinsics and the pose; each is `nil` if the recording does not have it.
  func read() throws(BackdropError) -> (camera: Intrinsics?, pose: Extrinsics?) {
    switch self {
    case .none: (nil, nil)
    case .known(let camera, let pose): (camera, pose)
    // If tracking was lost, the numbers are not finite: no pose.
    case .matrix(let path): (nil, Extrinsics(matrix: try NumberText.matrix(path, 4)))
    case .polycam(let path): try PolycamCamera.read(path)
    }
  }
}

extension Extrinsics {
  /// Creates a pose from at least three rows of four numbers; `nil` if they are not a rotation and a position.
  init?(matrix m: [Double]) {
    guard m.count >= 12 else { return nil }
    self.init(rotation: [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]], translation: [m[3], m[7], m[11]])
    guard isPose else { return nil }
  }

  /// Creates a pose from a position and a unit quaternion x, y, z, w; `nil` if they are not a pose.
  init?(position: [Double], quaternion: [Double]) {
    guard position.count == 3, quaternion.count == 4 else { return nil }
    let length = quaternion.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 0.9 && length < 1.1 else { return nil }
    self.init(quaternion: SIMD4(quaternion) / length, translation: position)
    guard isPose else { return nil }
  }

  /// The pose converted from ARKit's and OpenGL's camera axes (y up, z backwards) to y down and z forwards.
  var turnedFromGraphics: Extrinsics {
    var result = self
    for row in 0..<3 {
      result.rotation[3 * row + 1].negate()
      result.rotation[3 * row + 2].negate()
    }
    return result
  }

  /// Whether the rotation is orthonormal and each coordinate is within 10,000 km.
  private var isPose: Bool {
    guard rotation.count == 9, translation.count == 3, translation.allSatisfy({ abs($0) < 1e7 }) else { return false }
    for i in 0..<3 {
      for j in i..<3 {
        let product = (0..<3).reduce(0) { $0 + rotation[3 * i + $1] * rotation[3 * j + $1] }
        guard abs(product - (i == j ? 1 : 0)) < 0.01 else { return false }
      }
    }
    return true
  }
}
