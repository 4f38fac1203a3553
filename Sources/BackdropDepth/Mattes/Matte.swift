import BackdropImaging

/// The fraction of foreground in each pixel, linear, at its own (usually low) resolution: Q15, so 0…32768 means 0…1.
public struct Matte: Sendable {
  /// The value that means 1.
  public static let one: UInt16 = 32768

  /// The samples, 0…32768.
  public var q15: Plane<UInt16>

  /// Samples in a row.
  public var width: Int { q15.width }
  /// Rows.
  public var height: Int { q15.height }

  /// A matte from Q15 samples; values above 32768 count as 1.
  public init(q15: Plane<UInt16>) { self.q15 = q15 }

  /// A matte with one value everywhere, clamped to 0…1: 0 shows only the background, 1 only the foreground.
  public init(constant value: Double, width: Int, height: Int) {
    let clamped = value.isNaN ? 0 : min(max(value, 0), 1)
    q15 = Plane(repeating: UInt16((clamped * 32768).rounded()), width: width, height: height)
  }

  /// The value at a sample, 0…1.
  public subscript(x: Int, y: Int) -> Double { Double(q15[x, y]) / 32768 }

  /// The mean value, 0…1: the part of the picture that is foreground.
  public var coverage: Double { coverage(everyRow: 1) }

  /// The mean value of every `step`-th row, including the first.
  package func coverage(everyRow step: Int) -> Double {
    guard width > 0 && height > 0 else { return 0 }
    let (kernels, stride, rows) = (CPULevel.current.kernels.temporal, q15.stride, (height + step - 1) / step)
    let sum = q15.withUnsafePointer { samples in
      (0..<rows).reduce(UInt64(0)) { $0 + kernels.sum(samples + $1 * step * stride, width) }
    }
    return Double(sum) / 32768 / Double(width * rows)
  }

  /// The matte at another size: bicubic (B 0, C 0.75), half-pixel centres, clamped to 0…1, x and y independent.
  ///
  /// The compositor does this by itself; call it to see or save the matte.
  public func scaled(toWidth width: Int, height: Int) -> Matte {
    if width == self.width && height == self.height { return self }
    let plan = MatteUpsampling(fromWidth: self.width, height: self.height, toWidth: width, height: height)
    return Matte(q15: plan.apply(to: q15))
  }

  /// A matte from opacities, to the nearest; values outside 0…1 are clamped, NaN becomes 0.
  package init(opacities: Plane<Float>) {
    self.init(q15: opacities.map { $0 > 0 ? UInt16(min($0, 1) * 32768 + 0.5) : 0 })
  }

  /// The samples as 0…1.
  package var opacities: Plane<Float> {
    q15.map { Float(Int32(truncatingIfNeeded: min($0, Matte.one))) / 32768 }
  }

  package var inverted: Matte { Matte(q15: q15.map { Matte.one - min($0, Matte.one) }) }

  /// The matte with a longer side of at most `side`.
  package func reduced(toSide side: Int) -> Matte {
    let size = reducedSize(width, height, toSide: side)
    return scaled(toWidth: size.width, height: size.height)
  }

  /// The matte as an 8-bit grey picture.
  public var image: Image {
    var gray = Plane<UInt8>(uninitializedWidth: width, height: height)
    let stride = gray.stride
    gray.withUnsafeMutablePointer { to in for y in 0..<height { copyRow(y, asBytes: to + y * stride) } }
    return Image(gray: gray)
  }

  /// Writes a row as bytes, 0…255, rounded.
  package func copyRow(_ y: Int, asBytes to: UnsafeMutablePointer<UInt8>) {
    q15.withUnsafePointer { samples in
      let from = samples + y * q15.stride
      for x in 0..<width {
        to[x] = UInt8(truncatingIfNeeded: (Int32(truncatingIfNeeded: min(from[x], Matte.one)) * 255 + 16384) >> 15)
      }
    }
  }

  /// Writes a row as `Float`s, 0…1; they need not be aligned.
  package func copyRow(_ y: Int, asFloats to: UnsafeMutableRawPointer) {
    q15.withUnsafePointer { samples in
      let from = samples + y * q15.stride
      for x in 0..<width {
        to.storeBytes(
          of: Float(Int32(truncatingIfNeeded: min(from[x], Matte.one))) / 32768, toByteOffset: 4 * x, as: Float.self)
      }
    }
  }
}
