import Libc

/// Measures the light on a person: within a known face, else within the upper part of the matte.
struct LightReading {
  /// The median luma, 0…1.
  var luma: Double
  /// The estimated colour of the light in the whole picture, as natural logarithms of red : green and blue : green.
  var cast: SIMD2<Double>
  /// The skin's colour, likewise; `nil` without a face.
  var skin: SIMD2<Double>?
  /// How much brighter the right half of the face is, as a difference of luma; 0 without a face.
  var side: Double

  /// Samples across and down.
  private static let grid = (across: 64, down: 36)
  /// The minimum number of samples.
  private static let least = 12

  /// - Returns: `nil` if nobody is found, or the picture's format does not support relighting.
  init?(_ image: Image, _ evidence: Evidence) {
    guard evidence.subjectOrigin != nil, let sampler = ColorSampler(image) else { return nil }
    let matte = evidence.subject
    let whole = Rect(x: 0, y: 0, width: Double(image.width), height: Double(image.height))
    var inPerson: [(y: Int, luma: Double)] = []
    var (powers, count) = (SIMD3<Double>.zero, 0.0)
    sampler.visit(whole, Self.grid.across, Self.grid.down) { x, y, u, v, color in
      let light = Self.light(color)
      let square = light * light
      powers += square * square * square
      count += 1
      if matte.isIn(u, v) { inPerson.append((y, sampler.luma(color))) }
    }
    guard inPerson.count >= Self.least, count > 0 else { return nil }
    // Shades of grey (Finlayson and Trezzi, 2004): the colour that bright parts share.
    powers /= count
    cast = Self.ratios(SIMD3(pow(powers.x, 1 / 6), pow(powers.y, 1 / 6), pow(powers.z, 1 / 6)))

    var (lumas, sum, halves) = ([Double](), SIMD3<Double>.zero, (left: [Double](), right: [Double]()))
    if let face = evidence.faces?.first {
      // Leave out hair and chin.
      let inner = Rect(
        x: face.x + 0.15 * face.width, y: face.y + 0.1 * face.height, width: 0.7 * face.width,
        height: 0.75 * face.height)
      sampler.visit(inner, 20, 20) { x, _, u, v, color in
        guard matte.isIn(u, v) else { return }
        let luma = sampler.luma(color)
        lumas.append(luma)
        if x < 10 { halves.left.append(luma) } else { halves.right.append(luma) }
        if luma > 0.05 && luma < 0.97 { sum += Self.light(color) }
      }
    }
    if lumas.count >= Self.least {
      luma = lumas.median
      skin = sum.sum() > 0 ? Self.ratios(sum) : nil
      side = halves.left.isEmpty || halves.right.isEmpty ? 0 : halves.right.median - halves.left.median
    } else {
      // Head and shoulders are in the upper third.
      let (top, bottom) = (inPerson[0].y, inPerson[inPerson.count - 1].y)
      let limit = top + max(2, (bottom - top) / 3)
      luma = inPerson.filter { $0.y <= limit }.map(\.luma).median
      (skin, side) = (nil, 0)
    }
  }

  private static func ratios(_ light: SIMD3<Double>) -> SIMD2<Double> {
    let light = light + 1e-4
    return SIMD2(log(light.x / light.y), log(light.z / light.y))
  }

  private static func light(_ color: SIMD3<Double>) -> SIMD3<Double> {
    func decode(_ value: Double) -> Double { LightMatch.linear[Int(min(max(value, 0), 1) * 255 + 0.5)] }
    return SIMD3(decode(color.x), decode(color.y), decode(color.z))
  }
}

/// R′G′B′ of single pixels, 0…1.
private struct ColorSampler {
  private let image: Image
  private let kr: Double, kb: Double

  /// - Returns: `nil` for formats that do not support relighting.
  init?(_ image: Image) {
    switch image.format {
    case .i420, .bgra8, .rgba8, .rgb8: self.image = image
    case .nv12, .yuyv: self.image = image.converted(to: .i420)
    case .gray8, .gray16, .grayFloat: return nil
    }
    (kr, kb) = (image.color.matrix.kr, image.color.matrix.kb)
  }

  func luma(_ color: SIMD3<Double>) -> Double { (color * SIMD3(kr, 1 - kr - kb, kb)).sum() }

  /// Calls `body` with points on a grid over a part of the picture: the grid's column and row, the position as fractions of the picture's
  /// width and height, and the colour.
  func visit(_ part: Rect, _ across: Int, _ down: Int, _ body: (Int, Int, Double, Double, SIMD3<Double>) -> Void) {
    for row in 0..<down {
      let y = part.y + (Double(row) + 0.5) / Double(down) * part.height
      guard y >= 0 && y < Double(image.height) else { continue }
      for column in 0..<across {
        let x = part.x + (Double(column) + 0.5) / Double(across) * part.width
        guard x >= 0 && x < Double(image.width) else { continue }
        body(column, row, x / Double(image.width), y / Double(image.height), color(Int(x), Int(y)))
      }
    }
  }

  private func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
    switch image.format {
    case .i420:
      let isFull = image.color.range == .full
      let luma = (Double(image.row(y)[x]) - (isFull ? 0 : 16)) / (isFull ? 255 : 219)
      let (cb, cr) = (
        (Double(image.row(y / 2, plane: 1)[x / 2]) - 128) / (isFull ? 255 : 224),
        (Double(image.row(y / 2, plane: 2)[x / 2]) - 128) / (isFull ? 255 : 224)
      )
      let (red, blue) = (luma + 2 * (1 - kr) * cr, luma + 2 * (1 - kb) * cb)
      return SIMD3(red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue)
    default:
      let (row, step, red) = (image.row(y), image.format == .rgb8 ? 3 : 4, image.format == .bgra8 ? 2 : 0)
      return SIMD3(Double(row[x * step + red]), Double(row[x * step + 1]), Double(row[x * step + 2 - red])) / 255
    }
  }
}

extension Matte {
  /// Whether the matte keeps more than half at a point, given as fractions of width and height.
  fileprivate func isIn(_ u: Double, _ v: Double) -> Bool {
    q15[min(Int(u * Double(width)), width - 1), min(Int(v * Double(height)), height - 1)] > Matte.one / 2
  }
}

extension [Double] {
  /// The middle value; the array must not be empty.
  fileprivate var median: Double { sorted()[count / 2] }
}
