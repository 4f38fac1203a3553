import Libc

/// Judges whether a face belongs to a body and may move the cutoff back. A face on a poster, a screen or a wall may not.
///
/// - Depth must not show face and chest, or face and neck, in one plane. The residual of a plane fitted to 1/z is 20 to 33 mm on people,
///   and on flat things the residual of the sensor's noise. If too little depth is known, the network must see the person.
/// - Then depth or the network must see the body. By depth, the head stands out from both sides, and the chest is at the face's distance.
///   By network, the chest belongs to a person.
struct FaceJudge {
  /// The reason that a face does not move the cutoff back.
  enum Refusal: Equatable {
    case flat
    case bodiless
  }

  /// Flat things have at most this relief, in metres, or at most the relief that a structured-light sensor's noise leaves on a wall: 1.4 mm
  /// at one metre, growing with the square (Khoshelham and Oude Elberink, Sensors 2012).
  static let minimumRelief = 0.015, noise = 0.002
  /// No part of a body is farther behind or in front of its face, in metres. Anything farther off is background.
  private static let behind = 0.3, before = 0.6
  /// A head stands out from a background farther behind it than this, in metres.
  private static let step = 0.15

  let depth: DepthMap
  let width: Int, height: Int
  let network: Evidence.CoarseMatte?

  /// The reason that the face `box` at `metres` does not move the cutoff back; `nil` if it does.
  func refusal(of box: Rect, at metres: Double) -> Refusal? {
    let relief = relief(of: box, at: metres)
    let tolerance = max(Self.minimumRelief, Self.noise * metres * metres)
    if let relief, relief < tolerance || goesOn(box, at: metres, within: tolerance) { return .flat }
    if isSeen(box) { return nil }
    return relief != nil && standsOut(box, at: metres) && hasChest(box, at: metres) ? nil : .bodiless
  }

  /// Metres at a point of the picture, in its pixels; `nil` outside of it, NaN for a hole.
  private func metres(_ x: Double, _ y: Double) -> Double? {
    guard x >= 0, y >= 0, x < Double(width), y < Double(height) else { return nil }
    let column = Int(x * Double(depth.width) / Double(width)), row = Int(y * Double(depth.height) / Double(height))
    return Double(depth.metres[min(column, depth.width - 1), min(row, depth.height - 1)])
  }

  /// The mean inverse distance of a part of a face's surroundings. Positions are in widths and heights of its box from its upper left
  /// corner.
  private struct Cell {
    var x, y, inverse: Double
  }

  /// A plane: linear in 1/z over the picture.
  private struct Plane {
    private let x, y, inverse, across, down: Double
    /// Distance in the middle, in metres.
    var metres: Double { 1 / inverse }

    /// Fits a plane by least squares; `nil` if the cells lie in one line.
    init?(_ cells: [Cell]) {
      let count = Double(max(1, cells.count))
      func mean(_ value: (Cell) -> Double) -> Double { cells.reduce(0) { $0 + value($1) } / count }
      let (x, y, inverse) = (mean { $0.x }, mean { $0.y }, mean { $0.inverse })
      let (xx, yy, xy) = (
        mean { ($0.x - x) * ($0.x - x) }, mean { ($0.y - y) * ($0.y - y) }, mean { ($0.x - x) * ($0.y - y) }
      )
      let (xd, yd) = (mean { ($0.x - x) * ($0.inverse - inverse) }, mean { ($0.y - y) * ($0.inverse - inverse) })
      let determinant = xx * yy - xy * xy
      guard determinant > 1e-6 else { return nil }
      (self.x, self.y, self.inverse) = (x, y, inverse)
      (across, down) = ((xd * yy - yd * xy) / determinant, (yd * xx - xd * xy) / determinant)
    }

    /// The distance of a cell from the plane, in metres.
    func distance(to cell: Cell) -> Double {
      (cell.inverse - inverse - across * (cell.x - x) - down * (cell.y - y)) * metres * metres
    }
  }

  /// Cells in the middle three quarters of the face's width between two heights. A cell counts if at least a third of its points are
  /// measured and as near to the face as parts of a body.
  private func cells(of box: Rect, at distance: Double, _ heights: ClosedRange<Double>, rows: Int) -> [Cell] {
    let (columns, points) = (8, 4)
    let high = heights.upperBound - heights.lowerBound
    var cells: [Cell] = []
    for j in 0..<rows {
      for i in 0..<columns {
        var (sum, known) = (0.0, 0)
        for k in 0..<points * points {
          let u = (Double(i) + (Double(k % points) + 0.5) / Double(points)) / Double(columns)
          let v = (Double(j) + (Double(k / points) + 0.5) / Double(points)) / Double(rows)
          let (x, y) = (0.125 + 0.75 * u, heights.lowerBound + high * v)
          guard let z = metres(box.x + x * box.width, box.y + y * box.height), abs(z - distance) < Self.behind else {
            continue
          }
          sum += 1 / z
          known += 1
        }
        guard known >= points * points / 3 else { continue }
        let (u, v) = ((Double(i) + 0.5) / Double(columns), (Double(j) + 0.5) / Double(rows))
        cells.append(Cell(x: 0.125 + 0.75 * u, y: heights.lowerBound + high * v, inverse: sum / Double(known)))
      }
    }
    return cells
  }

  /// The standard deviation of face and chest from a plane, in metres; `nil` if less than a quarter is measured, or the picture shows
  /// hardly any chest.
  func relief(of box: Rect, at distance: Double) -> Double? {
    let end = min(2, (Double(height) - box.y) / box.height)
    guard end > 1.3 else { return nil }
    let cells = cells(of: box, at: distance, 0.125...end, rows: 12)
    guard cells.count >= 24, let plane = Plane(cells) else { return nil }
    let squares = cells.reduce(0) { $0 + plane.distance(to: $1) * plane.distance(to: $1) }
    return sqrt(squares / Double(cells.count - 3))
  }

  /// Whether the area right below the chin continues in the face's plane, as on a poster that ends below. A neck is behind its face.
  private func goesOn(_ box: Rect, at distance: Double, within tolerance: Double) -> Bool {
    let face = cells(of: box, at: distance, 0.125...0.875, rows: 8)
    let neck = cells(of: box, at: distance, 1.05...1.3, rows: 3)
    guard face.count >= 24, neck.count >= 8, let plane = Plane(face) else { return false }
    return 10 * neck.count { abs(plane.distance(to: $0)) < tolerance } >= 7 * neck.count
  }

  /// Whether both sides of the head are behind it, or holes, as in a sensor's shadow.
  private func standsOut(_ box: Rect, at distance: Double) -> Bool {
    func isFree(_ sides: [Double]) -> Bool {
      var (free, known) = (0, 0)
      for x in sides {
        for v in [0.2, 0.4, 0.6, 0.8] {
          guard let z = metres(box.x + x * box.width, box.y + v * box.height) else { continue }
          known += 1
          if z.isNaN || z > distance + Self.step { free += 1 }
        }
      }
      // Points beyond the picture's edge do not count against a head.
      return 3 * free >= 2 * known
    }
    return isFree([-0.6, -0.8, -1]) && isFree([1.6, 1.8, 2])
  }

  /// Points of the chest, in pixels.
  private func chest(_ box: Rect) -> [(x: Double, y: Double)] {
    [1.4, 1.7, 2].flatMap { v in [0, 0.3, 0.5, 0.7, 1].map { (box.x + $0 * box.width, box.y + v * box.height) } }
  }

  private func hasChest(_ box: Rect, at distance: Double) -> Bool {
    let known = chest(box).compactMap { metres($0.x, $0.y) }.filter { !$0.isNaN }
    let near = known.count { $0 > distance - Self.before && $0 < distance + Self.behind }
    return known.count >= 4 && 2 * near >= known.count
  }

  /// Whether the network sees a person in face and chest.
  private func isSeen(_ box: Rect) -> Bool {
    guard let network else { return false }
    let points = chest(box).filter { $0.x >= 0 && $0.x < Double(width) && $0.y < Double(height) }
    let seen = points.count { network.covers($0.x / Double(width), $0.y / Double(height)) }
    return points.count >= 4 && 2 * seen >= points.count
      && network.covers(box.center.x / Double(width), box.center.y / Double(height))
  }
}
