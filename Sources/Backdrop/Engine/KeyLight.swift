import Libc

/// A gentle light from above and one side, shaped by depth or, without it, round the face.
///
/// It comes from the side that is already brighter, and so agrees with the existing shadows.
struct KeyLight {
  /// Cells across the picture.
  private static let across = 48
  /// The most that it brightens and darkens at strength 1, in the unit of ``BackdropImaging/PictureLight``.
  private static let brightest: Float = 0.45, darkest: Float = -0.2
  /// The time constants of shape, position and side, in seconds.
  private static let ease = (shape: 0.15, position: 0.25, side: 2.0)

  /// The side that it comes from: −1 is left, 1 is right.
  private var side = -1.0, wantedSide = -1.0
  private var hasSide = false
  private var face: Rect?
  private var shape: Plane<Float>?

  /// Updates the side from how much brighter the right half of the face is.
  mutating func see(_ difference: Double) {
    // Nearly even light does not change the side.
    guard abs(difference) > (hasSide ? 0.08 : 0.01) else { return }
    wantedSide = difference > 0 ? 1 : -1
    if !hasSide { (side, hasSide) = (wantedSide, true) }
  }

  /// How much brighter each cell becomes, `seconds` after the last scene (`nil` for a single picture); `nil` with neither depth nor a face.
  mutating func map(_ scene: Scene, _ evidence: Evidence, after seconds: Double?) -> Plane<Float>? {
    func part(_ ease: Double) -> Double { seconds.map { 1 - exp(-$0 / ease) } ?? 1 }
    side += (wantedSide - side) * part(Self.ease.side)
    let (width, height) = (Double(scene.image.width), Double(scene.image.height))
    let down = max(1, Int((Double(Self.across) * height / width).rounded()))
    let weights = evidence.subject.means(Self.across, down)
    if let depth = scene.depth, let found = shading(depth, weights) {
      blend(found, Float(part(Self.ease.shape)))
    } else if let seen = evidence.faces?.first {
      let part = part(Self.ease.position)
      face =
        face.map { old in
          Rect(
            x: old.x + (seen.x - old.x) * part, y: old.y + (seen.y - old.y) * part,
            width: old.width + (seen.width - old.width) * part, height: old.height + (seen.height - old.height) * part)
        } ?? seen
      shape = glow(face ?? seen, width, height, down)
    } else if seconds == nil {
      return nil
    }
    // A face that is briefly out of sight keeps its light.
    guard var result = shape, result.height == down else { return nil }
    result.update(with: weights) { min(max($0, Self.darkest), Self.brightest) * $1 }
    return result
  }

  private mutating func blend(_ found: Plane<Float>, _ part: Float) {
    guard part < 1, var old = shape, old.width == found.width, old.height == found.height else {
      shape = found
      return
    }
    shape = nil
    old.update(with: found) { $0 + ($1 - $0) * part }
    shape = old
  }

  /// Light round a face: from above and one side, with a little shade on the other.
  private func glow(_ face: Rect, _ width: Double, _ height: Double, _ down: Int) -> Plane<Float> {
    let radius = 0.9 * face.width
    let (x, y, away) = (face.center.x, face.center.y - 0.25 * face.height, 0.5 * face.width * side)
    return Plane(width: Self.across, height: down) { column, row in
      let (u, v) = ((Double(column) + 0.5) / Double(Self.across) * width, (Double(row) + 0.5) / Double(down) * height)
      func fall(_ offset: Double) -> Double {
        let (across, along) = (u - x - offset, v - y)
        return exp(-(across * across + along * along) / (2 * radius * radius))
      }
      return Float(0.5 * fall(away) - 0.2 * fall(-away))
    }
  }

  /// Lambert's law on the surface that depth shows, relative to its mean; `nil` if too little is measured.
  private func shading(_ depth: DepthMap, _ weights: Plane<Float>) -> Plane<Float>? {
    let (across, down) = (weights.width, weights.height)
    var (sums, counts) = (Plane<Float>(repeating: 0, width: across, height: down), weights)
    var measured = 0
    for y in 0..<down {
      var sum = sums.mutableRow(y)
      var count = counts.mutableRow(y)
      for x in 0..<across {
        let weight = weights[x, y]
        (sum[x], count[x]) = (0, 0)
        guard weight > 0.5 else { continue }
        for i in 0..<16 {
          let u = (Double(x) + (Double(i % 4) + 0.5) / 4) / Double(across)
          let v = (Double(y) + (Double(i / 4) + 0.5) / 4) / Double(down)
          let metres = depth.metres[Int(u * Double(depth.width)), Int(v * Double(depth.height))]
          if metres.isFinite { (sum[x], count[x]) = (sum[x] + metres, count[x] + 1) }
        }
        if count[x] > 0 { measured += 1 }
      }
    }
    guard measured >= 24 else { return nil }
    for _ in 0..<2 { (sums, counts) = (sums.smoothed(), counts.smoothed()) }
    // A cell's width at one metre.
    let focal = depth.intrinsics.map { $0.fx / Double($0.width) } ?? 0.87
    let pace = Float(1 / Double(across) / focal)
    let light = SIMD3<Float>(Float(0.55 * side), -0.5, -0.67)
    var (result, total) = (Plane<Float>(repeating: 0, width: across, height: down), (sum: Float(0), count: Float(0)))
    func metres(_ x: Int, _ y: Int) -> Float? {
      guard x >= 0, y >= 0, x < across, y < down, counts[x, y] > 0.5 else { return nil }
      return sums[x, y] / counts[x, y]
    }
    for y in 0..<down {
      var row = result.mutableRow(y)
      for x in 0..<across {
        guard let here = metres(x, y) else { continue }
        func slope(_ before: Float?, _ after: Float?) -> Float {
          switch (before, after) {
          case (let a?, let b?): (b - a) / (2 * pace * here)
          case (let a?, nil): (here - a) / (pace * here)
          case (nil, let b?): (b - here) / (pace * here)
          case (nil, nil): 0
          }
        }
        // Limit the slope: an edge between a hand and the chest behind it is not a surface.
        let across = min(max(slope(metres(x - 1, y), metres(x + 1, y)), -2), 2)
        let along = min(max(slope(metres(x, y - 1), metres(x, y + 1)), -2), 2)
        let normal = SIMD3<Float>(across, along, -1)
        row[x] = (normal * light).sum() / (normal * normal).sum().squareRoot()
        total = (total.sum + row[x], total.count + 1)
      }
    }
    let mean = total.sum / max(1, total.count)
    result.update { $0 != 0 ? (max($0, 0) - mean) * 0.8 : $0 }
    return result
  }
}

extension Plane<Float> {
  /// The mean of nine neighbours.
  fileprivate func smoothed() -> Plane<Float> {
    Plane(width: width, height: height) { x, y in
      var sum: Float = 0
      for v in max(0, y - 1)...min(height - 1, y + 1) {
        for u in max(0, x - 1)...min(width - 1, x + 1) { sum += self[u, v] }
      }
      return sum / 9
    }
  }
}

extension Matte {
  /// Means of cells, by a few samples each.
  fileprivate func means(_ across: Int, _ down: Int) -> Plane<Float> {
    Plane(width: across, height: down) { x, y in
      var sum = 0
      for i in 0..<9 {
        let (u, v) = ((x * 3 + i % 3) * width / (across * 3), (y * 3 + i / 3) * height / (down * 3))
        sum += Int(q15[u, v])
      }
      return Float(sum) / (9 * 32768)
    }
  }
}
