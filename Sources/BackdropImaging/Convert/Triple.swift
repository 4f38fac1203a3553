/// Three bytes that move together: a pixel of `rgb8`.
struct Triple: BitwiseCopyable, Sendable {
  var first, second, third: UInt8
}
