import BackdropDepth
import BackdropImaging

/// Divides a picture by its focus: the parts behind and in front of it, and how far out of focus each is, at the size of the defocus (1024
/// samples on the longer side at most, and no more than the picture has).
struct FocusLayers {
  /// The number of radii for spreading light.
  static let levels = 8
  static let longestSide = 1024

  /// The part behind the focus, and the part in front of it.
  let behind: Matte, before: Matte
  /// Radii of the circle of confusion in pixels. Outside a layer they continue those nearby.
  let behindRadius: Plane<Float>, beforeRadius: Plane<Float>
  /// 1 at an edge of depth, where pixels may show both of its sides.
  let edge: Plane<Float>
  /// The smallest and the largest radii.
  let behindRange: ClosedRange<Double>, beforeRange: ClosedRange<Double>
  let hasBehind: Bool, hasBefore: Bool

  /// Two distances: a subject's, under its matte, with a defocus of at most 0, and that of everything else, of at least 0.
  init(_ subject: Matte, defocus: (subject: Float, rest: Float), radius: Double) {
    func size(_ amount: Float) -> Float { min(max(amount, 0), 1) * Float(radius) }
    let (behindSize, beforeSize) = (size(defocus.rest), size(-defocus.subject))
    (hasBehind, behindRange) = (behindSize > 0.5, Double(behindSize)...Double(behindSize))
    (hasBefore, beforeRange) = (beforeSize > 0.5, Double(beforeSize)...Double(beforeSize))
    behindRadius = Plane(repeating: behindSize, width: 1, height: 1)
    beforeRadius = Plane(repeating: beforeSize, width: 1, height: 1)
    edge = Plane(repeating: 1, width: 1, height: 1)
    // A soft subject reveals what is behind it.
    behind = hasBefore ? Matte(constant: 1, width: subject.width, height: subject.height) : subject.inverted
    before = subject
  }

  /// - Parameter side: the longer side of the layers, at most.
  init(
    _ defocus: Plane<Float>, radius: Double, width: Int, height: Int, side: Int = longestSide
  ) throws(BackdropError) {
    let longest = min(side, max(width, height))
    let signed = Self.cleaned(defocus.reduced(toSide: longest), radius: Float(radius))
    let (planeWidth, planeHeight) = (signed.width, signed.height)
    let around = StructuringElement.square(radius: max(1, max(planeWidth, planeHeight) / 128))
    let (lowest, highest) = (try signed.eroded(around), try signed.dilated(around))
    // A blur of less than half a pixel is in focus; one of a level or more is not.
    let low = Float(0.5)
    let spacing = Float(max(2, radius / Double(Self.levels)))
    func part(_ size: Float) -> Float { min(max((size - low) / (spacing - low), 0), 1) }
    var behindPart = Plane<Float>(repeating: 0, width: planeWidth, height: planeHeight)
    var (beforePart, behindSize, beforeSize, free) = (behindPart, behindPart, behindPart, behindPart)
    var edge = behindPart
    for y in 0..<planeHeight {
      let (values, lows, highs) = (signed.row(y), lowest.row(y), highest.row(y))
      var behindParts = behindPart.mutableRow(y)
      var beforeParts = beforePart.mutableRow(y)
      var behindSizes = behindSize.mutableRow(y)
      var beforeSizes = beforeSize.mutableRow(y)
      var frees = free.mutableRow(y)
      var edges = edge.mutableRow(y)
      for x in values.indices {
        let (value, least, most) = (values[x], lows[x], highs[x])
        behindSizes[x] = max(value, 0)
        beforeSizes[x] = max(-value, 0)
        // On a slope, values change by less than a level here. A change of two levels is an edge, and a sample belongs to one of its sides,
        // although depth maps are soft between them.
        let isEdge = min(max((most - least) / spacing - 1, 0), 1)
        let side = min(max((value - (most + least) / 2) / (0.4 * max(most - least, 1e-3)) + 0.5, 0), 1)
        func split(_ value: Float, _ least: Float, _ most: Float, _ side: Float) -> Float {
          let (own, far) = (part(value), part(least) + (part(most) - part(least)) * side)
          return own + (far - own) * isEdge
        }
        behindParts[x] = split(value, least, most, side)
        beforeParts[x] = split(-value, -most, -least, 1 - side)
        frees[x] = 1 - beforeParts[x]
        edges[x] = isEdge
      }
    }
    // Samples on an edge lie anywhere between its sides, and count for neither.
    func sure(_ cover: Plane<Float>) -> Plane<Float> {
      var result = cover
      result.update(with: edge) { $0 * (1 - 0.999 * $1) }
      return result
    }
    (hasBehind, behindRange) = Self.range(behindSize, low: low)
    (hasBefore, beforeRange) = Self.range(beforeSize, low: low)
    let most = Float(radius)
    behindRadius = hasBehind ? SmoothFill.filled(behindSize, weight: sure(behindPart), nothing: most) : behindSize
    beforeRadius = hasBefore ? SmoothFill.filled(beforeSize, weight: sure(beforePart), nothing: most) : beforeSize
    // Parts behind a foreground take the values next to it.
    behind = Matte(opacities: hasBefore && hasBehind ? SmoothFill.filled(behindPart, weight: free) : behindPart)
    before = Matte(opacities: beforePart)
    // The spread foreground reveals parts behind it at its edges.
    if hasBefore {
      let reach = Int(
        (beforeRange.upperBound * Double(max(planeWidth, planeHeight)) / Double(max(width, height))).rounded(.up))
      var near = try edge.dilated(.square(radius: reach + 1))
      near.update(with: beforePart, *)
      edge.update(with: near) { max($0, $1) }
    }
    self.edge = edge
  }

  /// The part in focus, at the size of the refined layers; one of them may be empty (1×1).
  func sharp(_ behind: Matte, _ before: Matte) -> Matte {
    guard hasBehind && hasBefore else { return (hasBehind ? behind : before).inverted }
    var result = behind
    result.q15.update(with: before.q15) { Matte.one - UInt16(min(Int($0) + Int($1), 32768)) }
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

  /// In pixels, within the limits; NaN is in focus.
  private static func cleaned(_ plane: Plane<Float>, radius: Float) -> Plane<Float> {
    plane.map { $0.isNaN ? 0 : min(max($0, -1), 1) * radius }
  }
}
