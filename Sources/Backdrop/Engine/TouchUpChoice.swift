/// The origin of a touch-up.
public enum TouchUpChoice: Sendable, Equatable {
  /// A JSON file, which is read when the work begins.
  case file(String)
  case strokes(TouchUp)

  func loaded() throws(BackdropError) -> TouchUp {
    switch self {
    case .file(let path): return try TouchUp(file: path)
    case .strokes(let touchUp):
      try touchUp.check()
      return touchUp
    }
  }

  var name: String? { if case .file(let path) = self { path } else { nil } }
}

/// Draws a touch-up into mattes of one picture, while a user adds and removes strokes one at a time.
final class TouchUpDrawing {
  /// Mattes with some of the strokes, newest last.
  private var states: [(base: PixelStorage, strokes: [TouchUp.Stroke], matte: Matte)] = []
  private static let maximumStates = 4
  /// At multiples of this many strokes a matte is kept longer, because undo would otherwise draw all strokes again.
  private static let milestone = 8

  /// The matte with all strokes in it.
  func draw(
    _ touchUp: TouchUp, in base: Matte, painter: () throws(BackdropError) -> TouchUpPainter
  ) throws(BackdropError) -> Matte {
    let strokes = touchUp.strokes
    guard !strokes.isEmpty else { return base }
    states.removeAll { $0.base !== base.q15.storage }
    let known = states.filter { strokes.starts(with: $0.strokes) }.max { $0.strokes.count < $1.strokes.count }
    if let known, known.strokes.count == strokes.count { return known.matte }
    let painter = try painter()
    var (matte, count) = known.map { ($0.matte, $0.strokes.count) } ?? (painter.prepared(base), 0)
    // The last stroke may still grow.
    let stops = [strokes.count / Self.milestone * Self.milestone, strokes.count - 1, strokes.count]
    for stop in stops where stop > count {
      try painter.draw(strokes[count..<stop], in: &matte)
      count = stop
      states.append((base.q15.storage, Array(strokes[..<stop]), matte))
    }
    if states.count > Self.maximumStates { states.removeFirst(states.count - Self.maximumStates) }
    return matte
  }
}
