/// The person network in a single picture. If it sees nobody, or a person who is not in front, the subject is the near part of the
/// phone's disparity.
final class PictureSource: SubjectSource {
  /// The smallest fraction of a picture with depth that counts as a person.
  private static let minimumPerson = 0.02
  /// The longer side of the largest single picture whose edges a matte follows: that of a 12 MP photo.
  private static let largestMatteSide = 4032
  private unowned let analyzer: SceneAnalyzer

  init(_ analyzer: SceneAnalyzer) { self.analyzer = analyzer }

  private var options: AnalyzerOptions { analyzer.options }

  func prepare(for request: EvidenceRequest) throws(BackdropError) -> Bool {
    guard analyzer.stream.isStill else { return false }
    // A photo may contain its own matte, or depth in its own scale.
    if analyzer.stream.hasDepth || !options.asksNothingOfNetwork && options.mattes != .depth {
      try analyzer.network.prepare()
    }
    return true
  }

  func applies(to scene: Scene) -> Bool { analyzer.stream.isStill }

  var warnings: [BackdropError] { analyzer.seesNoLikeness ? [SceneAnalyzer.noLikeness] : [] }

  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    let side = max(scene.image.width, scene.image.height)
    var small = scene
    if side > Self.largestMatteSide {
      let scale = Double(Self.largestMatteSide) / Double(side)
      small.image = try scene.image.scaled(
        toWidth: max(1, Int(Double(scene.image.width) * scale)), height: max(1, Int(Double(scene.image.height) * scale))
      )
    }
    let near = scene.disparity.map { $0.normalized() }
    analyzer.seesNoLikeness = false
    // Depth alone is enough, unless a network was requested.
    let isNetworkWanted = options.mattes == .person || options.person.model != nil || options.person.classes != nil
    if options.mattes == .depth && near == nil { throw scene.depthFault ?? SceneAnalyzer.noDepth }
    do throws(BackdropError) {
      if options.mattes != .depth && asksJudge(near) { analyzer.networks.expectFaces() }
      if options.mattes != .depth, let maker = try analyzer.network.maker() {
        var matte = Matte.nothing
        try maker.update(&matte, from: small.image)
        analyzer.matteCount += 1
        let presence = try presence(of: matte, in: small, near, maker)
        let (confidence, prior) = (maker.confidence[.network] ?? 1, maker.coarsePrior)
        if asksJudge(near) && (presence != .person || PersonSearch.isWorthwhile(beside: matte)),
          let closer = try matteOfSmallPeople(in: small.image, besides: presence == .person ? matte : nil, maker)
        {
          return analyzer.store(
            closer, .person, by: .network, confidence, independent: Evidence.CoarseMatte(closer), into: &evidence)
        }
        if presence != .nobody(.nothingFound) {
          analyzer.seesNoLikeness = presence == .nobody(.noLikeness)
          return analyzer.store(
            matte, .person, by: .network, confidence, independent: prior ?? Evidence.CoarseMatte(matte), into: &evidence
          )
        }
      }
    } catch {
      guard near != nil && error.kind == .unsupported && !isNetworkWanted else { throw error }
    }
    guard let near, !isNetworkWanted else {
      throw BackdropError(
        .badData,
        scene.disparity == nil
          ? "Backdrop found no person in the picture, and the picture has neither depth nor a portrait matte"
          : "Backdrop found no person in the picture",
        hint: .chooseNetwork)
    }
    var matte = FocusMask.near(near)
    let coarse = matte
    try MatteRefiner(.best, workers: analyzer.workers).refine(coarse, of: small.image, into: &matte)
    analyzer.store(matte, .depth, by: .depth, 1, independent: Evidence.CoarseMatte(coarse), into: &evidence)
  }

  private var isNetworkTrusted: Bool {
    options.person.classes != nil || options.person.subject == .any
  }

  /// Whether another network must check the result. Without depth it must recognize a person in the matte, or a warning follows. A
  /// network chosen by name needs no check.
  private func asksJudge(_ near: NormalizedDisparity?) -> Bool {
    near == nil && !isNetworkTrusted && options.person.model == nil
  }

  private func presence(
    of matte: Matte, in scene: Scene, _ near: NormalizedDisparity?, _ maker: PersonMatteMaker
  ) throws(BackdropError) -> PersonPresence.Verdict {
    if let near, !isNetworkTrusted {
      let isThere = matte.coverage >= Self.minimumPerson && Self.isInFront(matte, near)
      return isThere ? .person : .nobody(.nothingFound)
    }
    guard matte.coverage > 0 else { return .nobody(.nothingFound) }
    guard asksJudge(near) else { return .person }
    let agreement = maker.lastPortrait?.agreement ?? 1
    return try presenceJudge().judge(scene.image, matte: matte, agreement: agreement).verdict
  }

  private func presenceJudge() throws(BackdropError) -> PersonPresenceJudge {
    try PersonPresenceJudge(networks: analyzer.networks, threads: analyzer.networkThreads)
  }

  /// The matte of people who are too small for the network in the whole picture.
  private func matteOfSmallPeople(
    in image: Image, besides seen: Matte?, _ maker: PersonMatteMaker
  ) throws(BackdropError) -> Matte? {
    let search = PersonSearch(networks: analyzer.networks, threads: analyzer.networkThreads)
    return try search.matte(
      of: image, besides: seen?.scaled(toWidth: image.width, height: image.height), by: maker, try presenceJudge())
  }

  /// Whether the network's matte covers much of the near area, and little else. A pattern on a wall or a glass does not.
  private static func isInFront(_ matte: Matte, _ disparity: NormalizedDisparity) -> Bool {
    let near = FocusMask.near(disparity)
    let small = matte.scaled(toWidth: near.width, height: near.height)
    var (both, person) = (0.0, 0.0)
    for y in 0..<near.height {
      let (opacity, isNear) = (small.q15.row(y), near.q15.row(y))
      for x in isNear.indices {
        both += Double(min(opacity[x], isNear[x]))
        person += Double(opacity[x])
      }
    }
    let all = near.coverage * 32768 * Double(near.width * near.height)
    return both > 0.5 * person && both > 0.35 * all
  }
}

extension FocusMask {
  /// The area nearer than the distance that divides the scene best, with a short ramp and without small gaps.
  static func near(_ disparity: NormalizedDisparity) -> Matte {
    let map = DisparityMap(perMetre: disparity.values, accuracy: .relative)
    let edge = Double(map.percentile(HistogramMask.separating(disparity)) ?? 0.5)
    return Matte(mapping: disparity.values) { (Double($0) - edge) / 0.06 + 0.5 }
  }
}
