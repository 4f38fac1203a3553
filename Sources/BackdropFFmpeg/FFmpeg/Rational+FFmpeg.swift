import BackdropImaging
import CFFmpeg

extension Rational {
  /// A fraction of FFmpeg's.
  package init(_ value: AVRational) { self.init(value.num, value.den) }

  /// The same in FFmpeg's form.
  package var av: AVRational { AVRational(num: numerator, den: denominator) }
}
