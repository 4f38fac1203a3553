import BackdropImaging
import BackdropMatting

/// A picture's focus taken apart: what lies behind it, what lies before it, and how far out of focus each is, at the size of
/// the defocus (1024 samples on the longer side at most).
struct FocusLayers {
  /// Radii at which light is spread.
  static let levels = 8
  private static let longestSide = 1024

  /// What lies behind the focus, and what before it.
  let behind: Matte, before: Matte
  /// Radii of the circle of confusion in pixels, also where nothing of the layer is: those of what is nearby.
  let behindRadius: Plane<Float>, beforeRadius: Plane<Float>
  /// 1 where depth has an edge, so that pixels may show both of its sides.
  let edge: Plane<Float>
  /// The least and the largest radii there are.
  let behindRange: ClosedRange<Double>, beforeRange: ClosedRange<Double>
  let hasBehind: Bool, hasBefore: Bool

  init(_ defocus: Plane<Float>, radius: Double, width: Int, height: Int) throws(BackdropError) {
    let plane = Self.reduced(defocus)
    // What is blurred by less than half a pixel is in focus; what is blurred by a level or more is not.
    let low = Float(0.5)
    let full = Float(max(2, radius / Double(Self.levels)))
    var behindPart = Plane<Float>(repeating: 0, width: plane.width, height: plane.height)
    var (beforePart, behindSize, beforeSize, free) = (behindPart, behindPart, behindPart, behindPart)
    for y in 0..<plane.height {
      for x in 0..<plane.width {
        let value = plane[x, y]
        let signed = value.isNaN ? 0 : min(max(value, -1), 1) * Float(radius)
        let part = min(max((abs(signed) - low) / (full - low), 0), 1)
        behindPart[x, y] = signed > 0 ? part : 0
        beforePart[x, y] = signed < 0 ? part : 0
        behindSize[x, y] = max(signed, 0)
        beforeSize[x, y] = max(-signed, 0)
        free[x, y] = 1 - beforePart[x, y]
      }
    }
    var edge = Self.edges(plane, radius: radius)
    // Samples on an edge lie anywhere between its sides: they say nothing of either.
    func sure(_ cover: Plane<Float>) -> Plane<Float> {
      var result = cover
      for y in 0..<cover.height {
        for x in 0..<cover.width { result[x, y] = cover[x, y] * (1 - 0.999 * edge[x, y]) }
      }
      return result
    }
    (hasBehind, behindRange) = Self.range(behindSize, low: low)
    (hasBefore, beforeRange) = Self.range(beforeSize, low: low)
    let most = Float(radius)
    behindRadius = hasBehind ? SmoothFill.filled(behindSize, weight: sure(behindPart), nothing: most) : behindSize
    beforeRadius = hasBefore ? SmoothFill.filled(beforeSize, weight: sure(beforePart), nothing: most) : beforeSize
    // What something lies before counts as what is next to it.
    behind = Self.matte(hasBefore && hasBehind ? SmoothFill.filled(behindPart, weight: free) : behindPart)
    before = Self.matte(beforePart)
    // As far as something before the focus is spread, what it covers shows through at its edges.
    if hasBefore {
      let reach = Int(
        (beforeRange.upperBound * Double(max(plane.width, plane.height)) / Double(max(width, height))).rounded(.up))
      let near = try edge.dilated(.square(radius: reach + 1))
      for y in 0..<plane.height {
        for x in 0..<plane.width { edge[x, y] = max(edge[x, y], near[x, y] * beforePart[x, y]) }
      }
    }
    self.edge = edge
  }

  /// What is in focus, at the size of the refined layers; one of them may be empty (1×1).
  func sharp(_ behind: Matte, _ before: Matte) -> Matte {
    let like = hasBehind ? behind : before
    var result = Plane<UInt16>(uninitializedWidth: like.width, height: like.height)
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      if hasBehind && hasBefore {
        let (a, b) = (behind.q15.row(y), before.q15.row(y))
        for x in row.indices { row[x] = Matte.one - UInt16(min(Int(a[x]) + Int(b[x]), 32768)) }
      } else {
        let a = like.q15.row(y)
        for x in row.indices { row[x] = Matte.one - min(a[x], Matte.one) }
      }
    }
    return Matte(q15: result)
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

  private static func range(_ radii: Plane<Float>, low: Float) -> (Bool, ClosedRange<Double>) {
    var (least, most) = (Float.infinity, Float(0))
    for y in 0..<radii.height {
      let row = radii.row(y)
      for x in row.indices where row[x] > low { (least, most) = (min(least, row[x]), max(most, row[x])) }
    }
    return most > 0 ? (true, Double(least)...Double(most)) : (false, 0...0)
  }

  /// How much defocus changes within a few samples: a slope stays below the threshold, a step does not.
  private static func edges(_ plane: Plane<Float>, radius: Double) -> Plane<Float> {
    let reach = max(1, max(plane.width, plane.height) / 128)
    func extreme(_ source: Plane<Float>, _ pick: (Float, Float) -> Float) -> Plane<Float> {
      var across = source
      for y in 0..<source.height {
        let row = source.row(y)
        for x in row.indices {
          var value = row[x]
          for i in max(0, x - reach)...min(source.width - 1, x + reach) { value = pick(value, row[i]) }
          across[x, y] = value
        }
      }
      var result = across
      for y in 0..<source.height {
        for i in max(0, y - reach)...min(source.height - 1, y + reach) where i != y {
          let row = across.row(i)
          for x in row.indices { result[x, y] = pick(result[x, y], row[x]) }
        }
      }
      return result
    }
    var clean = plane
    for y in 0..<plane.height {
      for x in 0..<plane.width where !(abs(clean[x, y]) <= 1) {
        clean[x, y] = clean[x, y].isNaN ? 0 : min(max(clean[x, y], -1), 1)
      }
    }
    let (least, most) = (extreme(clean, min), extreme(clean, max))
    // From an eighth of the whole range, the spacing of the levels, to twice that.
    for y in 0..<plane.height {
      for x in 0..<plane.width { clean[x, y] = min(max((most[x, y] - least[x, y]) * Float(levels) - 1, 0), 1) }
    }
    return clean
  }

  private static func matte(_ plane: Plane<Float>) -> Matte {
    var result = Plane<UInt16>(uninitializedWidth: plane.width, height: plane.height)
    for y in 0..<plane.height {
      let from = plane.row(y)
      var to = result.mutableRow(y)
      for x in from.indices { to[x] = UInt16(min(max(from[x], 0), 1) * 32768 + 0.5) }
    }
    return Matte(q15: result)
  }
}
