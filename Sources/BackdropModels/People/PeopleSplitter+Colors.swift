extension PeopleSplitter {
  /// The colours where only this person is visible.
  func colors(of one: PersonEvidence, among evidence: [PersonEvidence]) -> ColorHistogram {
    var histogram = ColorHistogram()
    for square in 0..<grid.count where grid.opacity[square] > 0.6 && one.isSeen(square) {
      guard evidence.count(where: { $0.isSeen(square) }) == 1 else { continue }
      histogram.add(ColorHistogram.cell(grid.color[square]), grid.opacity[square])
    }
    histogram.finish()
    return histogram
  }

  func colors(of squares: [Float]) -> ColorHistogram {
    var histogram = ColorHistogram()
    for square in squares.indices where squares[square] > 0 && grid.opacity[square] > 0.6 {
      histogram.add(ColorHistogram.cell(grid.color[square]), grid.opacity[square])
    }
    histogram.finish()
    return histogram
  }

  /// The fraction of a person's visible area that lies at the expected position, 0…1.
  func overlap(_ evidence: PersonEvidence, _ expected: [Float]) -> Double {
    guard !expected.isEmpty else { return 0 }
    var (both, all) = (0.0, 0.0)
    for square in 0..<grid.count where grid.opacity[square] > 0.5 {
      guard evidence.isSeen(square) else { continue }
      all += 1
      both += Double(expected[square])
    }
    return all > 0 ? both / all : 0
  }
}
