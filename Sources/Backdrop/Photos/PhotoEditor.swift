import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

/// A photo whose subject is worked on: who stays, what is looked for, what is corrected by hand. What takes long is found once.
///
///     let editor = try PhotoEditor(try PhotoSource("group.jpg"), side: 1600, workers: workers)
///     try editor.change(people: choice, touchUp: TouchUp([stroke]))
///     let preview = try LookPreview(editor.photo, side: 960, background: .scenery(.dunes), workers: workers)
///
/// One caller at a time.
public final class PhotoEditor {
  /// The photo at the size of a screen, with what was chosen so far.
  public private(set) var photo: PhotoScene
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

    /// The photo with what options choose.
    func chosen(_ options: AnalyzerOptions, _ scene: Scene) throws(BackdropError) -> PhotoScene {
      analyzer.options = options
      var result = Evidence()
      try analyzer.reconsider(scene, for: .everything, from: evidence, into: &result)
      return PhotoScene(scene: scene, evidence: result, fault: result.subjectOrigin == nil ? fault : nil)
    }
  }

  /// Decodes a photo and finds what it is about.
  ///
  /// - Parameters:
  ///   - source: the photo; it is decoded again where the whole picture is needed.
  ///   - side: the longer side of the picture that is kept, at least ``/BackdropMatting/TouchUpPainter/pictureSide``.
  ///   - options: how it is analyzed, before anybody is chosen.
  ///   - workers: threads that the work is shared by.
  ///   - networks: where loaded networks stay.
  /// - Throws: errors of decoding the picture.
  public init(
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

  /// The people in the photo, told apart; `nil` where nobody is. The first time takes as long as a matte.
  ///
  /// - Throws: errors of decoding and networks.
  public func people() throws(BackdropError) -> PeopleInPicture? {
    guard var known = found[subject] else { return nil }
    if let people = known.people { return people }
    let people = try known.analyzer.findPeople(try source.scene(), in: known.evidence)
    known.people = .some(people)
    found[subject] = known
    return people
  }

  /// Chooses who stays and what is looked for, and draws what was corrected by hand; ``photo`` then has it.
  ///
  /// - Throws: `wrongArgument` for a point at which nobody is; what is wrong with the touch-up; what networks throw. The photo then
  ///   stays as it was.
  public func change(
    people: PeopleChoice, subject: PersonMatteMaker.Subject = .person, touchUp: TouchUp? = nil
  ) throws(BackdropError) {
    let size = (width: source.width, height: source.height)
    try people.check(width: size.width, height: size.height)
    if found[subject] == nil {
      var options = options
      options.person.subject = subject
      found[subject] = try Self.find(try source.scene(), options, workers, networks)
    }
    let old = self.subject
    self.subject = subject
    do throws(BackdropError) {
      if !people.isEverybody { _ = try self.people() }
      guard let known = found[subject] else { preconditionFailure("it was just found") }
      var options = options
      options.person.subject = subject
      (options.people, options.touchUp) = (people, touchUp.map(TouchUpChoice.strokes))
      photo = try known.chosen(options, photo.scene)
    } catch {
      self.subject = old
      throw error
    }
  }

  /// The photo with its whole picture, and with what was chosen so far.
  ///
  /// - Throws: errors of decoding the picture.
  public func whole() throws(BackdropError) -> PhotoScene {
    PhotoScene(scene: try source.scene(), evidence: photo.evidence, fault: photo.fault)
  }
}
