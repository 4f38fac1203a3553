import BackdropDepth

/// The position of the area under a matte, as fractions of its width and height. Looks use it to move and light the
/// subject.
package struct SubjectBox: Equatable {
  /// The edges of the smallest box round the area.
  package var left: Double, top: Double, right: Double, bottom: Double
  /// Its horizontal centre.
  package var middle: Double
  /// The horizontal centre of its lowest part.
  package var foot: Double
  /// Whether it extends below the picture.
  package var isCutOff: Bool

  package var width: Double { right - left }
  package var height: Double { bottom - top }

  /// `nil` if no opacity is above one half.
  package init?(_ matte: Matte) {
    let half = Matte.one / 2
    var columns = [Int](repeating: 0, count: matte.width)
    var rows = [(count: Int, sum: Int)](repeating: (0, 0), count: matte.height)
    for y in 0..<matte.height {
      let row = matte.q15.row(y)
      for x in row.indices where row[x] > half {
        columns[x] += 1
        rows[y].count += 1
        rows[y].sum += x
      }
    }
    // Distant specks of a matte must not extend the box.
    let total = rows.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    func ends(_ counts: [Int]) -> (Int, Int) {
      let allowed = total / 500
      var (first, last) = (0, counts.count - 1)
      var sum = counts[first]
      while sum <= allowed && first < last {
        first += 1
        sum += counts[first]
      }
      sum = counts[last]
      while sum <= allowed && last > first {
        last -= 1
        sum += counts[last]
      }
      return (first, last)
    }
    let (firstColumn, lastColumn) = ends(columns)
    let (firstRow, lastRow) = ends(rows.map(\.count))
    let (width, height) = (Double(matte.width), Double(matte.height))
    left = Double(firstColumn) / width
    right = Double(lastColumn + 1) / width
    top = Double(firstRow) / height
    bottom = Double(lastRow + 1) / height
    middle = (Double(rows.reduce(0) { $0 + $1.sum }) / Double(total) + 0.5) / width
    let low = rows[max(firstRow, lastRow - (lastRow - firstRow) / 12)...lastRow]
    let lowCount = low.reduce(0) { $0 + $1.count }
    foot = lowCount > 0 ? (Double(low.reduce(0) { $0 + $1.sum }) / Double(lowCount) + 0.5) / width : middle
    isCutOff = lastRow >= matte.height - max(1, matte.height / 100)
  }
}
