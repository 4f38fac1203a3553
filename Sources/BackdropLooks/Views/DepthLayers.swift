import BackdropImaging
import BackdropMatting

/// A picture's nearness taken apart at its edges into a nearer and a farther layer, at the size of the nearness (640 samples
/// on the longer side at most).
///
/// An edge is where nearness changes by much within a few samples; halfway up lies its threshold. Thresholds are carried on
/// smoothly from edge to edge, and what is above belongs to the nearer layer. Within a layer nearness is smooth: samples on
/// an edge count for neither side, and each side is carried on behind the other.
struct DepthLayers {
  private static let longestSide = 640
  /// Changes below the first are slopes, above the second edges.
  private static let edgeRange: (Float, Float) = (0.06, 0.12)

  /// How much is nearer.
  let near: Matte
  /// Nearness of the nearer and of the farther layer.
  let nearness: (near: Plane<Float>, far: Plane<Float>)
  /// Whether there is any edge; if not, all is in the farther layer.
  let hasEdges: Bool

  init(_ nearness: Plane<Float>) throws(BackdropError) {
    let plane = Self.cleaned(Self.reduced(nearness))
    let (width, height) = (plane.width, plane.height)
    let reach = max(1, max(width, height) / 100)
    let least = try plane.eroded(.square(radius: reach))
    let most = try plane.dilated(.square(radius: reach))
    var edge = Plane<Float>(repeating: 0, width: width, height: height)
    var middle = edge
    var found = false
    for y in 0..<height {
      for x in 0..<width {
        let change = most[x, y] - least[x, y]
        let part = min(max((change - Self.edgeRange.0) / (Self.edgeRange.1 - Self.edgeRange.0), 0), 1)
        edge[x, y] = part
        middle[x, y] = (most[x, y] + least[x, y]) / 2
        found = found || part > 0.5
      }
    }
    hasEdges = found
    guard found else {
      near = Matte(constant: 0, width: 1, height: 1)
      let smooth = try plane.blurred(sigma: Double(reach))
      self.nearness = (smooth, smooth)
      return
    }
    // Half the change at an edge is how far its sides lie from its threshold: what is nearer to it than a fifth is soft.
    let threshold = SmoothFill.filled(middle, weight: edge)
    var q15 = Plane<UInt16>(uninitializedWidth: width, height: height)
    var (nearWeight, farWeight) = (edge, edge)
    for y in 0..<height {
      for x in 0..<width {
        let soft = max(Self.edgeRange.0, most[x, y] - least[x, y]) * 0.4
        let part = min(max((plane[x, y] - threshold[x, y]) / soft + 0.5, 0), 1)
        q15[x, y] = UInt16(part * 32768 + 0.5)
        let sure = 1 - 0.999 * edge[x, y]
        (nearWeight[x, y], farWeight[x, y]) = (part * sure, (1 - part) * sure)
      }
    }
    near = Matte(q15: q15)
    let sigma = Double(reach) / 2
    self.nearness = (
      try SmoothFill.filled(plane, weight: nearWeight, nothing: 1).blurred(sigma: sigma),
      try SmoothFill.filled(plane, weight: farWeight, nothing: 0).blurred(sigma: sigma)
    )
  }

  private static func reduced(_ plane: Plane<Float>) -> Plane<Float> {
    let longest = max(plane.width, plane.height)
    guard longest > longestSide else { return plane }
    let (w, h) = (max(1, plane.width * longestSide / longest), max(1, plane.height * longestSide / longest))
    // Nearest samples: means would make depths up, and a NaN would spread.
    var result = Plane<Float>(uninitializedWidth: w, height: h)
    for y in 0..<h {
      let row = plane.row((2 * y + 1) * plane.height / (2 * h))
      for x in 0..<w { result[x, y] = row[(2 * x + 1) * plane.width / (2 * w)] }
    }
    return result
  }

  /// Clamped to 0…1, and what is no number filled from what is around.
  private static func cleaned(_ plane: Plane<Float>) -> Plane<Float> {
    var result = plane
    var weight = Plane<Float>(repeating: 1, width: plane.width, height: plane.height)
    var holes = false
    for y in 0..<plane.height {
      for x in 0..<plane.width {
        let value = plane[x, y]
        result[x, y] = value.isNaN ? 0 : min(max(value, 0), 1)
        if value.isNaN { (weight[x, y], holes) = (0, true) }
      }
    }
    return holes ? SmoothFill.filled(result, weight: weight) : result
  }
}
