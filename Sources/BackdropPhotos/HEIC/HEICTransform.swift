import BackdropImaging

/// A step from the stored picture to the displayed one: a transformative property (ISO/IEC 23008-12, 6.5.9, 6.5.10, 6.5.12).
package enum HEICTransform: Sendable, Hashable {
  /// "irot": turned counter-clockwise by a number of quarters, 0…3.
  case rotation(quarters: Int)
  /// "imir" of axis 0: top and bottom are swapped.
  case mirrorTopBottom
  /// "imir" of axis 1: left and right are swapped.
  case mirrorLeftRight
  /// "clap" (ISO/IEC 14496-12, 12.1.4): only a rectangle is visible.
  case cleanAperture(CleanAperture)

  /// A rectangle with a size and the distance of its centre from the picture's, in fractions of pixels.
  package struct CleanAperture: Sendable, Hashable {
    package var width: Fraction
    package var height: Fraction
    /// The distance of its centre to the right of the picture's.
    package var offsetX: Fraction
    /// The distance of its centre below the picture's.
    package var offsetY: Fraction

    /// Two 32-bit numbers, the denominator above 0.
    package struct Fraction: Sendable, Hashable {
      package var numerator: Int
      package var denominator: Int

      package init(_ numerator: Int, _ denominator: Int = 1) {
        self.numerator = numerator
        self.denominator = denominator
      }

      var value: Double { Double(numerator) / Double(denominator) }
    }

    /// The covered pixels in a picture of the given size, rounded as in libheif.
    func rectangle(width fullWidth: Int, height fullHeight: Int) throws(BackdropError) -> IntegerRect {
      func span(_ full: Int, _ size: Fraction, _ offset: Fraction) -> (start: Int, count: Int)? {
        guard size.denominator > 0, offset.denominator > 0, size.numerator > 0 else { return nil }
        let start = offset.value + (Double(full - 1) - (size.value - 1)) / 2
        let count = size.value.rounded()
        guard count >= 1, start > -1e9, start < 1e9, count < 1e9 else { return nil }
        let first = Int(start.rounded(.down))
        guard first >= 0, first + Int(count) <= full else { return nil }
        return (first, Int(count))
      }
      guard let columns = span(fullWidth, width, offsetX), let rows = span(fullHeight, height, offsetY) else {
        throw BackdropError(
          .badData,
          "the clean aperture of \(width.numerator)/\(width.denominator)×\(height.numerator)/\(height.denominator) at (\(offsetX.numerator)/\(offsetX.denominator), \(offsetY.numerator)/\(offsetY.denominator)) does not fit in \(fullWidth)×\(fullHeight)"
        )
      }
      return IntegerRect(x: columns.start, y: rows.start, width: columns.count, height: rows.count)
    }
  }
}

extension HEICProperty {
  /// The effect of this property on the picture; `nil` if it moves no pixels.
  func transform() throws(BackdropError) -> HEICTransform? {
    try read { (reader: inout ByteReader) throws(BackdropError) in
      switch type {
      case "irot": return .rotation(quarters: try reader.uint8() & 3)
      case "imir": return try reader.uint8() & 1 == 0 ? .mirrorTopBottom : .mirrorLeftRight
      case "clap":
        return .cleanAperture(
          .init(
            width: .init(try reader.uint32(), try reader.uint32()),
            height: .init(try reader.uint32(), try reader.uint32()),
            // 12.1.4 declares only the first part of an offset as signed.
            offsetX: .init(try reader.signed(4), try reader.uint32()),
            offsetY: .init(try reader.signed(4), try reader.uint32())))
      default: return nil
      }
    }
  }

  init(_ transform: HEICTransform) {
    var writer = ByteWriter()
    let type: FourCC
    switch transform {
    case .rotation(let quarters):
      type = "irot"
      writer.uint8(quarters & 3)
    case .mirrorTopBottom:
      type = "imir"
      writer.uint8(0)
    case .mirrorLeftRight:
      type = "imir"
      writer.uint8(1)
    case .cleanAperture(let aperture):
      type = "clap"
      for part in [aperture.width, aperture.height, aperture.offsetX, aperture.offsetY] {
        writer.number(UInt64(truncatingIfNeeded: part.numerator), size: 4)
        writer.number(UInt64(truncatingIfNeeded: part.denominator), size: 4)
      }
    }
    self.init(type, body: writer.bytes)
  }
}
