extension SceneAnalyzer {
  /// Finds the subject of the picture.
  ///
  /// - Throws: the error that left the scene without a matte; `badData` for a single picture without a person.
  func findSubject(_ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    // Release the last scene's mattes to avoid a copy.
    evidence.independentMattes = []
    let source = sources.first { $0.applies(to: scene) }
    do throws(BackdropError) {
      guard let source else { throw Self.noDepth }
      try source.find(in: scene, request, into: &evidence)
    } catch {
      // Strokes stay valid even if nothing else is found.
      let touchUp = try loadedTouchUp()
      guard error.kind == .badData, touchUp?.keepsSomething ?? false else { throw error }
      evidence.clearSubject()
    }
    acceptCutout(scene, into: &evidence)
    try choosePeople(scene, into: &evidence)
    try drawTouchUp(scene, into: &evidence)
    // Shape a matte from another source as the look's recipe would shape one from depth.
    if let source, !type(of: source).shapesMattes, request.isShaped, let recipe = request.recipe {
      evidence.subject = shaper.shape(evidence.subject, sigma: recipe.sigma, gamma: recipe.gamma)
    }
  }

  /// Records the matte of a single source as the subject's.
  func store(
    _ matte: Matte, _ origin: Evidence.Origin, by source: LikelihoodSource, _ confidence: Double,
    independent coarse: Evidence.CoarseMatte, into evidence: inout Evidence
  ) {
    (evidence.subject, evidence.subjectOrigin, evidence.confidence) = (matte, origin, [source: confidence])
    (evidence.independentMattes, evidence.nearPart, evidence.age) = ([coarse], nil, 0)
    hasSeenSomebody = true
  }

  // MARK: - Several people

  private func choosePeople(_ scene: Scene, into evidence: inout Evidence) throws(BackdropError) {
    guard evidence.subjectOrigin != nil, let chooser = try peopleChooser() else { return }
    let everybody = evidence.subject
    try chosenMatte.make(&evidence) { (matte) throws(BackdropError) in
      try chooser.choose(
        scene.image, matte: everybody, depth: scene.depth, faces: scene.faces, time: scene.time, into: &matte)
    }
  }

  func peopleFinder() throws(BackdropError) -> PeopleFinder {
    try PeopleFinder(networks: networks, threads: networkThreads)
  }

  var networkThreads: Int { options.person.threads ?? workers.threadCount }

  /// Follows the people of the stream; `nil` if everybody is kept.
  func peopleChooser() throws(BackdropError) -> PeopleChooser? {
    if options.people.isEverybody { return nil }
    if let people { return people }
    let chooser = PeopleChooser(options.people, try peopleFinder(), isStill: stream.isStill)
    people = chooser
    return chooser
  }

  func forgetShot() {
    people?.cut()
    for source in sources { source.forget() }
    (range, focus) = (nil, nil)
  }
}
