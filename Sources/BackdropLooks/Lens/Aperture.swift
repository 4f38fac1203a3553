import Libc

/// The shape of a lens's opening, which every point out of focus takes on.
package enum Aperture: Sendable, Hashable {
  case disc
  /// A regular polygon with its corners on the circle: with one side for each of the lens's `blades`, 3…16, turned clockwise by `rotation`
  /// degrees from a corner on top.
  case polygon(blades: Int, rotation: Double)

  /// The start and end of each row of the aperture, from the middle of a pixel, for rows at -reach…reach: means over the row's height, so
  /// that areas are correct.
  struct Rows {
    var reach: Int
    var left: [Float], right: [Float]
    /// In pixels.
    var area: Double { zip(left, right).reduce(0) { $0 + Double(max(0, $1.1 - $1.0)) } }
  }

  /// The rows for a circle of `radius` pixels.
  func rows(radius: Double) -> Rows {
    let reach = max(0, Int((radius + 0.5).rounded(.up)) - 1)
    let steps = 256
    var rows = Rows(reach: reach, left: [], right: [])
    let corners = self.corners(radius: radius)
    for row in -reach...reach {
      var (width, middle, count) = (0.0, 0.0, 0)
      for i in 0..<steps {
        let y = Double(row) - 0.5 + (Double(i) + 0.5) / Double(steps)
        guard let chord = Self.chord(y, radius: radius, corners: corners) else { continue }
        width += chord.upperBound - chord.lowerBound
        middle += (chord.upperBound + chord.lowerBound) / 2
        count += 1
      }
      let half = width / Double(2 * steps)
      middle = count > 0 ? middle / Double(count) : 0
      rows.left.append(Float(middle - half))
      rows.right.append(Float(middle + half))
    }
    return rows
  }

  private func corners(radius: Double) -> [(x: Double, y: Double)] {
    guard case .polygon(let blades, let rotation) = self else { return [] }
    return (0..<blades).map {
      let angle = 2 * Double.pi * Double($0) / Double(blades) + rotation * .pi / 180
      return (radius * sin(angle), -radius * cos(angle))
    }
  }

  /// The part of a horizontal line inside the aperture; `nil` if there is none.
  private static func chord(_ y: Double, radius: Double, corners: [(x: Double, y: Double)]) -> ClosedRange<Double>? {
    guard !corners.isEmpty else {
      guard abs(y) < radius else { return nil }
      let half = (radius * radius - y * y).squareRoot()
      return -half...half
    }
    var (low, high) = (Double.infinity, -Double.infinity)
    for (i, a) in corners.enumerated() {
      let b = corners[(i + 1) % corners.count]
      guard min(a.y, b.y) <= y && y < max(a.y, b.y) else { continue }
      let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)
      (low, high) = (min(low, x), max(high, x))
    }
    return low < high ? low...high : nil
  }
}
