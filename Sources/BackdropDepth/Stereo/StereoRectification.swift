import BackdropImaging

/// How two cameras must be turned so that both see everything in the same row: the camera that is made has the main one's place and
/// lens, and its rows lie along the way to the other one.
struct StereoRectification {
  /// The lens of both cameras that are made.
  let intrinsics: Intrinsics
  private let other: Intrinsics
  /// From the camera that is made to the two that took the pictures.
  private let toMain: Extrinsics
  private let toOther: Extrinsics

  /// - Parameters:
  ///   - cameras: those that took the pictures.
  ///   - isLeft: whether the main picture is the left eye's.
  ///   - width: the width of the pictures that will be rectified.
  ///   - height: their height.
  init(_ cameras: StereoCameras, isLeft: Bool, width: Int, height: Int) {
    intrinsics = cameras.main.scaled(toWidth: width, height: height)
    other = cameras.other.scaled(toWidth: width, height: height)
    let place = cameras.extrinsics.inverted.translation
    let side = isLeft ? 1.0 : -1.0
    let along = SIMD3(place[0], place[1], place[2]) * (side / cameras.baseline)
    // Where cameras are not beside each other as their eyes are, the axes of the file are others than thought.
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
    toOther = Extrinsics(rotation: cameras.extrinsics.rotation, translation: [0, 0, 0]).after(turn)
  }

  /// The main picture as the camera that is made sees it.
  func main(_ picture: Plane<UInt8>) -> Plane<UInt8> { warped(picture, of: intrinsics, toMain) }
  /// The other picture as that camera would see it from the other place.
  func other(_ picture: Plane<UInt8>) -> Plane<UInt8> { warped(picture, of: other, toOther) }

  private func warped(_ picture: Plane<UInt8>, of lens: Intrinsics, _ turn: Extrinsics) -> Plane<UInt8> {
    guard !turn.isNothing || lens != intrinsics else { return picture }
    var result = Plane<UInt8>(uninitializedWidth: picture.width, height: picture.height)
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      for x in row.indices {
        let place = place(Double(x) + 0.5, Double(y) + 0.5, of: intrinsics, to: lens, turn)
        row[x] = UInt8(picture.between(place.x - 0.5, place.y - 0.5) + 0.5)
      }
    }
    return result
  }

  private func place(_ x: Double, _ y: Double, of lens: Intrinsics, to target: Intrinsics, _ turn: Extrinsics) -> (
    x: Double, y: Double
  ) {
    let ray = turn.turned((x - lens.cx) / lens.fx, (y - lens.cy) / lens.fy, 1)
    // Nothing behind a camera is seen.
    guard ray.z > 1e-3 else { return (-1, -1) }
    return (ray.x / ray.z * target.fx + target.cx, ray.y / ray.z * target.fy + target.cy)
  }

  /// Inverse distances along the axis of the main camera, of each pixel of its picture, from those along the axis of the camera that
  /// is made.
  func restored(_ map: Plane<Float>) -> Plane<Float> {
    guard !toMain.isNothing else { return map }
    let back = toMain.inverted
    var result = Plane<Float>(uninitializedWidth: map.width, height: map.height)
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      for x in row.indices {
        let place = place(Double(x) + 0.5, Double(y) + 0.5, of: intrinsics, to: intrinsics, back)
        guard place.x >= 0 && place.y >= 0 && place.x < Double(map.width) && place.y < Double(map.height) else {
          row[x] = .nan
          continue
        }
        // A point at distance 1 of the one camera is at this of the other.
        let ray = toMain.turned(
          (place.x - intrinsics.cx) / intrinsics.fx, (place.y - intrinsics.cy) / intrinsics.fy, 1)
        row[x] = map[Int(place.x), Int(place.y)] / Float(ray.z)
      }
    }
    return result
  }
}

extension Extrinsics {
  /// The turn that does `first` and then this one.
  fileprivate func after(_ first: [Double]) -> Extrinsics {
    var product = [Double](repeating: 0, count: 9)
    for row in 0..<3 {
      for column in 0..<3 {
        for k in 0..<3 { product[3 * row + column] += rotation[3 * row + k] * first[3 * k + column] }
      }
    }
    return Extrinsics(rotation: product, translation: [0, 0, 0])
  }

  /// Whether it turns nothing by as much as a tenth of a pixel of a picture that is matched.
  fileprivate var isNothing: Bool {
    zip(rotation, Self.identity.rotation).allSatisfy { abs($0 - $1) < 1e-4 }
  }
}

extension Plane<UInt8> {
  /// The mean of four samples round a place; beyond the edge, of those at it.
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
