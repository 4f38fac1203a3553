/// The order of two people in depth, as far as known.
///
/// The person with the larger head is more likely in front; where two silhouettes overlap, colours decide.
struct DepthOrder {
  private struct Pair: Hashable { var first: Int, second: Int }

  /// The weight of one picture's colours.
  private static let pace: Float = 0.2
  /// Weaker evidence of colours is ignored.
  private static let minimumSign: Float = 0.2

  private var known: [Pair: Float] = [:]

  /// Above 0 if the first is in front of the second, −1…1.
  subscript(_ first: Int, _ second: Int) -> Float {
    if let order = known[Pair(first: first, second: second)] { return order }
    return known[Pair(first: second, second: first)].map { -$0 } ?? 0
  }

  /// Initializes the order from the widths of two heads.
  mutating func add(_ first: Int, _ second: Int, widths: (Double, Double)) {
    let pair = Pair(first: min(first, second), second: max(first, second))
    guard known[pair] == nil else { return }
    let larger = Float((widths.0 - widths.1) / max(widths.0, widths.1, 1e-6))
    known[pair] = min(max((first < second ? 1 : -1) * 2 * larger, -0.5), 0.5)
  }

  /// Updates the order from how much more of the first person's colours is visible where both would be, −1…1.
  mutating func learn(_ first: Int, _ second: Int, sign: Float) {
    guard abs(sign) > Self.minimumSign else { return }
    let pair = Pair(first: min(first, second), second: max(first, second))
    let sign: Float = (first < second ? 1 : -1) * (sign > 0 ? 1 : -1)
    known[pair] = (known[pair] ?? 0) + Self.pace * (sign - (known[pair] ?? 0))
  }

  mutating func keep(_ ids: Set<Int>) {
    known = known.filter { ids.contains($0.key.first) && ids.contains($0.key.second) }
  }
}
