import BackdropImaging
import CFFmpeg

extension Rational {
  package init(_ value: AVRational) { self.init(value.num, value.den) }

  package var av: AVRational { AVRational(num: numerator, den: denominator) }
}
