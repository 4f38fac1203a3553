/// A hand as far as its joints tell: the palm, and fingers of one thickness; in pixels of the picture.
package struct HandShape: Sendable, Equatable {
  static let jointCount = 21
  /// How sure the network is that there is a hand, 0…1.
  let presence: Double
  /// The wrist, then four joints of each finger from its root to its tip, the thumb first.
  let joints: [SIMD2<Double>]

  /// The palm's outline.
  private static let palm = [0, 1, 2, 5, 9, 13, 17]
  /// What flesh is round.
  private static let bones: [(Int, Int)] =
    [(0, 1), (1, 5), (5, 9), (9, 13), (13, 17), (17, 0)]
    + (0..<5).flatMap { finger in (1..<4).map { (4 * finger + $0, 4 * finger + $0 + 1) } }
  /// Half of a finger's thickness, as a part of the palm's size.
  private static let thickness = 0.12
  /// Where the forearm is looked for: from the wrist on, away from the fingers, and round that place; as parts of the palm's length.
  private static let reach = 0.35, forearmRadius = 0.25
  /// The palm seen from its side is this much narrower than long.
  private static let breadth = 0.7

  init(presence: Double, joints: [SIMD2<Double>]) {
    precondition(joints.count == Self.jointCount, "a hand has 21 joints")
    (self.presence, self.joints) = (presence, joints)
  }

  private static func length(_ arm: SIMD2<Double>) -> Double { (arm.x * arm.x + arm.y * arm.y).squareRoot() }

  /// From the wrist to the knuckle of the middle finger.
  var palmLength: Double { Self.length(joints[9] - joints[0]) }

  /// Half of what fingers are thick, in pixels.
  var fingerRadius: Double {
    Self.thickness * max(Self.length(joints[17] - joints[5]), Self.breadth * palmLength)
  }

  /// The middle of all joints.
  var middle: SIMD2<Double> { joints.reduce(.zero, +) / Double(Self.jointCount) }

  /// Whether it is the same hand as another, found once more.
  func isSame(as other: HandShape) -> Bool { Self.length(middle - other.middle) < max(palmLength, other.palmLength) }

  /// Where the forearm begins, and how far round that place it reaches.
  var forearm: (center: SIMD2<Double>, radius: Double) {
    (joints[0] + (joints[0] - joints[9]) * Self.reach, palmLength * Self.forearmRadius)
  }

  /// How much of a square sample the hand covers, 0…1, about.
  ///
  /// - Parameters:
  ///   - place: the sample's middle.
  ///   - side: its side.
  func coverage(at place: SIMD2<Double>, side: Double) -> Double {
    if isInPalm(place) { return 1 }
    var nearest = Double.infinity
    for (first, second) in Self.bones { nearest = min(nearest, Self.distance(place, joints[first], joints[second])) }
    return min(max(0.5 + (fingerRadius - nearest) / side, 0), 1)
  }

  private static func distance(_ place: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    let (bone, arm) = (b - a, place - a)
    let square = bone.x * bone.x + bone.y * bone.y
    let part = square > 0 ? min(max((arm.x * bone.x + arm.y * bone.y) / square, 0), 1) : 0
    return length(arm - bone * part)
  }

  /// By the crossings of a ray to the right.
  private func isInPalm(_ place: SIMD2<Double>) -> Bool {
    var isInside = false
    var last = joints[Self.palm[Self.palm.count - 1]]
    for index in Self.palm {
      let corner = joints[index]
      if (corner.y > place.y) != (last.y > place.y) {
        let crossing = corner.x + (place.y - corner.y) / (last.y - corner.y) * (last.x - corner.x)
        if place.x < crossing { isInside.toggle() }
      }
      last = corner
    }
    return isInside
  }
}
