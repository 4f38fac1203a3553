import BackdropImaging
import CFFmpeg

extension Rational {
  /// A fraction of FFmpeg's.
  package init(_ value: AVRational) { self.init(value.num, value.den) }

  /// The same as FFmpeg has it.
  package var av: AVRational { AVRational(num: numerator, den: denominator) }
}
