import ArgumentParser
import BackdropImaging

extension Workload {
  /// Converts a picture from Display P3 to sRGB, always on one thread. Its colours are random, so that the tables do not stay in the cache.
  static let colorSpaces = Workload(
    name: "color", variants: ["bgra", "rgb", "i420"],
    sizes: [Size(width: 1280, height: 720), Size(width: 4000, height: 3000)]
  ) { _, variant, size, _ in
    let formats: [String: PixelFormat] = ["bgra": .bgra8, "rgb": .rgb8, "i420": .i420]
    guard let format = formats[variant] else { throw ValidationError("color has no variant \(variant)") }
    var state: UInt64 = 1
    let count = Image.packedByteCount(format, width: size.width, height: size.height)
    // The upper bits of a linear congruential generator (Knuth's MMIX).
    let bytes = (0..<count).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    let picture = try Image(
      format, width: size.width, height: size.height, packed: bytes.span, color: .jpeg.with(.displayP3))
    var output = Image(format, width: size.width, height: size.height, color: .jpeg)
    return Job(
      byteCount: count, run: { picture.convert(into: &output) },
      output: { output.packedBytes })
  }
}
