import BackdropDepth
import BackdropImaging

/// What several runs see in one frame of a picture.
struct PortraitView {
  /// Where it is, as parts of the picture's width and height.
  let frame: Rect
  private(set) var runs: [ProbabilityMap] = []

  init(frame: Rect) { self.frame = frame }

  mutating func add(_ matte: Matte, isMirrored: Bool) {
    runs.append(ProbabilityMap(matte, isMirrored: isMirrored))
  }

  /// How much of what any run takes for a person all of them do; 0 if none sees one.
  var agreement: Double {
    guard let first = runs.first else { return 0 }
    var all = 0
    var any = 0
    for i in first.values.indices {
      var votes = 0
      for run in runs where run.values[i] > 0.5 { votes += 1 }
      if votes == runs.count { all += 1 }
      if votes > 0 { any += 1 }
    }
    return any == 0 ? 0 : Double(all) / Double(any)
  }

  /// The median of the runs.
  func merged() -> ProbabilityMap { .median(of: runs) }

  /// Who may be right: what all runs see, what all but one … what any sees, and the median.
  func opinions() -> [ProbabilityMap] {
    guard let first = runs.first else { return [] }
    var ranks = [ProbabilityMap](repeating: first, count: runs.count)
    var column = [Float](repeating: 0, count: runs.count)
    for i in first.values.indices {
      for run in runs.indices { column[run] = runs[run].values[i] }
      column.sort()
      for run in runs.indices { ranks[run].values[i] = column[run] }
    }
    return ranks + [merged()]
  }
}

extension Rect {
  /// This part of `outer`, both as parts of one picture.
  func within(_ outer: Rect) -> Rect {
    Rect(
      x: outer.x + x * outer.width, y: outer.y + y * outer.height, width: width * outer.width,
      height: height * outer.height)
  }

  /// With `part` of the width and height added on each side, cut at the picture's edges.
  func grown(by part: Double) -> Rect {
    let left = max(0, x - part * width)
    let top = max(0, y - part * height)
    return Rect(
      x: left, y: top, width: min(1, x + width + part * width) - left,
      height: min(1, y + height + part * height) - top)
  }

  /// Whether no edge is further than 0.5 % of the picture from the other's.
  func isNear(_ other: Rect) -> Bool {
    abs(x - other.x) < 0.005 && abs(y - other.y) < 0.005 && abs(x + width - other.x - other.width) < 0.005
      && abs(y + height - other.y - other.height) < 0.005
  }
}
