import BackdropDepth
import BackdropImaging

/// Divides a picture's disparity at its edges into a nearer and a farther layer, at the size of the disparity (640 samples on the longer
/// side at most, or as many as asked for).
///
/// An edge is a large change of disparity within a few samples; its threshold is halfway. Thresholds are interpolated smoothly from edge to
/// edge, and values above belong to the nearer layer. Within a layer disparity is smooth: samples on an edge count for neither side, and
/// each side continues behind the other.
struct DepthLayers {
  static let longestSide = 640
  /// Changes below the first are slopes, and above the second edges.
  private static let edgeRange: (Float, Float) = (0.08, 0.18)
  /// The distance from an edge within which the area behind may become visible, as a fraction of the longer side.
  private static let sight = 0.06

  let near: Matte
  /// Pixels that may show both sides of an edge.
  let mixed: Matte
  /// The parts of the farther layer behind the nearer one, beside edges. The rest is the picture.
  let hidden: Matte
  let disparity: (near: Plane<Float>, far: Plane<Float>)
  /// Whether there is any edge; if not, the farther layer contains everything.
  let hasEdges: Bool

  /// The layers of something at disparity 1 in front of everything else at 0, without the mattes that only pictures need.
  init() {
    near = Matte(constant: 0, width: 1, height: 1)
    (mixed, hidden, hasEdges) = (near, near, true)
    disparity = (Plane(repeating: 1, width: 1, height: 1), Plane(repeating: 0, width: 1, height: 1))
  }

  init(_ disparity: Plane<Float>, side: Int = longestSide) throws(BackdropError) {
    let plane = Self.cleaned(disparity.reduced(toSide: side))
    let (width, height) = (plane.width, plane.height)
    let reach = max(1, max(width, height) / 100)
    let least = try plane.eroded(.square(radius: reach))
    let most = try plane.dilated(.square(radius: reach))
    var (change, middle) = (most, most)
    change.update(with: least) { $0 - $1 }
    middle.update(with: least) { ($0 + $1) / 2 }
    let edge = change.map { min(max(($0 - Self.edgeRange.0) / (Self.edgeRange.1 - Self.edgeRange.0), 0), 1) }
    hasEdges = edge.samples.contains { $0 > 0.5 }
    guard hasEdges else {
      near = Matte(constant: 0, width: 1, height: 1)
      (mixed, hidden) = (near, near)
      let smooth = try plane.blurred(sigma: Double(reach))
      self.disparity = (smooth, smooth)
      return
    }
    // The sides of an edge differ from its threshold by half its change. A sample within a fifth of the change from the threshold is soft.
    let threshold = SmoothFill.filled(middle, weight: edge)
    var q15 = Plane<UInt16>(width: width, height: height) { x, y in
      let soft = max(Self.edgeRange.0, change[x, y]) * 0.4
      let part = min(max((plane[x, y] - threshold[x, y]) / soft + 0.5, 0), 1)
      return UInt16(part * 32768 + 0.5)
    }
    Self.dropSpecks(&q15)
    let isEdge = edge.map { $0 > 0.5 ? Matte.one : 0 }
    let isNear = q15.map { $0 > 1000 ? Matte.one : 0 }
    near = Matte(q15: q15)
    mixed = Matte(q15: try isEdge.dilated(.square(radius: 2 * reach)))
    // If the nearer layer ends without an edge, on a slope, both layers must be the picture.
    let atEdge = try isEdge.dilated(.square(radius: reach))
    var seam = Plane<UInt16>(repeating: 0, width: width, height: height)
    for y in 0..<height - 1 {
      for x in 0..<width - 1 where atEdge[x, y] == 0 {
        let own = q15[x, y] > 16384
        if (q15[x + 1, y] > 16384) != own || (q15[x, y + 1] > 16384) != own { seam[x, y] = 32768 }
      }
    }
    let slope = try seam.dilated(.disc(radius: Self.sight / 2 * Double(max(width, height))))
    let beside = try isEdge.dilated(.square(radius: Int(Self.sight * Double(max(width, height)))))
    var behind = try isNear.dilated(.disc(radius: Double(reach)))
    var (nearWeight, farWeight) = (edge, edge)
    for y in 0..<height {
      for x in 0..<width {
        behind[x, y] = slope[x, y] > 0 ? 0 : min(behind[x, y], beside[x, y])
        let (part, sure) = (Float(q15[x, y]) / 32768, 1 - 0.999 * edge[x, y])
        nearWeight[x, y] = part * sure
        farWeight[x, y] = behind[x, y] == 0 ? sure : (1 - part) * sure
      }
    }
    hidden = Matte(q15: behind)
    let sigma = Double(reach) / 2
    self.disparity = (
      try SmoothFill.filled(plane, weight: nearWeight, nothing: 1).blurred(sigma: sigma),
      try SmoothFill.filled(plane, weight: farWeight, nothing: 0).blurred(sigma: sigma)
    )
  }

  /// Merges areas smaller than a few thousandths of the picture into their surroundings: most are depth errors, and isolated parts of a
  /// layer have no reliable disparity.
  private static func dropSpecks(_ matte: inout Plane<UInt16>) {
    let (width, height) = (matte.width, matte.height)
    let least = width * height / 400
    var seen = [Bool](repeating: false, count: width * height)
    var (stack, members) = ([Int](), [Int]())
    for start in seen.indices where !seen[start] {
      let isNear = matte[start % width, start / width] > 16384
      seen[start] = true
      stack = [start]
      members = []
      while let i = stack.popLast() {
        members.append(i)
        let (x, y) = (i % width, i / width)
        for (u, v) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] where u >= 0 && v >= 0 && u < width && v < height
        {
          guard !seen[v * width + u], (matte[u, v] > 16384) == isNear else { continue }
          seen[v * width + u] = true
          stack.append(v * width + u)
        }
      }
      guard members.count < least else { continue }
      for i in members { matte[i % width, i / width] = isNear ? 0 : 32768 }
    }
  }

  /// Clamped to 0…1, with NaN filled in from the surroundings.
  private static func cleaned(_ plane: Plane<Float>) -> Plane<Float> {
    let result = plane.map { $0.isNaN ? 0 : min(max($0, 0), 1) }
    guard plane.samples.contains(where: \.isNaN) else { return result }
    return SmoothFill.filled(result, weight: plane.map { $0.isNaN ? 0 : 1 })
  }
}
