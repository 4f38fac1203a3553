/// A coarse histogram of a person's colours; it distinguishes people in different clothes.
struct ColorHistogram {
  /// Steps of luma, and of both colour differences.
  private static let lumas = 8, chromas = 10
  private static let count = lumas * chromas * chromas
  private var weights = [Float](repeating: 0, count: count)
  private(set) var total: Float = 0

  /// The cell of a colour: red, green, blue, 0…1.
  @inline(__always) static func cell(_ color: SIMD3<Float>) -> Int {
    let luma = 0.299 * color.x + 0.587 * color.y + 0.114 * color.z
    // Most colours are greyish, so spread the differences.
    let blue = min(max((color.z - luma) * 1.2 + 0.5, 0), 0.999)
    let red = min(max((color.x - luma) * 1.2 + 0.5, 0), 0.999)
    return (Int(min(luma, 0.999) * Float(lumas)) * chromas + Int(blue * Float(chromas))) * chromas
      + Int(red * Float(chromas))
  }

  mutating func add(_ cell: Int, _ weight: Float) {
    weights[cell] += weight
    total += weight
  }

  /// The fraction of the person with about this colour, smoothed over neighbouring cells.
  func likelihood(_ cell: Int) -> Float { (soft[cell] + Self.least) / (1 + Self.least * Float(Self.count)) }

  private static let least: Float = 1e-4
  private var soft: [Float] = []

  /// Prepares for ``likelihood(_:)``.
  mutating func finish() {
    soft = [Float](repeating: 0, count: Self.count)
    guard total > 0 else { return }
    let (row, plane) = (Self.chromas, Self.chromas * Self.chromas)
    var all: Float = 0
    for cell in weights.indices {
      let (a, b, c) = (cell / plane, cell / row % row, cell % row)
      var sum = weights[cell]
      if a > 0 { sum += 0.3 * weights[cell - plane] }
      if a + 1 < Self.lumas { sum += 0.3 * weights[cell + plane] }
      if b > 0 { sum += 0.3 * weights[cell - row] }
      if b + 1 < Self.chromas { sum += 0.3 * weights[cell + row] }
      if c > 0 { sum += 0.3 * weights[cell - 1] }
      if c + 1 < Self.chromas { sum += 0.3 * weights[cell + 1] }
      soft[cell] = sum
      all += sum
    }
    for cell in soft.indices { soft[cell] /= all }
  }

  /// The similarity of two people, 0…1: the fraction of one's colours that the other has too.
  func likeness(_ other: ColorHistogram) -> Float {
    guard total > 0 && other.total > 0 else { return 0 }
    return zip(soft, other.soft).reduce(0) { $0 + min($1.0, $1.1) }
  }

  /// Moves towards another histogram, by a fraction of the difference.
  mutating func follow(_ other: ColorHistogram, by part: Float) {
    guard other.total > 0 else { return }
    guard total > 0 else {
      self = other
      return
    }
    for cell in weights.indices {
      weights[cell] += part * (other.weights[cell] / other.total * total - weights[cell])
    }
    finish()
  }
}
