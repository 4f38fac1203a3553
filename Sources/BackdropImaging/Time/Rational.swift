/// A fraction of two 32-bit integers, as used for time bases and frame rates: exact where a `Double` is not.
public struct Rational: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The upper number.
  public var numerator: Int32
  /// The lower number; 0 means "unknown".
  public var denominator: Int32

  /// Makes a fraction without reducing it.
  public init(_ numerator: Int32, _ denominator: Int32) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// Whether both numbers are above zero.
  public var isPositive: Bool { numerator > 0 && denominator > 0 }

  /// The quotient; NaN if both numbers are 0.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// The fraction upside down.
  public var inverse: Rational { Rational(denominator, numerator) }

  /// For example `30000/1001`.
  public var description: String { "\(numerator)/\(denominator)" }
}
