/// A picture with up to 16 bits a sample: Y′CbCr in three planes, as in video decoders and encoders.
package struct DeepFrame: Sendable, Equatable {
  package var luma: Plane<UInt16>
  /// The differences to blue and to red: as many samples as luma, or half as many in a row, or in a row and in a column, rounded up. Their
  /// position is the middle of their pixels.
  package var cb: Plane<UInt16>, cr: Plane<UInt16>
  /// Bits of a sample, 8 to 16: the lowest of each number.
  package var bits: Int
  package var color: ColorDescription

  package init(luma: Plane<UInt16>, cb: Plane<UInt16>, cr: Plane<UInt16>, bits: Int, color: ColorDescription) {
    precondition((8...16).contains(bits) && luma.width > 0 && luma.height > 0)
    precondition(cb.width == cr.width && cb.height == cr.height)
    precondition(cb.width == luma.width || cb.width == (luma.width + 1) / 2)
    precondition(cb.height == luma.height || cb.height == (luma.height + 1) / 2)
    (self.luma, self.cb, self.cr, self.bits, self.color) = (luma, cb, cr, bits, color)
  }

  /// A picture with chroma of half width and height, and undefined contents.
  package init(width: Int, height: Int, bits: Int, color: ColorDescription) {
    let (wide, high) = ((width + 1) / 2, (height + 1) / 2)
    self.init(
      luma: Plane(uninitializedWidth: width, height: height), cb: Plane(uninitializedWidth: wide, height: high),
      cr: Plane(uninitializedWidth: wide, height: high), bits: bits, color: color)
  }

  package func oriented(_ orientation: Orientation) -> DeepFrame {
    guard orientation != .up else { return self }
    return DeepFrame(
      luma: luma.oriented(orientation), cb: cb.oriented(orientation), cr: cr.oriented(orientation), bits: bits,
      color: color)
  }

  package var width: Int { luma.width }
  package var height: Int { luma.height }
}
