import Libc

/// A rectangle of samples of one kind, rows from top to bottom, with a stride: a value that copies on write.
///
/// ``row(_:)`` and ``mutableRow(_:)`` give rows as `Span`; `plane[x, y]` is a checked access to a single sample. Rows start 64-byte aligned
/// by default.
public struct Plane<Sample: BitwiseCopyable & Sendable>: Sendable {
  /// Samples in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Samples from the start of a row to the start of the next.
  public let stride: Int
  package private(set) var storage: PixelStorage
  private let byteOffset: Int

  /// A plane with undefined contents. `stride` is in samples and at least `width`.
  public init(uninitializedWidth width: Int, height: Int, stride: Int? = nil) {
    precondition(width >= 0 && height >= 0 && (stride ?? width) >= width)
    let size = MemoryLayout<Sample>.stride
    let aligned = (width * size + 63) / 64 * 64 / size
    self.init(
      storage: PixelStorage(byteCount: (stride ?? aligned) * height * size), byteOffset: 0, width: width,
      height: height, stride: stride ?? aligned)
  }

  /// A plane filled with one value.
  public init(repeating value: Sample, width: Int, height: Int, stride: Int? = nil) {
    self.init(uninitializedWidth: width, height: height, stride: stride)
    let count = self.stride * height * MemoryLayout<Sample>.stride
    guard count > 0 else { return }
    // Copies blocks of growing size: a loop would call a function for each sample if the sample type is known only at run time.
    withUnsafeMutablePointer { samples in
      samples.initialize(to: value)
      var done = MemoryLayout<Sample>.stride
      // The copied block stays in the nearest cache.
      let largest = max(done, (16 << 10) / done * done)
      while done < count {
        let more = min(done, count - done, largest)
        memcpy(UnsafeMutableRawPointer(samples) + done, samples, more)
        done += more
      }
    }
  }

  /// A plane from `width × height` samples in row order.
  public init(_ samples: [Sample], width: Int, height: Int, stride: Int? = nil) {
    precondition(samples.count == width * height)
    self.init(uninitializedWidth: width, height: height, stride: stride)
    let step = self.stride
    samples.withUnsafeBufferPointer { samples in
      guard let source = samples.baseAddress else { return }
      withUnsafeMutablePointer { rows in
        for y in 0..<height { (rows + y * step).update(from: source + y * width, count: width) }
      }
    }
  }

  /// Changes the size, with undefined contents; does nothing if the size is the same.
  @inlinable package mutating func fit(_ width: Int, _ height: Int) {
    if self.width != width || self.height != height { self = Plane(uninitializedWidth: width, height: height) }
  }

  /// Whether its memory is unshared, so that writing copies nothing.
  package var isUnshared: Bool {
    mutating get { !storage.isLent && isKnownUniquelyReferenced(&storage) }
  }

  package init(storage: PixelStorage, byteOffset: Int, width: Int, height: Int, stride: Int) {
    self.storage = storage
    (self.byteOffset, self.width, self.height, self.stride) = (byteOffset, width, height, stride)
  }

  /// The sample in column `x` of row `y`; both are checked.
  public subscript(x: Int, y: Int) -> Sample {
    get {
      precondition(x >= 0 && x < width && y >= 0 && y < height, "sample out of range")
      return withUnsafePointer { $0[y * stride + x] }
    }
    set {
      precondition(x >= 0 && x < width && y >= 0 && y < height, "sample out of range")
      let index = y * stride + x
      withUnsafeMutablePointer { $0[index] = newValue }
    }
  }

  /// The samples of row `y`.
  @_lifetime(borrow self)
  public borrowing func row(_ y: Int) -> Span<Sample> {
    precondition(y >= 0 && y < height, "row out of range")
    let start = base + y * stride
    return _overrideLifetime(Span(_unsafeStart: start, count: width), borrowing: self)
  }

  /// The samples of row `y`, to write to.
  @_lifetime(&self)
  public mutating func mutableRow(_ y: Int) -> MutableSpan<Sample> {
    precondition(y >= 0 && y < height, "row out of range")
    let start = mutableBase() + y * stride
    return _overrideLifetime(MutableSpan(_unsafeStart: start, count: width), mutating: &self)
  }

  /// All samples in row order, without the padding.
  public var samples: [Sample] {
    var result: [Sample] = []
    result.reserveCapacity(width * height)
    withUnsafePointer { base in
      for y in 0..<height {
        result.append(contentsOf: UnsafeBufferPointer(start: base + y * stride, count: width))
      }
    }
    return result
  }

  /// The first sample; valid during the life of the storage. Only an unshared plane may be written to.
  package var base: UnsafeMutablePointer<Sample> {
    (storage.base + byteOffset).assumingMemoryBound(to: Sample.self)
  }

  /// The first sample, to write to; valid until the plane is copied or changed otherwise.
  package mutating func mutableBase() -> UnsafeMutablePointer<Sample> {
    if !isUnshared { storage = storage.copy() }
    return base
  }

  package func withUnsafePointer<R, E: Error>(_ body: (UnsafePointer<Sample>) throws(E) -> R) throws(E) -> R {
    let result = try body(UnsafePointer(base))
    // The storage must outlive the call even if this was its last use.
    withExtendedLifetime(storage) {}
    return result
  }

  package mutating func withUnsafeMutablePointer<R, E: Error>(
    _ body: (UnsafeMutablePointer<Sample>) throws(E) -> R
  ) throws(E) -> R {
    let result = try body(mutableBase())
    withExtendedLifetime(storage) {}
    return result
  }
}

extension Plane: Equatable where Sample: Equatable {
  /// Equal size and equal samples; padding and stride do not count.
  public static func == (a: Plane, b: Plane) -> Bool {
    a.width == b.width && a.height == b.height && a.samples == b.samples
  }
}
