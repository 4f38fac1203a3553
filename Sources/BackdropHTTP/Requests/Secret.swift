/// Random secrets and their comparison.
package enum Secret {
  /// A text with 130 random bits.
  package static func make() -> String {
    var source = SystemRandomNumberGenerator()
    let digits = Array("abcdefghijkmnpqrstuvwxyz23456789")
    return String((0..<26).map { _ in digits[Int(source.next() % UInt64(digits.count))] })
  }

  /// Compares two secrets in a time that does not depend on the first difference.
  package static func areEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
