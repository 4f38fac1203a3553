import BackdropDepth
import BackdropImaging

/// A recording's facts about one frame besides its pictures, read together with the frame.
enum FrameFacts: Sendable, Equatable {
  /// Nothing.
  case none
  /// The camera's pose, its intrinsics, or both.
  case known(camera: Intrinsics?, pose: Extrinsics?)
  /// A file with the pose as a matrix of four rows, from the camera to the world.
  case matrix(String)
  /// A camera file of Polycam, with intrinsics and pose.
  case polycam(String)

  /// What is known.
  ///
  /// - Throws: `badData` if the file contains nothing usable.
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
  /// From a matrix of at least three rows of four numbers; `nil` if that is not a pose.
  init?(matrix m: [Double]) {
    guard m.count >= 12 else { return nil }
    self.init(
      rotation: [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]], translation: [m[3], m[7], m[11]])
    guard isPose else { return nil }
  }

  /// From a position and a unit quaternion x, y, z, w; `nil` if that is not a pose.
  init?(position: [Double], quaternion: [Double]) {
    guard position.count == 3, quaternion.count == 4 else { return nil }
    let length = quaternion.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 0.9 && length < 1.1 else { return nil }
    let q = quaternion.map { $0 / length }
    let (x, y, z, w) = (q[0], q[1], q[2], q[3])
    let first = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
    let second = [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]
    let third = [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
    self.init(rotation: first + second + third, translation: position)
    guard isPose else { return nil }
  }

  /// The same pose of a camera with y down and z forwards, in place of ARKit's and OpenGL's y up and z backwards.
  var turnedFromGraphics: Extrinsics {
    var result = self
    for row in 0..<3 {
      result.rotation[3 * row + 1].negate()
      result.rotation[3 * row + 2].negate()
    }
    return result
  }

  /// Whether the rotation is valid, and the position is on Earth.
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
