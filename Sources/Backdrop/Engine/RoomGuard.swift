import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

/// Judges whether a look, drawn through a matte, would show the room that it is to hide, whatever made it so: a cutoff behind the
/// wall, a matte spread by its gamma, layers of the frame, opacity.
///
/// It works on a grid of samples. Of each it knows how much of the frame would be seen there (``BackdropLooks/Look/roomOpacity(_:_:)``),
/// and where a witness that no parameter can move says that there is nobody, whether the room is.
struct RoomGuard {
  /// More than this part of the picture kept is the room, whoever is in it.
  static let largestPart = 0.985
  /// Seen through less than this opacity a room is not legible.
  static let legible = 0.3
  /// More than this part of what is certainly room may not be legible: half of it is more than any rim shows.
  static let largestRoom = 0.5
  /// Where this part of all distances is near, the cutoff lies behind the room.
  static let largestNear = 0.95
  private static let columns = 64, rows = 36
  /// What of the frame is seen at an opacity of `i / 64`.
  private let seen: [Double]
  /// Samples round people that do not count: the rim that the look is known for.
  private let rim: Int
  /// Whether the look hides the room at all; otherwise there is nothing to judge.
  let hidesRoom: Bool

  init(_ look: Look, _ settings: LookValues) {
    seen = (0...64).map { look.roomOpacity(Double($0) / 64, settings) }
    hidesRoom = !look.showsRoom(settings)
    // Of its Gaussian, by the look's default: a radius that somebody turned up widens no rim.
    let part = 4 * look.usualEdge / Double(MatteShaper.referenceSide)
    rim = max(2, Int((min(part, 0.15) * Double(Self.columns)).rounded(.up)))
  }

  /// The part of the picture that would be kept, where that shows the room; `nil` if it is well hidden.
  func verdict(_ matte: Matte, _ evidence: Evidence) -> Double? {
    guard matte.width > 0 && matte.height > 0 else { return nil }
    if evidence.subjectOrigin == .depth, let near = evidence.nearPart, near > Self.largestNear { return near }
    let opacities = (0..<Self.rows).flatMap { j in
      let row = matte.q15.row((2 * j + 1) * matte.height / (2 * Self.rows))
      return (0..<Self.columns).map { i in
        seen[Int(min(row[(2 * i + 1) * matte.width / (2 * Self.columns)], Matte.one)) >> 9]
      }
    }
    let kept = opacities.reduce(0, +) / Double(opacities.count)
    if kept > Self.largestPart { return kept }
    guard let people = evidence.people, people.matte.width > 0, people.matte.height > 0 else { return nil }
    let isPerson = (0..<opacities.count).map { index in
      people.sees(
        (Double(index % Self.columns) + 0.5) / Double(Self.columns),
        (Double(index / Self.columns) + 0.5) / Double(Self.rows))
    }
    // A witness who sees nobody, as in the dark, knows nothing of the room either.
    guard isPerson.count(where: { $0 }) > 10 else { return nil }
    let isNear = grown(isPerson)
    let (room, legible) = opacities.indices.reduce(into: (0, 0)) { count, index in
      guard !isNear[index] else { return }
      count.0 += 1
      if opacities[index] > Self.legible { count.1 += 1 }
    }
    return room > 50 && Double(legible) > Self.largestRoom * Double(room) ? kept : nil
  }

  /// With the rim round all that is set.
  private func grown(_ flags: [Bool]) -> [Bool] {
    var across = flags
    var result = flags
    for index in flags.indices where flags[index] {
      let (x, row) = (index % Self.columns, index - index % Self.columns)
      for column in max(0, x - rim)...min(Self.columns - 1, x + rim) { across[row + column] = true }
    }
    for index in across.indices where across[index] {
      let (x, y) = (index % Self.columns, index / Self.columns)
      for row in max(0, y - rim)...min(Self.rows - 1, y + rim) { result[row * Self.columns + x] = true }
    }
    return result
  }
}
