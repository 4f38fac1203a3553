/// Edits a photo's subject: the people to keep, the kind of subject, and manual corrections. It computes slow results only once.
///
///     let editor = try PhotoEditor(try PhotoSource("group.jpg"), side: 1600, workers: workers)
///     try editor.change(people: choice, touchUp: TouchUp([stroke]))
///     let preview = try LookPreview(editor.photo, side: 960, background: .scenery(.dunes), workers: workers)
///
/// Calls must not overlap.
package final class PhotoEditor {
  /// The photo at screen size, with the choices so far.
  package private(set) var photo: PhotoScene
  private let source: PhotoSource
  private let options: AnalyzerOptions
  private let workers: WorkerPool
  private let networks: ModelCache
  /// The evidence for a kind of subject, before any choice.
  private var found: [PersonMatteMaker.Subject: Found] = [:]
  private var subject: PersonMatteMaker.Subject

  private struct Found {
    let analyzer: SceneAnalyzer
    let evidence: Evidence
    let fault: BackdropError?
    var people: PeopleInPicture??

    func chosen(_ options: AnalyzerOptions, _ scene: Scene) throws(BackdropError) -> PhotoScene {
      analyzer.options = options
      var result = Evidence()
      try analyzer.reconsider(scene, for: .everything, from: evidence, into: &result)
      return PhotoScene(scene: scene, evidence: result, fault: result.subjectOrigin == nil ? fault : nil)
    }
  }

  /// Decodes a photo and finds its subject; it decodes the photo again when it needs the full-size picture.
  ///
  /// - Parameter side: the longer side of the kept picture, at least ``/BackdropMatting/TouchUpPainter/pictureSide``.
  package init(
    _ source: PhotoSource, side: Int, options: AnalyzerOptions = AnalyzerOptions(), workers: WorkerPool,
    networks: ModelCache = ModelCache()
  ) throws(BackdropError) {
    precondition(side >= TouchUpPainter.pictureSide, "strokes end by the edges of a picture of that size")
    (self.source, self.options, self.workers, self.networks) = (source, options, workers, networks)
    subject = options.person.subject
    let scene = try source.scene()
    let first = try Self.find(scene, options, workers, networks)
    found[subject] = first
    photo = PhotoScene(scene: try scene.reduced(to: side), evidence: first.evidence, fault: first.fault)
  }

  private static func find(
    _ scene: Scene, _ options: AnalyzerOptions, _ workers: WorkerPool, _ networks: ModelCache
  ) throws(BackdropError) -> Found {
    let analyzer = try PhotoScene.analyzer(of: scene, options, workers, networks)
    let (evidence, fault) = PhotoScene.everything(of: scene, by: analyzer)
    return Found(analyzer: analyzer, evidence: evidence, fault: fault, people: nil)
  }

  /// The separate people in the photo; `nil` if there are none. The first call takes as long as a matte.
  package func people() throws(BackdropError) -> PeopleInPicture? { try people(of: subject) }

  private func people(of subject: PersonMatteMaker.Subject) throws(BackdropError) -> PeopleInPicture? {
    guard var known = found[subject] else { return nil }
    if let people = known.people { return people }
    let people = try known.analyzer.findPeople(try source.scene(), in: known.evidence)
    known.people = .some(people)
    found[subject] = known
    return people
  }

  /// Chooses the people to keep and the kind of subject, and applies the manual corrections; ``photo`` then shows them.
  ///
  /// - Throws: `wrongArgument` for a point without a person; errors in the touch-up or of networks. The photo then stays unchanged.
  package func change(
    people: PeopleChoice, subject: PersonMatteMaker.Subject = .person, touchUp: TouchUp? = nil
  ) throws(BackdropError) {
    try people.check(width: source.width, height: source.height)
    var options = options
    options.person.subject = subject
    if found[subject] == nil { found[subject] = try Self.find(try source.scene(), options, workers, networks) }
    if !people.isEverybody { _ = try self.people(of: subject) }
    guard let known = found[subject] else { preconditionFailure("it was just found") }
    (options.people, options.touchUp) = (people, touchUp.map(TouchUpChoice.strokes))
    photo = try known.chosen(options, photo.scene)
    self.subject = subject
  }

  /// The full-size photo with the choices so far.
  package func whole() throws(BackdropError) -> PhotoScene {
    PhotoScene(scene: try source.scene(), evidence: photo.evidence, fault: photo.fault)
  }
}
