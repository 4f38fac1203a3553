extension Hint {
  /// A hint that lists the known words, after the closest one if there is a likely match.
  ///
  ///     Hint.known(["noir", "stage"], insteadOf: "nior")  // did you mean 'noir'? choose from noir, stage
  package static func known(_ names: [String], insteadOf word: String) -> Hint {
    let list = names.count == 1 ? "use \(names[0])" : "choose from " + names.joined(separator: ", ")
    guard let nearest = nearest(to: word, among: names) else { return Hint(list) }
    return Hint("did you mean '\(nearest)'? \(list)")
  }

  /// The name that differs least from a word; `nil` if more than a third of it would have to change.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let typed = Array(word.lowercased().unicodeScalars)
    // A longer word is not a typing error, and comparing it would be slow.
    guard (1...40).contains(typed.count) else { return nil }
    let distances = names.map { (name: $0, distance: edits(from: typed, to: Array($0.lowercased().unicodeScalars))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, max(typed.count, best.name.unicodeScalars.count) / 3) ? best.name : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours (the restricted Damerau–Levenshtein distance).
  private static func edits(from one: [Unicode.Scalar], to other: [Unicode.Scalar]) -> Int {
    var rows = [Array(0...other.count)]
    for (i, letter) in one.enumerated() {
      var row = [i + 1]
      for (j, wanted) in other.enumerated() {
        var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == wanted ? 0 : 1))
        if i > 0, j > 0, letter == other[j - 1], one[i - 1] == wanted { least = min(least, rows[i - 1][j - 1] + 1) }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
