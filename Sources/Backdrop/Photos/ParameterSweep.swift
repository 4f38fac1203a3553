/// A parameter of a look, and the evenly spaced values that it takes one after the other.
package struct ParameterSweep: Sendable {
  package var parameter: String
  package var first: Double, last: Double
  /// The number of values, including both ends.
  package var count: Int

  static let counts = 2...600

  package init(_ parameter: String, from first: Double, to last: Double, count: Int) {
    (self.parameter, self.first, self.last, self.count) = (parameter, first, last, count)
  }

  /// Parses `focus=0…1:12`. `..` and `...` work in place of `…`; without a count there are 12 values.
  package init(_ text: String) throws(BackdropError) {
    let error = BackdropError(.wrongArgument, "'\(text)' is not a sweep", hint: .writeSweep)
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty else { throw error }
    let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw error }
    guard let ends = parts[0].rangeEnds, let first = Double(ends.first), let last = Double(ends.last),
      first.isFinite, last.isFinite
    else { throw error }
    var count = 12
    if parts.count == 2 {
      guard let given = Int(parts[1]), Self.counts.contains(given) else { throw error }
      count = given
    }
    self.init(String(halves[0]), from: first, to: last, count: count)
  }

  package var values: [Double] {
    (0..<max(2, count)).map { first + (last - first) * Double($0) / Double(max(2, count) - 1) }
  }
}
