/// Three bytes as a unit: a pixel of `rgb8`.
struct Triple: BitwiseCopyable, Sendable {
  var first, second, third: UInt8
}
