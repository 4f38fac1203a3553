import BackdropImaging

/// How to rotate two cameras so that both see each point in the same row. The resulting camera has the main one's position and lens, and
/// its rows point to the other one.
struct StereoRectification {
  /// The lens of both resulting cameras.
  let intrinsics: Intrinsics
  private let other: Intrinsics
  /// From the resulting camera to the two original ones.
  private let toMain, toOther: Extrinsics

  /// - Parameter isLeft: whether the main picture is the left eye's.
  init(_ cameras: StereoCameras, isLeft: Bool, width: Int, height: Int) {
    intrinsics = cameras.main.scaled(toWidth: width, height: height)
    other = cameras.other.scaled(toWidth: width, height: height)
    let position = cameras.extrinsics.inverted.translation
    let side = isLeft ? 1.0 : -1.0
    let along = SIMD3(position[0], position[1], position[2]) * (side / cameras.baseline)
    // If the cameras are not side by side like eyes, the file's axes are misinterpreted.
    guard along.x > 0.9 else {
      (toMain, toOther) = (.identity, .identity)
      return
    }
    let forward = SIMD3(0, 0, 1) - along * along.z
    let ahead = forward / (forward * forward).sum().squareRoot()
    let down = SIMD3(
      ahead.y * along.z - ahead.z * along.y, ahead.z * along.x - ahead.x * along.z,
      ahead.x * along.y - ahead.y * along.x)
    let turn = [along.x, down.x, ahead.x, along.y, down.y, ahead.y, along.z, down.z, ahead.z]
    toMain = Extrinsics(rotation: turn, translation: [0, 0, 0])
    // The product of both rotations: each column of the first, turned by the second.
    let columns = [along, down, ahead].map { cameras.extrinsics.turned($0.x, $0.y, $0.z) }
    toOther = Extrinsics(rotation: columns.map(\.x) + columns.map(\.y) + columns.map(\.z), translation: [0, 0, 0])
  }

  /// The main picture from the resulting camera.
  func main(_ picture: Plane<UInt8>) -> Plane<UInt8> { warped(picture, of: intrinsics, toMain) }
  /// The other picture from the same camera at the other position.
  func other(_ picture: Plane<UInt8>) -> Plane<UInt8> { warped(picture, of: other, toOther) }

  private func warped(_ picture: Plane<UInt8>, of lens: Intrinsics, _ turn: Extrinsics) -> Plane<UInt8> {
    guard !turn.isNothing || lens != intrinsics else { return picture }
    return Plane(width: picture.width, height: picture.height) { x, y in
      let position = projected(Double(x) + 0.5, Double(y) + 0.5, of: intrinsics, to: lens, turn)
      return UInt8(picture.between(position.x - 0.5, position.y - 0.5) + 0.5)
    }
  }

  /// The position in a picture with lens `target` of the position (x, y) in one with lens `lens`.
  private func projected(
    _ x: Double, _ y: Double, of lens: Intrinsics, to target: Intrinsics, _ turn: Extrinsics
  ) -> (x: Double, y: Double) {
    let ray = turn.turned((x - lens.cx) / lens.fx, (y - lens.cy) / lens.fy, 1)
    // Points behind a camera are invisible.
    guard ray.z > 1e-3 else { return (-1, -1) }
    return (ray.x / ray.z * target.fx + target.cx, ray.y / ray.z * target.fy + target.cy)
  }

  /// Inverse distances along the main camera's axis for each pixel of its picture, from those along the resulting camera's axis.
  func restored(_ map: Plane<Float>) -> Plane<Float> {
    guard !toMain.isNothing else { return map }
    let back = toMain.inverted
    return Plane(width: map.width, height: map.height) { x, y in
      let position = projected(Double(x) + 0.5, Double(y) + 0.5, of: intrinsics, to: intrinsics, back)
      guard position.x >= 0 && position.y >= 0 && position.x < Double(map.width) && position.y < Double(map.height)
      else {
        return .nan
      }
      // The position in one camera of a point at distance 1 from the other.
      let ray = toMain.turned(
        (position.x - intrinsics.cx) / intrinsics.fx, (position.y - intrinsics.cy) / intrinsics.fy, 1)
      return map[Int(position.x), Int(position.y)] / Float(ray.z)
    }
  }
}

extension Extrinsics {
  /// Whether its rotation is less than a tenth of a pixel in a matched picture.
  fileprivate var isNothing: Bool {
    zip(rotation, Self.identity.rotation).allSatisfy { abs($0 - $1) < 1e-4 }
  }
}

extension Plane<UInt8> {
  /// The mean of four samples round a position; the edge repeats beyond.
  fileprivate func between(_ x: Double, _ y: Double) -> Double {
    let px = Swift.min(Swift.max(x, 0), Double(width - 1)), py = Swift.min(Swift.max(y, 0), Double(height - 1))
    let (left, top) = (Int(px), Int(py))
    let (right, bottom) = (Swift.min(left + 1, width - 1), Swift.min(top + 1, height - 1))
    let (p, q) = (px - Double(left), py - Double(top))
    let above = row(top), below = row(bottom)
    let one = Double(above[left]) * (1 - p) + Double(above[right]) * p
    let two = Double(below[left]) * (1 - p) + Double(below[right]) * p
    return one * (1 - q) + two * q
  }
}
