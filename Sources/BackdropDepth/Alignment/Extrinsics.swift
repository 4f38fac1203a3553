import BackdropImaging

/// The position of one camera relative to another: a point p of the first is at rotation · p + translation for the
/// second.
public struct Extrinsics: Sendable, Codable, Equatable {
  /// Nine numbers, row by row.
  public var rotation: [Double]
  /// Metres to the right, down, forwards.
  public var translation: [Double]

  /// Both cameras at the same position, with the same direction.
  public static let identity = Extrinsics(rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0])

  /// Makes extrinsics.
  public init(rotation: [Double], translation: [Double]) {
    self.rotation = rotation
    self.translation = translation
  }

  /// - Parameter q: the rotation, as a quaternion x, y, z, w of length 1.
  package init(quaternion q: SIMD4<Double>, translation: [Double]) {
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    let first = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
    let second = [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]
    let third = [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
    self.init(rotation: first + second + third, translation: translation)
  }

  /// The inverse: from the second camera to the first.
  public var inverted: Extrinsics {
    let r = rotation, t = translation
    guard r.count == 9 && t.count == 3 else { return self }
    let back = Extrinsics(rotation: [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]], translation: [0, 0, 0])
    let (x, y, z) = back.turned(t[0], t[1], t[2])
    return Extrinsics(rotation: back.rotation, translation: [-x, -y, -z])
  }

  /// A direction in the second camera's axes.
  func turned(_ x: Double, _ y: Double, _ z: Double) -> (x: Double, y: Double, z: Double) {
    let r = rotation
    return (r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z)
  }

  /// - Throws: `badData` for a wrong number of values, a matrix that is not a rotation, and distances over 100 m.
  public func check() throws(BackdropError) {
    guard rotation.count == 9 && translation.count == 3 && translation.allSatisfy({ abs($0) <= 100 }) else {
      throw BackdropError(
        .badData, "the extrinsics have \(rotation.count) + \(translation.count) numbers, or a translation over 100 m",
        hint: "give nine numbers for the rotation, row by row, and three for the translation in metres")
    }
    for i in 0..<3 {
      for j in i..<3 {
        let product = (0..<3).reduce(0) { $0 + rotation[3 * i + $1] * rotation[3 * j + $1] }
        guard abs(product - (i == j ? 1 : 0)) < 0.01 else {
          throw BackdropError(
            .badData,
            "the extrinsics' rotation is not a rotation: rows \(i + 1) and \(j + 1) have the product \(product)",
            hint: "give rows of length 1 at right angles to each other")
        }
      }
    }
  }
}
