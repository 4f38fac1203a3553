import BackdropImaging

/// The evidence of a person in a picture, in pixels of the examined picture: a face, a body, or both.
struct PersonEvidence {
  /// The face, from the brows to the chin; `nil` if only a body is visible.
  var face: Rect?
  /// The face, or its estimated position.
  var head: Rect
  /// The landmark network's result for the body; `nil` if only a face was found.
  var outline: BodyOutline?
  /// The networks' confidence, 0…1.
  var score: Double

  /// For each square of a grid: whether it shows the outline, 0 or 1, and ``shape(_:)``; see ``lay(on:width:height:)``.
  private(set) var outlineShares: [Float] = [], shapes: [Float] = []

  /// The evidence in a picture enlarged by `factor` and moved by `shift` of its pixels; not laid on a grid yet.
  func scaled(by factor: Double, movedBy shift: SIMD2<Double>) -> PersonEvidence {
    PersonEvidence(
      face: face?.scaled(by: factor).moved(by: shift), head: head.scaled(by: factor).moved(by: shift),
      outline: outline.map { outline in
        BodyOutline(
          presence: outline.presence, square: outline.square.scaled(by: factor, movedBy: shift),
          likelihood: outline.likelihood, side: outline.side)
      }, score: score)
  }

  /// Computes the values for each square of a grid on the picture, which has this size.
  mutating func lay(on grid: PeopleGrid, width: Int, height: Int) {
    outlineShares = [Float](repeating: 0, count: outline == nil ? 0 : grid.count)
    shapes = [Float](repeating: 0, count: grid.count)
    for square in 0..<grid.count where grid.opacity[square] > PeopleSplitter.minimumOpacity {
      let point = grid.point(square, width: width, height: height)
      shapes[square] = shape(point)
      if let outline, outline.shows(point) { outlineShares[square] = 1 }
    }
  }

  /// Whether a square belongs to the person, by the outline, or by the standard shape without one.
  func isSeen(_ square: Int) -> Bool { outline != nil ? outlineShares[square] > 0.5 : shapes[square] > 0.1 }

  /// How far a point is inside a person of standard shape with this head: 1 in the centre of the head, 0 on the outline, negative outside;
  /// in widths of the head. The shape is a head, a neck and a torso that widens to the shoulders.
  func shape(_ point: SIMD2<Double>) -> Float {
    let (width, height) = (max(head.width, 1e-6), max(head.height, 1e-6))
    let x = abs(point.x - head.center.x) / width
    let y = (point.y - head.y) / height
    // The face's box ends at the brows and the cheeks; the head is higher and wider.
    let (u, v) = (x / 0.8, (y - 0.4) / 1.05)
    let head = 1 - (u * u + v * v).squareRoot()
    let shoulders = 1.35 - 0.75 * max(0, 1.5 - y)
    let torso = y < 0.9 ? -1 : min(shoulders - x, y - 0.9)
    return Float(min(1, max(head, torso)))
  }
}

extension Rect {
  func moved(by shift: SIMD2<Double>) -> Rect { Rect(x: x + shift.x, y: y + shift.y, width: width, height: height) }

  func scaled(by factor: Double) -> Rect {
    Rect(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
  }
}

extension BodyOutline {
  /// Whether a point of the picture shows the body; false outside of the square.
  func shows(_ point: SIMD2<Double>) -> Bool { (likelihood(at: point) ?? 0) > 0.5 }
}
