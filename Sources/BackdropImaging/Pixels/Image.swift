import Libc

/// A picture or video frame in one of the ``PixelFormat``s, with everything needed to read it: a value that copies on write.
///
/// Planes share one block of memory; each row starts 64-byte aligned. Chroma planes of odd-sized images round up.
public struct Image: Sendable {
  /// The position of one plane in the storage, in bytes.
  package struct PlaneLayout: Sendable {
    package var offset: Int
    package var bytesPerRow: Int
    package var rowBytes: Int
    package var rows: Int
  }

  /// The positions of all planes; entries that the format does not use are empty.
  package struct PlaneLayouts: Sendable {
    private var planes: (PlaneLayout, PlaneLayout, PlaneLayout)

    init(_ format: PixelFormat, width: Int, height: Int) {
      let none = PlaneLayout(offset: 0, bytesPerRow: 0, rowBytes: 0, rows: 0)
      planes = (none, none, none)
      for plane in 0..<format.planeCount {
        let rowBytes = format.rowBytes(plane: plane, width: width)
        let layout = PlaneLayout(
          offset: end, bytesPerRow: (rowBytes + 63) / 64 * 64, rowBytes: rowBytes,
          rows: format.rows(plane: plane, height: height))
        self[plane] = layout
      }
    }

    /// Planes in a decoder's layout, with offsets relative to the first; `nil` unless they do not overlap, rows are 64-byte aligned and
    /// long enough, and both chroma planes have the same stride.
    package init?(_ format: PixelFormat, width: Int, height: Int, layout: (Int) -> (offset: Int, bytesPerRow: Int)) {
      self.init(format, width: width, height: height)
      var end = 0
      for plane in 0..<format.planeCount {
        let (offset, stride) = layout(plane)
        guard offset >= end, offset % 64 == 0, stride % 64 == 0, stride >= self[plane].rowBytes else { return nil }
        guard plane > 0 || offset == 0, plane < 2 || stride == planes.1.bytesPerRow else { return nil }
        (self[plane].offset, self[plane].bytesPerRow) = (offset, stride)
        end = offset + stride * self[plane].rows
      }
    }

    package private(set) subscript(_ plane: Int) -> PlaneLayout {
      get { plane == 0 ? planes.0 : plane == 1 ? planes.1 : planes.2 }
      set {
        switch plane {
        case 0: planes.0 = newValue
        case 1: planes.1 = newValue
        default: planes.2 = newValue
        }
      }
    }

    /// The byte after the last plane.
    package var end: Int {
      let last = planes.2.rows > 0 ? planes.2 : planes.1.rows > 0 ? planes.1 : planes.0
      return last.offset + last.bytesPerRow * last.rows
    }
  }

  /// The memory layout of the samples.
  public let format: PixelFormat
  /// Pixels in a row.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// The colours of samples. Matrix and range apply to Y′CbCr samples; other formats carry them without effect.
  public var color: ColorDescription
  /// The meaning of the alpha channel.
  public var alpha: AlphaKind
  /// How to turn the picture upright.
  public var orientation: Orientation
  package private(set) var storage: PixelStorage
  package let layouts: PlaneLayouts

  /// An image with undefined contents, from `pool` if given.
  public init(
    _ format: PixelFormat, width: Int, height: Int, color: ColorDescription = .video, alpha: AlphaKind = .opaque,
    orientation: Orientation = .up, pool: ImagePool? = nil
  ) {
    let layouts = PlaneLayouts(format, width: width, height: height)
    self.init(
      format, width: width, height: height, color: color, orientation: orientation,
      storage: pool?.storage(byteCount: layouts.end) ?? PixelStorage(byteCount: layouts.end), layouts: layouts)
    self.alpha = alpha
  }

  /// An image of existing planes in `storage`, at ``PlaneLayouts``.
  package init(
    _ format: PixelFormat, width: Int, height: Int, color: ColorDescription, orientation: Orientation,
    storage: PixelStorage, layouts: PlaneLayouts
  ) {
    precondition(width > 0 && height > 0 && layouts.end <= storage.byteCount, "an image has at least one pixel")
    (self.format, self.width, self.height, self.color) = (format, width, height, color)
    alpha = .opaque
    (self.orientation, self.storage, self.layouts) = (orientation, storage, layouts)
  }

  /// An image from tightly packed planes, one after the other, as in raw video files.
  ///
  /// - Throws: `badData` for a size without pixels, or if the length of `bytes` does not match the format and size; `overLimit` for a size
  ///   beyond ``ImageLimits/standard``.
  public init(
    _ format: PixelFormat, width: Int, height: Int, packed bytes: Span<UInt8>, color: ColorDescription = .video
  ) throws(BackdropError) {
    try ImageLimits.standard.check(width: width, height: height)
    let expected = Image.packedByteCount(format, width: width, height: height)
    guard bytes.count == expected else {
      throw BackdropError(
        .badData, "expected \(expected) bytes for \(width)×\(height) \(format.rawValue), found \(bytes.count)")
    }
    self.init(format, width: width, height: height, color: color)
    var position = 0
    for plane in 0..<format.planeCount {
      let layout = self.layout(plane)
      for y in 0..<layout.rows {
        bytes.extracting(position..<position + layout.rowBytes).withUnsafeBytes { source in
          // An image has at least one pixel, so no row is empty.
          _ = memcpy(storage.base + layout.offset + y * layout.bytesPerRow, source.baseAddress!, layout.rowBytes)
        }
        position += layout.rowBytes
      }
    }
  }

  /// Bytes of an image of this format and size without any padding.
  public static func packedByteCount(_ format: PixelFormat, width: Int, height: Int) -> Int {
    (0..<format.planeCount).reduce(0) {
      $0 + format.rowBytes(plane: $1, width: width) * format.rows(plane: $1, height: height)
    }
  }

  /// The planes one after the other without padding, as in raw video files.
  public var packedBytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(Image.packedByteCount(format, width: width, height: height))
    for plane in 0..<format.planeCount {
      let layout = self.layout(plane)
      withUnsafeBytes(plane: plane) { base in
        for y in 0..<layout.rows {
          result.append(
            contentsOf: UnsafeRawBufferPointer(start: base + y * layout.bytesPerRow, count: layout.rowBytes))
        }
      }
    }
    return result
  }

  /// The bytes of row `y` of plane `index`, without padding.
  @_lifetime(borrow self)
  public borrowing func row(_ y: Int, plane index: Int = 0) -> Span<UInt8> {
    let layout = self.layout(index)
    precondition(y >= 0 && y < layout.rows, "row out of range")
    let start = base(plane: index) + y * layout.bytesPerRow
    return _overrideLifetime(Span(_unsafeStart: start, count: layout.rowBytes), borrowing: self)
  }

  /// The bytes of row `y` of plane `index`, to write to.
  @_lifetime(&self)
  public mutating func mutableRow(_ y: Int, plane index: Int = 0) -> MutableSpan<UInt8> {
    let layout = self.layout(index)
    precondition(y >= 0 && y < layout.rows, "row out of range")
    let start = mutableBase(plane: index) + y * layout.bytesPerRow
    return _overrideLifetime(MutableSpan(_unsafeStart: start, count: layout.rowBytes), mutating: &self)
  }

  /// Plane `index` as samples, sharing this image's memory.
  ///
  /// `Sample` must be the format's own: `UInt8`, or `UInt16` for gray16, or `Float` for grayFloat. Interleaved formats have all their
  /// channels in a row: a `bgra8` plane is four times as wide as the image.
  public func plane<Sample>(_ index: Int = 0, as type: Sample.Type = UInt8.self) -> Plane<Sample> {
    let layout = self.layout(index)
    let size = MemoryLayout<Sample>.stride
    precondition(size == (format == .gray16 ? 2 : format == .grayFloat ? 4 : 1), "wrong sample type for \(format)")
    return Plane(
      storage: storage, byteOffset: layout.offset, width: layout.rowBytes / size, height: layout.rows,
      stride: layout.bytesPerRow / size)
  }

  package func layout(_ plane: Int) -> PlaneLayout {
    precondition(plane >= 0 && plane < format.planeCount, "no such plane")
    return layouts[plane]
  }

  /// Checks that the picture has this size.
  ///
  /// - Throws: `wrongArgument` for another one.
  package func checkSize(_ width: Int, _ height: Int) throws(BackdropError) {
    guard self.width == width && self.height == height else {
      throw BackdropError(
        .wrongArgument, "expected a picture of \(width)×\(height), found \(self.width)×\(self.height)")
    }
  }

  /// Whether both share their memory, so that no pixel differs.
  package func sharesMemory(with other: Image) -> Bool { storage === other.storage }

  /// The first byte of a plane; valid during the life of the storage.
  package func base(plane: Int = 0) -> UnsafePointer<UInt8> {
    UnsafePointer((storage.base + layout(plane).offset).assumingMemoryBound(to: UInt8.self))
  }

  /// The first byte of a plane, to write to; valid until the image is copied or changed otherwise.
  package mutating func mutableBase(plane: Int = 0) -> UnsafeMutablePointer<UInt8> {
    if storage.isLent || !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    return UnsafeMutablePointer(mutating: base(plane: plane))
  }

  package func withUnsafeBytes<R, E: Error>(plane: Int = 0, _ body: (UnsafeRawPointer) throws(E) -> R) throws(E) -> R {
    let result = try body(UnsafeRawPointer(base(plane: plane)))
    withExtendedLifetime(storage) {}
    return result
  }

  package mutating func withUnsafeMutableBytes<R, E: Error>(
    plane: Int = 0, _ body: (UnsafeMutableRawPointer) throws(E) -> R
  ) throws(E) -> R {
    let result = try body(UnsafeMutableRawPointer(mutableBase(plane: plane)))
    withExtendedLifetime(storage) {}
    return result
  }
}
