import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

extension SceneAnalyzer {
  /// Finds the subject of the picture.
  ///
  /// - Throws: the error that left the scene without a matte; `badData` for a single picture without a person.
  func findSubject(_ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    // Release the last scene's mattes to avoid a copy.
    evidence.independentMattes = []
    do throws(BackdropError) {
      try locateSubject(scene, request, into: &evidence)
    } catch {
      // Strokes stay valid even if nothing else is found.
      let touchUp = try loadedTouchUp()
      guard error.kind == .badData, touchUp?.keepsSomething ?? false else { throw error }
      evidence.clearSubject()
    }
    believeCutout(scene, into: &evidence)
    try choosePeople(scene, into: &evidence)
    try drawTouchUp(scene, into: &evidence)
    // A matte from depth already has its shape.
    if !(stream.hasDepth && usesDepth) || evidence.subjectOrigin == .matte { shape(request, into: &evidence) }
  }

  /// Locates everybody in the picture, by the first source that finds this scene's subject.
  private func locateSubject(
    _ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence
  ) throws(BackdropError) {
    for source in subjectSources where source.finds(in: scene, self) {
      return try source.find(in: scene, request, self, into: &evidence)
    }
    throw Self.noDepth
  }

  /// Records the matte of a single source as the subject's.
  func take(
    _ matte: Matte, _ origin: Evidence.Origin, by source: LikelihoodSource, _ confidence: Double,
    independent coarse: Evidence.CoarseMatte, into evidence: inout Evidence
  ) {
    (evidence.subject, evidence.subjectOrigin, evidence.confidence) = (matte, origin, [source: confidence])
    (evidence.independentMattes, evidence.nearPart, evidence.age) = ([coarse], nil, 0)
    hasSeenSomebody = true
  }

  /// Shapes a matte from another source as the look's recipe would shape one from depth.
  private func shape(_ request: EvidenceRequest, into evidence: inout Evidence) {
    guard request.isShaped, let recipe = request.recipe else { return }
    evidence.subject = shaper.shape(evidence.subject, sigma: recipe.sigma, gamma: recipe.gamma)
  }

  func update(
    _ evidence: inout Evidence, _ maker: PersonMatteMaker, _ scene: Scene, near: PersonMatteMaker.Near?
  ) throws(BackdropError) {
    var matte = personMatte.take() ?? Matte(constant: 0, width: 1, height: 1)
    // Release the last matte in the evidence to avoid a copy.
    evidence.subject = Self.nothing
    let runs = maker.runCount
    try maker.update(&matte, from: scene.image, at: scene.time, near: near, next: next)
    matteCount += maker.runCount - runs
    evidence.subject = matte
    personMatte = matte
    evidence.subjectOrigin = near == nil ? .person : .depthAndPerson
    evidence.independentMattes = maker.coarsePrior.map { [$0] } ?? []
    (evidence.nearPart, evidence.confidence) = (nil, maker.confidence)
    evidence.age = maker.matteAge(at: scene.time)
  }

  // MARK: - Several people

  /// Removes the people who are not chosen from the subject.
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

  /// Follows the people of the stream; `nil` if everybody is kept.
  func peopleChooser() throws(BackdropError) -> PeopleChooser? {
    if options.people.isEverybody { return nil }
    if let people { return people }
    let chooser = PeopleChooser(options.people, try peopleFinder(), isStill: stream.isStill)
    people = chooser
    return chooser
  }

  /// Discards the state from the scenes so far.
  func forgetScene() {
    people?.cut()
    depthMaker.reset()
    filter.reset()
    bodies.reset()
    (range, focus) = (nil, nil)
  }

  /// The network for this stream; `nil` if depth alone is enough.
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
      // Depth alone is enough, unless a network was requested.
      guard usesDepth && options.mattes == .auto && error.kind == .unsupported && options.person.model == nil else {
        throw error
      }
      try options.refusePlate()
      person = .absent
      return nil
    }
  }
}

extension PersonMatteMaker {
  /// The network's matte alone.
  var coarsePrior: Evidence.CoarseMatte? { networkPrior.map { Evidence.CoarseMatte($0.matte, $0.frame) } }
}
