import BackdropImaging

/// A property of items (ISO/IEC 23008-12, 9.3), as the bytes of its box: unknown content is kept unchanged.
package struct HEICProperty: Sendable, Hashable {
  /// The kind of property, such as `ispe` or `irot`.
  package var type: FourCC
  /// The box's content, after its size and type.
  package var body: [UInt8]

  package init(_ type: FourCC, body: [UInt8]) {
    self.type = type
    self.body = body
  }

  package struct Association: Sendable, Hashable {
    package var property: HEICProperty
    /// Whether a reader that does not support it must not show the item.
    package var isEssential: Bool

    package init(_ property: HEICProperty, isEssential: Bool) {
      self.property = property
      self.isEssential = isEssential
    }
  }

  var tooShort: BackdropError {
    BackdropError(.badData, "the property '\(type)' of \(body.count) bytes is too short")
  }

  /// Reads the content; all errors mean that it is too short.
  func read<Value>(
    skipping count: Int = 0, _ parse: (inout ByteReader) throws(BackdropError) -> Value
  ) throws(BackdropError) -> Value {
    var reader = ByteReader(body)
    do throws(BackdropError) {
      try reader.skip(count)
      return try parse(&reader)
    } catch { throw tooShort }
  }
}

// Properties of pictures.
extension HEICProperty {
  /// "ispe" (6.5.3): width and height of the stored picture, before any transformation.
  func size() throws(BackdropError) -> (width: Int, height: Int) {
    try read(skipping: 4) { (reader: inout ByteReader) throws(BackdropError) in
      (try reader.uint32(), try reader.uint32())
    }
  }

  /// "pixi" (6.5.6): bits of each channel.
  func bitsPerChannel() throws(BackdropError) -> [Int] {
    try read(skipping: 4) { (reader: inout ByteReader) throws(BackdropError) in
      try (0..<reader.uint8()).map { _ throws(BackdropError) in try reader.uint8() }
    }
  }

  /// "auxC" (6.5.8): the kind of an auxiliary picture, as a URN, and bytes that depend on it.
  func auxiliaryType() throws(BackdropError) -> (urn: String, subtype: [UInt8]) {
    try read(skipping: 4) { (reader: inout ByteReader) throws(BackdropError) in
      (reader.string(), try reader.data(reader.left))
    }
  }

  static func size(width: Int, height: Int) -> HEICProperty {
    HEICProperty("ispe") { writer in
      writer.uint32(width)
      writer.uint32(height)
    }
  }

  static func bits(_ bits: [Int]) -> HEICProperty {
    HEICProperty("pixi") { writer in
      writer.uint8(bits.count)
      for bits in bits { writer.uint8(bits) }
    }
  }

  static func auxiliaryType(_ urn: String, subtype: [UInt8] = []) -> HEICProperty {
    HEICProperty("auxC") { writer in
      writer.string(urn)
      writer.data(subtype)
    }
  }

  /// A full box of version 0.
  private init(_ type: FourCC, full content: (inout ByteWriter) -> Void) {
    var writer = ByteWriter()
    writer.uint32(0)
    content(&writer)
    self.init(type, body: writer.bytes)
  }

  // MARK: - The meaning of colours: "colr" (ISO/IEC 14496-12, 12.1.5)

  enum Colour {
    case icc([UInt8])
    case nclx(NCLX)
    case other
  }

  func colour() throws(BackdropError) -> Colour {
    try read { (reader: inout ByteReader) throws(BackdropError) in
      switch FourCC(try reader.uint32()) {
      case "prof", "rICC": return .icc(try reader.data(reader.left))
      case "nclx":
        return .nclx(
          NCLX(
            primaries: try reader.uint16(), transfer: try reader.uint16(), matrix: try reader.uint16(),
            isFullRange: try reader.uint8() & 0x80 != 0))
      default: return .other
      }
    }
  }

  static func icc(_ profile: [UInt8]) -> HEICProperty { HEICProperty("colr", body: FourCC("prof").bytes + profile) }

  static func nclx(_ colour: NCLX) -> HEICProperty {
    var writer = ByteWriter()
    writer.data(FourCC("nclx").bytes)
    writer.uint16(colour.primaries)
    writer.uint16(colour.transfer)
    writer.uint16(colour.matrix)
    writer.uint8(colour.isFullRange ? 0x80 : 0)
    return HEICProperty("colr", body: writer.bytes)
  }
}

/// Code points of colour primaries, transfer curve and matrix (ISO/IEC 23091-2, Rec. ITU-T H.273).
package struct NCLX: Sendable {
  /// Colour primaries: 1 BT.709, 9 BT.2020, 12 Display P3, 2 unspecified.
  package var primaries: Int
  /// Transfer characteristics: 13 sRGB, 16 PQ, 18 HLG, 2 unspecified.
  package var transfer: Int
  /// Matrix coefficients: 1 BT.709, 5 and 6 BT.601, 9 BT.2020, 2 unspecified.
  package var matrix: Int
  package var isFullRange: Bool

  /// The matrix and range of the samples; `fallback` provides an unspecified matrix, and the colour space.
  func description(fallback: ColorDescription) -> ColorDescription {
    let known: ColorDescription.Matrix? =
      switch matrix {
      case 1: .bt709
      // FCC differs from BT.601 by less than half a level.
      case 4, 5, 6: .bt601
      case 9, 10: .bt2020
      default: nil
      }
    return ColorDescription(
      matrix: known ?? fallback.matrix, range: isFullRange ? .full : .limited, space: fallback.space)
  }
}
