import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

/// Measures how much of the room a look, drawn through a matte, would show that it is to hide, whatever made it so: a cutoff behind
/// the wall, a matte spread by its gamma, layers of the frame, opacity.
///
/// It works on a grid of samples. Of each it knows how much of the frame would be seen there (``BackdropLooks/Look/roomOpacity(_:_:)``),
/// and whether a witness that no parameter can move sees a person there (``Evidence/Witness``). What is seen at more than
/// ``legible`` where none of them does, and beyond the rim that the look is known for, is room.
struct RoomGuard {
  /// More than this part of the picture kept is the room, whoever is in it.
  static let largestPart = 0.985
  /// Seen through less than this opacity a room is not legible.
  static let legible = 0.3
  /// More than this part of the picture may not be room. Witnesses are coarse, so good mattes differ from them beyond the rim too: on
  /// photos, clips and the simulated camera by up to a hundredth of the picture. Five times that is a chair, or a picture on the wall.
  static let largestRoom = 0.05
  /// Where this part of all distances is near, the cutoff lies behind the room.
  static let largestNear = 0.95
  /// Samples along the longer side.
  private static let side = 64
  /// The widest rim, as a part of the longer side: that of `halo`.
  private static let widestRim = 0.125
  /// What of the frame is seen at an opacity of `i / 64`.
  private let seen: [Double]
  /// Samples round people that do not count: the rim that the look is known for.
  private let rim: Int
  /// Whether the look hides the room at all; otherwise there is nothing to judge.
  let hidesRoom: Bool
  /// Of each sample whether it is legible, whether somebody is there, and the same with the rim on both sides; kept for the memory.
  private var isShown: [Bool] = [], isPerson: [Bool] = [], isNear: [Bool] = []

  init(_ look: Look, _ settings: LookValues) {
    seen = (0...64).map { look.roomOpacity(Double($0) / 64, settings) }
    hidesRoom = !look.showsRoom(settings)
    // Of its Gaussian, by the look's default: a radius that somebody turned up widens no rim.
    let part = 4 * look.usualEdge / Double(MatteShaper.referenceSide)
    rim = max(2, Int((min(part, Self.widestRim) * Double(Self.side)).rounded(.up)))
  }

  /// The part of the picture in which the room would be seen, 0…1; above ``largestRoom`` it is.
  mutating func visibleRoom(_ matte: Matte, _ evidence: Evidence) -> Double {
    guard hidesRoom, matte.width > 0 && matte.height > 0 else { return 0 }
    let longer = max(matte.width, matte.height)
    let (columns, rows) = (max(1, Self.side * matte.width / longer), max(1, Self.side * matte.height / longer))
    let count = columns * rows
    if isShown.count != count {
      isShown = [Bool](repeating: false, count: count)
      (isPerson, isNear) = (isShown, isShown)
    }
    var (kept, shown) = (0.0, 0)
    for j in 0..<rows {
      let row = matte.q15.row((2 * j + 1) * matte.height / (2 * rows))
      for i in 0..<columns {
        let opacity = seen[Int(min(row[(2 * i + 1) * matte.width / (2 * columns)], Matte.one)) >> 9]
        kept += opacity
        isShown[j * columns + i] = opacity > Self.legible
        if opacity > Self.legible { shown += 1 }
      }
    }
    let room = shown > 0 ? unseen(columns, rows, evidence.witnesses) : 0
    if room > Self.largestRoom { return room }
    if evidence.subjectOrigin == .depth, let near = evidence.nearPart, near > Self.largestNear { return near }
    kept /= Double(count)
    return kept > Self.largestPart ? kept : room
  }

  /// The part of the picture that is shown where nobody is seen.
  private mutating func unseen(_ columns: Int, _ rows: Int, _ witnesses: [Evidence.Witness]) -> Double {
    // A look that asks for nobody has no witness, and shows what is at some distance.
    guard !witnesses.isEmpty else { return 0 }
    for j in 0..<rows {
      let v = (Double(j) + 0.5) / Double(rows)
      for i in 0..<columns {
        let u = (Double(i) + 0.5) / Double(columns)
        isPerson[j * columns + i] = witnesses.contains { $0.sees(u, v) }
      }
    }
    grow(columns, rows)
    return Double(isShown.indices.count { isShown[$0] && !isNear[$0] }) / Double(isShown.count)
  }

  /// Adds the rim round all people: ``isNear``.
  private mutating func grow(_ columns: Int, _ rows: Int) {
    for row in 0..<rows { spread(from: row * columns, step: 1, count: columns) }
    swap(&isPerson, &isNear)
    for column in 0..<columns { spread(from: column, step: columns, count: rows) }
  }

  /// Along a line of samples sets ``isNear`` where ``isPerson`` is within the rim.
  private mutating func spread(from first: Int, step: Int, count: Int) {
    var distance = rim + 1
    for index in 0..<count {
      let at = first + index * step
      distance = isPerson[at] ? 0 : distance + 1
      isNear[at] = distance <= rim
    }
    distance = rim + 1
    for index in stride(from: count - 1, through: 0, by: -1) {
      let at = first + index * step
      distance = isPerson[at] ? 0 : distance + 1
      if distance <= rim { isNear[at] = true }
    }
  }
}
