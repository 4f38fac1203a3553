/// A value that goes from one process of this program to another: see ``IsolatedFunction``.
///
/// A reader trusts nothing: the decoded file may have taken over the process that wrote the value.
package protocol WireValue {
  /// Reads what ``write(to:)`` wrote.
  ///
  /// - Throws: `badData` for data that this type would not write.
  init(from wire: inout WireReader) throws(BackdropError)
  func write(to wire: inout WireWriter)
}

/// Writes values one after the other; the pixels of pictures are stored separately.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []
  /// The pictures among them, whose pixels ``PixelBlock`` holds.
  package private(set) var images: [Image] = []

  package init() {}

  package mutating func write<each Value: WireValue>(_ values: repeat each Value) {
    repeat (each values).write(to: &self)
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  mutating func append(_ more: [UInt8]) { bytes += more }

  mutating func append(_ image: Image) { images.append(image) }
}

/// Reads values, checking each.
package struct WireReader {
  private let bytes: [UInt8]
  private var offset = 0
  private let pixels: PixelBlock?
  private var pixelOffset = 0
  private let limits: ImageLimits
  /// The current nesting of values.
  private var depth = 0

  /// The bytes and the pictures' pixels of a ``WireWriter``.
  package init(_ bytes: [UInt8], pixels: PixelBlock? = nil, limits: ImageLimits = .standard) {
    (self.bytes, self.pixels, self.limits) = (bytes, pixels, limits)
  }

  /// The next value; throws `badData` if the next bytes are not such a value.
  package mutating func read<Value: WireValue>(_ type: Value.Type = Value.self) throws(BackdropError) -> Value {
    try Value(from: &self)
  }

  package func checkEnd() throws(BackdropError) {
    guard offset == bytes.count else { throw Self.damaged }
  }

  package static let damaged = BackdropError(
    .badData, "the decoder gave an answer that makes no sense", hint: .replaceDamagedFile)

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(BackdropError) -> Number {
    let size = MemoryLayout<Number>.size
    guard bytes.count - offset >= size else { throw Self.damaged }
    defer { offset += size }
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  mutating func count() throws(BackdropError) -> Int {
    let count = try number(UInt32.self)
    // Every element takes at least a byte.
    guard Int(count) <= bytes.count - offset else { throw Self.damaged }
    return Int(count)
  }

  mutating func slice() throws(BackdropError) -> ArraySlice<UInt8> {
    let count = try count()
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  mutating func nested<Value>(
    _ body: (inout WireReader) throws(BackdropError) -> Value
  ) throws(BackdropError) -> Value {
    guard depth < 80 else { throw Self.damaged }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  mutating func image(_ format: PixelFormat, _ width: Int, _ height: Int) throws(BackdropError) -> Image {
    try limits.check(width: width, height: height)
    let layouts = Image.PlaneLayouts(format, width: width, height: height)
    guard let pixels, pixelOffset <= pixels.byteCount - PixelStorage.slack,
      layouts.end <= pixels.byteCount - PixelStorage.slack - pixelOffset
    else { throw Self.damaged }
    let start = pixels.base + pixelOffset
    pixelOffset += PixelBlock.byteCount(of: layouts)
    // The other process can change lent memory at any time. Every byte is a valid colour, but not every number is a valid depth, so depths
    // are copied.
    let lends = format != .gray16 && format != .grayFloat
    let storage =
      lends
      ? PixelStorage(lent: start, byteCount: layouts.end, by: pixels.owner) : PixelStorage(byteCount: layouts.end)
    if !lends { storage.base.copyMemory(from: start, byteCount: layouts.end) }
    return Image(
      format, width: width, height: height, color: .jpeg, orientation: .up, storage: storage, layouts: layouts)
  }
}

/// Memory shared by two processes, with pictures one after the other.
package struct PixelBlock {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  /// The object that keeps the memory alive.
  package let owner: any AnyObject & Sendable

  package init(_ base: UnsafeMutableRawPointer, byteCount: Int, owner: any AnyObject & Sendable) {
    (self.base, self.byteCount, self.owner) = (base, byteCount, owner)
  }

  fileprivate static func byteCount(of layouts: Image.PlaneLayouts) -> Int { (layouts.end + 63) / 64 * 64 }

  package static func byteCount(of images: [Image]) -> Int {
    images.reduce(PixelStorage.slack) {
      $0 + byteCount(of: Image.PlaneLayouts($1.format, width: $1.width, height: $1.height))
    }
  }

  /// Copies pictures to `base`, which must have room for them.
  package static func write(_ images: [Image], to base: UnsafeMutableRawPointer) {
    var target = base
    for image in images {
      let layouts = Image.PlaneLayouts(image.format, width: image.width, height: image.height)
      for plane in 0..<image.format.planeCount {
        let (from, to) = (image.layout(plane), layouts[plane])
        image.withUnsafeBytes(plane: plane) { source in
          if from.bytesPerRow == to.bytesPerRow {
            (target + to.offset).copyMemory(from: source, byteCount: to.bytesPerRow * to.rows)
            return
          }
          for y in 0..<to.rows {
            (target + to.offset + y * to.bytesPerRow).copyMemory(
              from: source + y * from.bytesPerRow, byteCount: to.rowBytes)
          }
        }
      }
      target += byteCount(of: layouts)
    }
  }
}
