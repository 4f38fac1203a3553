import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

extension SceneAnalyzer {
  /// If less than this part of what is near is a person to the network, depth alone makes the matte.
  private static let minimumAgreement = 0.05
  /// Below this part of a single picture what a network sees is nobody, where depth says otherwise.
  private static let minimumPerson = 0.02
  /// The longer side of a single picture that a matte is drawn to the edges of: that of a 12 MP photo.
  static let largestMatteSide = 4032

  /// Finds who or what the picture is about.
  ///
  /// - Throws: why there is no matte; `badData` for a single picture without anybody.
  func findSubject(_ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    // Let go of the last scene's, or it would be copied.
    evidence.witnesses = []
    do throws(BackdropError) {
      try locateSubject(scene, request, into: &evidence)
    } catch {
      // What somebody drew is there, whatever else is not.
      let touchUp = try loadedTouchUp()
      guard error.kind == .badData, touchUp?.keepsSomething ?? false else { throw error }
      evidence.clearSubject()
    }
    believeCutout(scene, into: &evidence)
    try choosePeople(scene, into: &evidence)
    try drawTouchUp(scene, into: &evidence)
    // What depth made has its shape.
    if !(stream.hasDepth && usesDepth) || evidence.subjectOrigin == .matte { shape(request, into: &evidence) }
  }

  /// Finds everybody whom the picture is about.
  private func locateSubject(
    _ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence
  ) throws(BackdropError) {
    if options.mattes == .chroma {
      try keyScreen(scene, into: &evidence)
    } else if let own = scene.mattes[.portrait], options.asksNothingOfNetwork, own.coverage >= 0.005 {
      take(own, .matte, by: .camera, 1, seenBy: Evidence.Witness(own), into: &evidence)
    } else if stream.hasDepth && usesDepth {
      try joinDepth(scene, request, into: &evidence)
    } else if stream.isStill {
      try findInStill(scene, into: &evidence)
    } else if options.mattes == .depth {
      throw Self.noDepth
    } else {
      guard let maker = try personMaker() else { preconditionFailure("without depth there is a network or an error") }
      // Kept where it was, so that a picture in which nothing moves needs no new one.
      try update(&evidence, maker, scene, near: nil)
      if maker.isNewScene { forgetScene() }
      hasSeenSomebody = hasSeenSomebody || evidence.subject.coverage > 0
    }
  }

  private func keyScreen(_ scene: Scene, into evidence: inout Evidence) throws(BackdropError) {
    let keyer = keyer ?? ChromaKeyer(options.chroma, workers: workers)
    self.keyer = keyer
    var matte = chromaMatte.take() ?? Self.nothing
    var foreground = evidence.foreground.take() ?? Image(.bgra8, width: 1, height: 1)
    // The evidence holds the last one; let go of it, or it would be copied.
    evidence.subject = Self.nothing
    try keyer.update(&matte, foreground: &foreground, from: scene.image)
    matteCount += 1
    chromaMatte = matte
    take(matte, .chroma, by: .screen, keyer.confidence, seenBy: Evidence.Witness(matte), into: &evidence)
    evidence.foreground = foreground
  }

  /// Takes what one witness says alone.
  private func take(
    _ matte: Matte, _ origin: Evidence.Origin, by source: MatteWitness, _ confidence: Double,
    seenBy witness: Evidence.Witness, into evidence: inout Evidence
  ) {
    (evidence.subject, evidence.subjectOrigin, evidence.confidence) = (matte, origin, [source: confidence])
    (evidence.witnesses, evidence.nearPart, evidence.age) = ([witness], nil, 0)
    hasSeenSomebody = true
  }

  /// Shapes a matte that is not made from depth as the look's recipe would shape one that is.
  private func shape(_ request: EvidenceRequest, into evidence: inout Evidence) {
    guard !request.hasNaturalShape, let recipe = request.recipe else { return }
    evidence.subject = shaper.shape(evidence.subject, sigma: recipe.sigma, gamma: recipe.gamma)
  }

  private func update(
    _ evidence: inout Evidence, _ maker: PersonMatteMaker, _ scene: Scene, near: PersonMatteMaker.Near?
  ) throws(BackdropError) {
    var matte = personMatte.take() ?? Matte(constant: 0, width: 1, height: 1)
    // The evidence holds the last one; let go of it, or it would be copied.
    evidence.subject = Self.nothing
    let runs = maker.runCount
    try maker.update(&matte, from: scene.image, at: scene.time, near: near, next: next)
    matteCount += maker.runCount - runs
    evidence.subject = matte
    personMatte = matte
    evidence.subjectOrigin = near == nil ? .person : .depthAndPerson
    evidence.witnesses = maker.witness.map { [$0] } ?? []
    (evidence.nearPart, evidence.confidence) = (nil, maker.confidence)
    evidence.age = maker.matteAge(at: scene.time)
  }

  // MARK: - Depth in metres

  private func joinDepth(
    _ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence
  ) throws(BackdropError) {
    var scene = scene
    guard var depth = scene.depth, !depth.isEmpty else {
      throw scene.depthFault
        ?? BackdropError(
          .badData, scene.depth == nil ? "there is no depth for this frame" : "the depth map has holes only")
    }
    // The only owner, so that it is cleaned in place.
    scene.depth = nil
    filter.apply(&depth, guide: scene.image)
    scene.depth = depth
    if options.followsFace && scene.faces == nil { try faces.find(in: &scene) }
    let (recipe, joined) = (options.completed(request.recipe), scene)
    let isOther = recipe != depthMaker.recipe
    depthMaker.recipe = recipe
    if options.mattes != .depth && request.hasNaturalShape, let maker = try personMaker() {
      if isOther { maker.expire() }
      let near = PersonMatteMaker.Near(depth) { [self] () throws(BackdropError) in
        // Asked before the network has seen a frame of another scene, the last one's face would decide.
        if maker.isNewScene { forgetScene() }
        try depthMaker.updateCutoff(from: bodies.choose(in: joined, recipe, options, maker.witness))
        return depthMaker.cutoffMetres
      }
      try update(&evidence, maker, scene, near: near)
      // Faces go on to be seen while the network rests.
      let chosen = bodies.choose(in: scene, recipe, options, maker.witness)
      evidence.nearPart = depth.part(nearerThan: depthMaker.cutoffMetres)
      if maker.agreementWithDepth < Self.minimumAgreement {
        // In the dark the network sees nobody.
        try makeFromDepth(chosen, depth, into: &evidence)
      }
    } else {
      try makeFromDepth(bodies.choose(in: scene, recipe, options, nil), depth, into: &evidence)
    }
    let hasNetwork = !evidence.witnesses.isEmpty
    evidence.witnesses.append(
      bodies.witness(in: depth, at: scene.time, cutoffMetres: depthMaker.cutoffMetres, hasNetwork: hasNetwork))
    (evidence.cutoffMetres, evidence.isCutoffFromFace) = (depthMaker.cutoffMetres, depthMaker.followsFace)
    hasSeenSomebody = hasSeenSomebody || evidence.subject.coverage > 0
  }

  // MARK: - Several people

  /// Takes those out of the subject who are not chosen.
  private func choosePeople(_ scene: Scene, into evidence: inout Evidence) throws(BackdropError) {
    guard evidence.subjectOrigin != nil, let chooser = try peopleChooser() else { return }
    var matte = chosenMatte.take() ?? Matte(constant: 0, width: 1, height: 1)
    try chooser.choose(
      scene.image, matte: evidence.subject, depth: scene.depth, faces: scene.faces, time: scene.time, into: &matte)
    (evidence.subject, chosenMatte) = (matte, matte)
  }

  func peopleFinder() throws(BackdropError) -> PeopleFinder {
    try PeopleFinder.load(networks: networks, threads: options.person.threads ?? workers.threadCount)
  }

  /// What follows the people of the stream; `nil` where everybody is kept.
  func peopleChooser() throws(BackdropError) -> PeopleChooser? {
    if options.people.isEverybody { return nil }
    if let people { return people }
    let chooser = PeopleChooser(options.people, try peopleFinder(), isStill: stream.isStill)
    people = chooser
    return chooser
  }

  /// Forgets what was learned of the scenes so far.
  private func forgetScene() {
    people?.cut()
    depthMaker.reset()
    filter.reset()
    bodies.reset()
    (range, focus) = (nil, nil)
  }

  private func makeFromDepth(_ scene: Scene, _ depth: DepthMap, into evidence: inout Evidence) throws(BackdropError) {
    var matte = depthMatte.take() ?? Matte(constant: 0, width: 1, height: 1)
    evidence.subject = Self.nothing
    try depthMaker.update(&matte, from: scene)
    (evidence.subject, depthMatte) = (matte, matte)
    evidence.subjectOrigin = .depth
    evidence.nearPart = depth.part(nearerThan: depthMaker.cutoffMetres)
    (evidence.age, evidence.confidence) = (0, [.depth: 1])
    matteCount += 1
  }

  /// The network for this stream; `nil` where depth alone will do.
  func personMaker() throws(BackdropError) -> PersonMatteMaker? {
    switch person {
    case .open(let maker): return maker
    case .absent: return nil
    case .unopened: break
    }
    if options.mattes == .depth {
      try options.refusePlate()
      person = .absent
      return nil
    }
    var wanted = options.person
    wanted.quality = options.quality ?? (stream.isStill ? .best : .live)
    if let plate = options.plate {
      wanted.plate = try CleanPlate.load(plate, width: stream.width, height: stream.height, limits: stream.limits)
    }
    do throws(BackdropError) {
      let maker = try PersonMatteMaker.load(
        wanted, for: (stream.width, stream.height), workers: workers, networks: networks)
      person = .open(maker)
      return maker
    } catch {
      // Depth alone will do, unless a network was asked for.
      guard usesDepth && options.mattes == .auto && error.kind == .unsupported && options.person.model == nil else {
        throw error
      }
      try options.refusePlate()
      person = .absent
      return nil
    }
  }

  // MARK: - Single pictures

  private func findInStill(
    _ scene: Scene, into evidence: inout Evidence
  ) throws(BackdropError) {
    let side = max(scene.image.width, scene.image.height)
    var small = scene
    if side > Self.largestMatteSide {
      let scale = Double(Self.largestMatteSide) / Double(side)
      small.image = try scene.image.scaled(
        toWidth: max(1, Int(Double(scene.image.width) * scale)), height: max(1, Int(Double(scene.image.height) * scale))
      )
    }
    let near = scene.disparity.map { $0.normalized() }
    seesNoLikeness = false
    // Depth alone will do, unless a network was asked for.
    let isNetworkWanted = options.mattes == .person || options.person.model != nil || options.person.classes != nil
    if options.mattes == .depth && near == nil { throw scene.depthFault ?? Self.noDepth }
    do throws(BackdropError) {
      if options.mattes != .depth && asksJudge(near) { PersonPresenceJudge.expect(networks: networks) }
      if options.mattes != .depth, let maker = try personMaker() {
        var matte = Matte(constant: 0, width: 1, height: 1)
        try maker.update(&matte, from: small.image)
        matteCount += 1
        let presence = try presence(of: matte, in: small, near, maker)
        let (confidence, witness) = (maker.confidence[.network] ?? 1, maker.witness)
        if asksJudge(near) && (presence != .person || PersonSearch.isWorthwhile(beside: matte)),
          let closer = try lookCloser(at: small.image, besides: presence == .person ? matte : nil, maker)
        {
          return take(
            closer, .person, by: .network, confidence, seenBy: Evidence.Witness(closer), into: &evidence)
        }
        if presence != .nobody(.nothingFound) {
          seesNoLikeness = presence == .nobody(.noLikeness)
          return take(
            matte, .person, by: .network, confidence, seenBy: witness ?? Evidence.Witness(matte), into: &evidence)
        }
      }
    } catch {
      guard near != nil && error.kind == .unsupported && !isNetworkWanted else { throw error }
    }
    guard let near, !isNetworkWanted else {
      throw BackdropError(
        .badData,
        scene.disparity == nil
          ? "there is no person in the picture, and it has no depth and no portrait matte"
          : "there is no person in the picture",
        hint: .chooseNetwork)
    }
    var matte = FocusMask.near(near)
    let coarse = matte
    try MatteRefiner(.best, workers: workers).refine(coarse, of: small.image, into: &matte)
    take(matte, .depth, by: .depth, 1, seenBy: Evidence.Witness(coarse), into: &evidence)
  }

  /// Whether what the network takes for somebody is somebody.
  private var isNetworkBelieved: Bool {
    options.person.classes != nil || options.person.subject == .any
  }

  /// Without depth another network has to recognize a person in the matte, or there is a warning; a network that was chosen by name is
  /// believed.
  private func asksJudge(_ near: NormalizedDisparity?) -> Bool {
    near == nil && !isNetworkBelieved && options.person.model == nil
  }

  private func presence(
    of matte: Matte, in scene: Scene, _ near: NormalizedDisparity?, _ maker: PersonMatteMaker
  ) throws(BackdropError) -> PersonPresence.Verdict {
    if let near, !isNetworkBelieved {
      let isThere = matte.coverage >= Self.minimumPerson && Self.isInFront(matte, near)
      return isThere ? .person : .nobody(.nothingFound)
    }
    guard matte.coverage > 0 else { return .nobody(.nothingFound) }
    guard asksJudge(near) else { return .person }
    let agreement = maker.lastPortrait?.agreement ?? 1
    return try presenceJudge().judge(scene.image, matte: matte, agreement: agreement).verdict
  }

  private func presenceJudge() throws(BackdropError) -> PersonPresenceJudge {
    try PersonPresenceJudge.load(networks: networks, threads: options.person.threads ?? workers.threadCount)
  }

  /// The matte of those who are too small to be seen well in the whole picture.
  private func lookCloser(
    at image: Image, besides seen: Matte?, _ maker: PersonMatteMaker
  ) throws(BackdropError) -> Matte? {
    let search = PersonSearch(networks: networks, threads: options.person.threads ?? workers.threadCount)
    return try search.matte(
      of: image, besides: seen?.scaled(toWidth: image.width, height: image.height), by: maker, try presenceJudge())
  }

  /// Whether what a network saw is a good part of what is near, and little else: a pattern on a wall, or on a glass, is not.
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
  /// What is nearer than the distance that parts a scene best, with a short ramp and without small gaps.
  static func near(_ disparity: NormalizedDisparity) -> Matte {
    let map = DisparityMap(perMetre: disparity.values, accuracy: .relative)
    let edge = Double(map.percentile(HistogramMask.separating(disparity)) ?? 0.5)
    return Matte(mapping: disparity.values) { (Double($0) - edge) / 0.06 + 0.5 }
  }
}

extension PersonMatteMaker {
  /// What the network alone saw.
  var witness: Evidence.Witness? { networkOpinion.map { Evidence.Witness($0.matte, $0.frame) } }
}

extension DepthMap {
  /// The part of all distances, or of half the map where fewer are known, that is nearer than that.
  func part(nearerThan metres: Double) -> Double {
    let limit = Float(metres)
    var (near, known, all) = (0, 0, 0)
    // Every fourth row and column will do.
    for y in stride(from: 0, to: height, by: 4) {
      let row = self.metres.row(y)
      for x in stride(from: 0, to: width, by: 4) {
        all += 1
        guard row[x] > 0 else { continue }
        known += 1
        if row[x] <= limit { near += 1 }
      }
    }
    return Double(near) / max(1, Double(known), Double(all) / 2)
  }
}
