/// Measures how much of the real background a look that should hide it would show. The cause does not matter: a cutoff behind the wall, a
/// matte spread by its gamma, layers of the frame, opacity.
///
/// It works on a grid of samples. For each sample it computes how much of the frame would be visible
/// (``BackdropLooks/Look/realBackgroundOpacity(_:_:)``), and whether a source that no parameter can influence finds a person there
/// (``Evidence/CoarseMatte``). A sample is exposed background if more than ``legible`` of the frame is visible, no source finds a person,
/// and it lies beyond the look's usual rim.
struct PrivacyGuard {
  /// A matte that keeps a larger fraction of the picture shows the background, with or without people.
  static let largestPart = 0.985
  /// A background is not legible at a lower opacity.
  static let legible = 0.3
  /// The largest fraction of the picture that may be exposed background. The sources are coarse, so good mattes differ from them beyond the
  /// rim too: on photos, clips and the simulated camera by up to a hundredth of the picture. The limit is five times that, the size of a
  /// chair or of a picture on the wall.
  static let maximumExposedBackground = 0.05
  /// If a larger fraction of all distances is near, the cutoff lies behind everything.
  static let largestNear = 0.95
  /// Samples of the longer side of the grid.
  private static let side = 64
  /// The widest rim, as a fraction of the longer side: that of `halo`.
  private static let widestRim = 0.125
  /// How much of the frame is visible at an opacity of `i / 64`.
  private let seen: [Double]
  /// Samples round people that do not count: the look's usual rim.
  private let rim: Int
  /// Whether the look hides the real background at all; if not, there is nothing to judge.
  let hidesRealBackground: Bool
  /// For each sample: whether the frame is legible there, whether a person is there, and whether a person is within the rim. The arrays are
  /// kept to reuse their memory.
  private var isShown: [Bool] = [], isPerson: [Bool] = [], isNear: [Bool] = []

  init(_ look: Look, _ settings: LookValues) {
    seen = (0...64).map { look.realBackgroundOpacity(Double($0) / 64, settings) }
    hidesRealBackground = !look.showsRealBackground(settings)
    // The look's default sets its Gaussian: a larger radius from the user does not widen the rim.
    let part = 4 * look.usualEdge / Double(MatteShaper.referenceSide)
    rim = max(2, Int((min(part, Self.widestRim) * Double(Self.side)).rounded(.up)))
  }

  /// The fraction of the picture that would show the real background, 0…1; above ``maximumExposedBackground`` the background counts as
  /// shown.
  mutating func exposedBackground(_ matte: Matte, _ evidence: Evidence) -> Double {
    guard hidesRealBackground, matte.width > 0 && matte.height > 0 else { return 0 }
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
    let exposed = shown > 0 ? unseen(columns, rows, evidence.independentMattes) : 0
    if exposed > Self.maximumExposedBackground { return exposed }
    if evidence.subjectOrigin == .depth, let near = evidence.nearPart, near > Self.largestNear { return near }
    kept /= Double(count)
    return kept > Self.largestPart ? kept : exposed
  }

  /// The fraction of the picture that is shown but contains no person.
  private mutating func unseen(_ columns: Int, _ rows: Int, _ mattes: [Evidence.CoarseMatte]) -> Double {
    // A look that needs no subject has no such mattes, because it shows everything at some distance.
    guard !mattes.isEmpty else { return 0 }
    for j in 0..<rows {
      let v = (Double(j) + 0.5) / Double(rows)
      for i in 0..<columns {
        let u = (Double(i) + 0.5) / Double(columns)
        isPerson[j * columns + i] = mattes.contains { $0.covers(u, v) }
      }
    }
    // Add the rim round all people, along the rows and then along the columns.
    for row in 0..<rows { spread(from: row * columns, step: 1, count: columns) }
    swap(&isPerson, &isNear)
    for column in 0..<columns { spread(from: column, step: columns, count: rows) }
    return Double(isShown.indices.count { isShown[$0] && !isNear[$0] }) / Double(isShown.count)
  }

  /// Along a line of samples, sets ``isNear`` if ``isPerson`` is set within the rim.
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
