/// The user's decisions about a single picture: brush strokes, and the people to keep.
extension SceneAnalyzer {
  /// The matte under a touch-up if nobody was found.
  private static let nobody = Matte(constant: 0, width: 64, height: 64)

  /// The touch-up, read once; `nil` without one.
  func loadedTouchUp() throws(BackdropError) -> TouchUp? {
    guard let choice = options.touchUp else { return nil }
    if let touchUp, touchUp.choice == choice { return touchUp.value }
    guard stream.isStill else {
      throw BackdropError(
        .wrongArgument, "a touch-up works on a single picture, and this is a video", hint: .leaveTouchUpOut)
    }
    let value = try choice.loaded()
    touchUp = (choice, value)
    return value
  }

  func drawTouchUp(_ scene: Scene, into evidence: inout Evidence) throws(BackdropError) {
    guard let touchUp = try loadedTouchUp(), !touchUp.strokes.isEmpty else { return }
    let isNew = evidence.subjectOrigin == nil
    guard !isNew || touchUp.keepsSomething else { return }
    if isNew {
      (evidence.subject, evidence.subjectOrigin) = (Self.nobody, .touchUp)
    }
    // The size does not depend on the photo's, so that a preview and the whole photo get the same matte.
    evidence.subject = try touchUpDrawing.draw(touchUp, in: evidence.subject) { () throws(BackdropError) in
      TouchUpPainter(try scene.reduced(to: TouchUpPainter.pictureSide).image, workers: workers)
    }
    // The privacy guard must count everything that the user keeps as a person.
    if touchUp.keepsSomething { evidence.independentMattes.append(Evidence.CoarseMatte(evidence.subject)) }
  }

  /// Finds the people in a single picture, in evidence with everybody; ``reconsider(_:for:from:into:)`` can then choose among them.
  func findPeople(_ scene: Scene, in located: Evidence) throws(BackdropError) -> PeopleInPicture? {
    guard located.subjectOrigin != nil else { return nil }
    let chooser: PeopleChooser =
      if let people { people } else { PeopleChooser(PeopleChoice(), try peopleFinder(), isStill: stream.isStill) }
    people = chooser
    chooser.choice = PeopleChoice()
    var everybody = Matte.nothing
    try chooser.choose(
      scene.image, matte: located.subject, depth: scene.depth, faces: scene.faces, time: scene.time, into: &everybody)
    return chooser.found
  }

  /// Finds what a request needs in a single picture, with the analyzer's options, from evidence without a choice of people or a touch-up.
  ///
  /// - Parameters:
  ///   - scene: its picture may be smaller than the analyzed one.
  ///   - request: has no depth recipe.
  func reconsider(
    _ scene: Scene, for request: EvidenceRequest, from located: Evidence, into evidence: inout Evidence
  ) throws(BackdropError) {
    evidence = located
    if evidence.subjectOrigin != nil, !options.people.isEverybody, let people {
      try chosenMatte.make(&evidence) { (matte) throws(BackdropError) in
        guard people.choice != options.people || chosenFrom !== located.subject.q15.storage else { return }
        people.choice = options.people
        try people.chooseAgain(time: scene.time, into: &matte)
        chosenFrom = located.subject.q15.storage
      }
    }
    try drawTouchUp(scene, into: &evidence)
    focus = nil
    if request.needsDisparity { findDisparity(scene, into: &evidence) }
    if request.needsFocus { findFocus(into: &evidence) }
  }
}
