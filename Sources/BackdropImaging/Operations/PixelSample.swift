import CBackdropKernels

/// A sample type of planes that can be scaled, blurred and filtered: `UInt8`, `UInt16` or `Float`.
package protocol PixelSample: BitwiseCopyable, Sendable {
  static var sampleKind: PixelSampleKind { get }
}

/// The kinds of ``PixelSample``; the raw value is the kernels' number for it.
package enum PixelSampleKind: Int32, Sendable {
  case uint8 = 0
  case uint16 = 1
  case float = 2

  /// Bytes of one sample.
  var size: Int { self == .uint8 ? 1 : self == .uint16 ? 2 : 4 }
}

extension UInt8: PixelSample {
  package static var sampleKind: PixelSampleKind { .uint8 }
}

extension UInt16: PixelSample {
  package static var sampleKind: PixelSampleKind { .uint16 }
}

extension Float: PixelSample {
  package static var sampleKind: PixelSampleKind { .float }
}

/// Size and kind of one plane of pixels with interleaved channels, in the kernels' form.
struct SampleShape: Hashable {
  var kind: PixelSampleKind
  var width: Int
  var height: Int
  var channels: Int

  var samples: Int { width * channels }
}

/// A plane of pixels for kernels to read.
struct SampleSource {
  var base: UnsafeRawPointer
  var bytesPerRow: Int
  var shape: SampleShape
}

/// A plane of pixels for kernels to write.
struct SampleTarget {
  var base: UnsafeMutableRawPointer
  var bytesPerRow: Int
  var shape: SampleShape

  var source: SampleSource { SampleSource(base: UnsafeRawPointer(base), bytesPerRow: bytesPerRow, shape: shape) }
}

extension Plane where Sample: PixelSample {
  var shape: SampleShape { SampleShape(kind: Sample.sampleKind, width: width, height: height, channels: 1) }

  func withSource<R, E: Error>(_ body: (SampleSource) throws(E) -> R) throws(E) -> R {
    try withUnsafePointer { pointer throws(E) in
      try body(
        SampleSource(base: UnsafeRawPointer(pointer), bytesPerRow: stride * MemoryLayout<Sample>.stride, shape: shape))
    }
  }

  mutating func withTarget<R, E: Error>(_ body: (SampleTarget) throws(E) -> R) throws(E) -> R {
    let (shape, bytesPerRow) = (self.shape, stride * MemoryLayout<Sample>.stride)
    return try withUnsafeMutablePointer { pointer throws(E) in
      try body(SampleTarget(base: UnsafeMutableRawPointer(pointer), bytesPerRow: bytesPerRow, shape: shape))
    }
  }

  /// - Throws: `wrongArgument` if the sizes differ.
  func checkSize(_ other: Plane<Sample>) throws(BackdropError) {
    guard width == other.width && height == other.height else {
      throw BackdropError(
        .wrongArgument, "expected a plane of \(width)×\(height), found \(other.width)×\(other.height)",
        hint: "make the output as large as the input")
    }
  }
}
