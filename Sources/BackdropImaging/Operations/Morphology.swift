import CBackdropKernels

/// The neighbourhood of a morphological operation, centred on its pixel.
package enum StructuringElement: Sendable, Hashable {
  /// All pixels at most `radius` columns and rows away.
  case square(radius: Int)
  /// All pixels whose centre is at most `radius` away: dx² + dy² ≤ radius². Fractions make finer shapes: 1 is a plus of five
  /// pixels, 1.5 a square of nine.
  case disc(radius: Double)

  /// Half-widths of the rows 0, 1, 2 … away from the middle; `nil` for squares.
  func chords(limitX: Int, limitY: Int) -> [Int32]? {
    guard case .disc(let radius) = self else { return nil }
    let square = radius * radius
    return (0...min(Int(radius), limitY)).map { dy in
      // `squareRoot` is correctly rounded, but a product just below an integer's square may still round up to it.
      var half = Int((square - Double(dy * dy)).squareRoot())
      while Double(half * half + dy * dy) > square { half -= 1 }
      return Int32(min(half, limitX))
    }
  }
}

extension Plane where Sample: PixelSample {
  /// The largest sample under the element, for every position: bright parts grow.
  ///
  /// Positions outside the plane do not count, and neither does NaN, which stays only if no other value is in reach. Squares cost the
  /// same for any radius (van Herk; Gil and Werman), discs cost more with their radius.
  ///
  /// - Throws: `wrongArgument` for a negative radius or one above 32,768.
  package func dilated(_ element: StructuringElement) throws(BackdropError) -> Plane {
    try extreme(element, isMax: true)
  }

  /// The smallest sample under the element, for every position: bright parts shrink. Its other properties are those of ``dilated(_:)``.
  package func eroded(_ element: StructuringElement) throws(BackdropError) -> Plane {
    try extreme(element, isMax: false)
  }

  /// Dilated, then eroded: dark specks and gaps narrower than the element vanish.
  package func closed(_ element: StructuringElement) throws(BackdropError) -> Plane {
    try dilated(element).eroded(element)
  }

  func extreme(_ element: StructuringElement, isMax: Bool, level: CPULevel = .current) throws(BackdropError) -> Plane {
    var output = Plane(uninitializedWidth: width, height: height)
    var (radiusX, radiusY) = (0, 0)
    switch element {
    case .square(let radius):
      guard (0...32_768).contains(radius) else { throw badRadius("\(radius)×\(radius)") }
      (radiusX, radiusY) = (radius, radius)
    case .disc(let radius):
      // Written so that NaN also fails.
      guard radius >= 0 && radius <= 32_768 else { throw badRadius("\(radius)") }
    }
    guard width > 0 && height > 0 else { return output }
    // Farther samples are outside the plane.
    (radiusX, radiusY) = (min(radiusX, width - 1), min(radiusY, height - 1))
    let chords = element.chords(limitX: width - 1, limitY: height - 1)
    if let chords { radiusY = chords.count - 1 }
    let widest = chords.map { Int($0[0]) } ?? radiusX
    let levels = Int.bitWidth - (2 * widest + 1).leadingZeroBitCount
    let rows = levels + 2 + (chords == nil ? 2 * min(2 * radiusY + 1, height) + 1 : 0)
    let row = ((width + 2 * widest + 64) * MemoryLayout<Sample>.stride + 63) / 64 * 64
    var layout = ScratchLayout()
    let chordPart = layout.part((chords?.count ?? 0) * 4)
    let rowPart = layout.part(rows * row + 128)
    let scratch = ScratchMemory()
    let memory = scratch.reserve(layout.byteCount)
    let table = (memory + chordPart).bindMemory(to: Int32.self, capacity: max(1, chords?.count ?? 0))
    for (i, half) in (chords ?? []).enumerated() { table[i] = half }
    let kernel = level.kernels.morphology.extreme!
    let hasChords = chords != nil
    withSource { source in
      output.withTarget { target in
        var job = bd_morphology_job(
          src: source.base, src_stride: source.bytesPerRow, dst: target.base, dst_stride: target.bytesPerRow,
          chords: hasChords ? UnsafePointer(table) : nil, scratch: memory + rowPart, scratch_row: row,
          kind: Sample.sampleKind.rawValue, is_max: isMax ? 1 : 0, width: Int32(source.shape.width),
          height: Int32(source.shape.height), radius_x: Int32(radiusX), radius_y: Int32(radiusY))
        kernel(&job)
      }
    }
    withExtendedLifetime(scratch) {}
    return output
  }
}

private func badRadius(_ text: String) -> BackdropError {
  BackdropError(
    .wrongArgument, "a structuring element cannot have a radius of \(text)", hint: "use radii from 0 to 32768")
}
