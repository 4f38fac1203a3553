/// The landmark network's result for a body: its presence and its outline.
package struct BodyOutline {
  /// The network's confidence in a body, 0…1.
  let presence: Double
  let square: TurnedSquare
  /// The likelihood of the body in each of `side` × `side` samples of the square, 0…1.
  let likelihood: [Float]
  let side: Int

  /// The fraction of the outline that lies in the matte of a picture of that size, 0…1: the matte's mean over the body's visible part; 0
  /// if nothing is visible.
  func share(of matte: ProbabilityMap, width: Int, height: Int) -> Double {
    var sum: Float = 0
    var count = 0
    let part = 1 / Double(side)
    let scale = SIMD2(Double(matte.width) / Double(width), Double(matte.height) / Double(height))
    for row in 0..<side {
      for column in 0..<side where likelihood[row * side + column] > 0.5 {
        let position = square.point((Double(column) + 0.5) * part, (Double(row) + 0.5) * part) * scale
        guard
          position.x >= 0 && position.y >= 0 && position.x < Double(matte.width) && position.y < Double(matte.height)
        else { continue }
        sum += matte.values[Int(position.y) * matte.width + Int(position.x)]
        count += 1
      }
    }
    return count == 0 ? 0 : Double(sum) / Double(count)
  }

  /// The likelihood of the body at a point of the picture, in pixels, 0…1, from the nearest sample; `nil` outside of the square.
  func likelihood(at point: SIMD2<Double>) -> Float? {
    let (right, down, arm) = (square.right, square.down, point - square.center)
    let length = right.x * right.x + right.y * right.y
    let across = (arm.x * right.x + arm.y * right.y) / length + 0.5
    let along = (arm.x * down.x + arm.y * down.y) / length + 0.5
    guard across >= 0 && across < 1 && along >= 0 && along < 1 else { return nil }
    return likelihood[Int(along * Double(side)) * side + Int(across * Double(side))]
  }
}
