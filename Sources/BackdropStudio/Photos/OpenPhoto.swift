import Backdrop
import BackdropLive

/// An open photo: its analysis, its edit, and its pictures at the sizes that a page shows.
///
/// Used only on the photo workspace's queue.
final class OpenPhoto {
  private let editor: PhotoEditor
  private let previews: PhotoPreviews
  private let backgrounds: PhotoBackgrounds
  private let workers: WorkerPool
  private(set) var edit = PhotoEdit()

  init(
    _ photo: DepthPhoto, path: String, networks: ModelCache, workers: WorkerPool, backgrounds: PhotoBackgrounds
  ) throws(BackdropError) {
    (self.backgrounds, self.workers) = (backgrounds, workers)
    // The analysis uses the full-size picture, which is then released.
    editor = try PhotoEditor(
      PhotoSource(photo, name: path), side: PhotoPreviews.fineSide, workers: workers, networks: networks)
    previews = PhotoPreviews(editor.photo, workers: workers, backgrounds, PhotoEdit().background)
  }

  enum View: String {
    case picture, depth, matte, effect
  }

  func state() -> PhotoInfo.State {
    let evidence = editor.photo.evidence
    var state = PhotoInfo.State()
    state.focus = evidence.focus
    state.hasSubject = evidence.subjectOrigin != nil
    state.inactive = Look.builtIn.reduce(into: [:]) { all, look in
      let facts = evidence.findings.facts(isStill: true, hasBackground: look.hasBackground)
      all[look.id] = look.inactive(where: facts)
    }
    // Looks that do not need the missing part can still be drawn.
    state.missing = editor.photo.fault?.message
    return state
  }

  /// Converts an edit to the settings for drawing it.
  static func plan(_ wanted: PhotoEdit, _ backgrounds: PhotoBackgrounds) throws(BackdropError) -> Job.Plan {
    try wanted.check()
    var plan = Job.Plan()
    try wanted.set(in: &plan)
    _ = try backgrounds.choice(wanted.background, side: PhotoPreviews.fineSide, isPreview: true)
    return plan
  }

  /// Applies the page's edit; an invalid edit changes nothing.
  func change(to wanted: PhotoEdit) throws(BackdropError) {
    guard wanted != edit else { return }
    let plan = try Self.plan(wanted, backgrounds)
    let subject = plan.analysis.person.subject
    if wanted.drop != edit.drop || wanted.touchUp != edit.touchUp
      || wanted.settings["subject"] != edit.settings["subject"]
    {
      try editor.change(people: wanted.people, subject: subject, touchUp: wanted.touchUp)
      previews.change(to: editor.photo)
    }
    let isElsewhere = wanted.background != edit.background || wanted.settings != edit.settings
    edit = wanted
    if isElsewhere { try previews.change(background: wanted.background, drawing: plan.drawing) }
  }

  func people() throws(BackdropError) -> PeopleInPicture? { try editor.people() }

  /// The frame's rectangle in the result, as parts of its width and height.
  func frame(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Rect {
    try previews.preview(.tile).frame(look, values)
  }

  func jpeg(
    _ view: View, _ look: Look, _ values: [String: Double], size: PhotoPreviews.Size
  ) throws(BackdropError) -> [UInt8] {
    let preview = try previews.preview(size)
    let image: Image
    switch view {
    case .picture: image = preview.image
    case .depth:
      guard preview.hasDepth else { throw BackdropError(.badData, "this photo has no depth") }
      image = try preview.disparityColors()
    case .matte: image = try preview.matte(look, values).fitting(preview.image).image
    case .effect: image = try previews.draw(look, values, size).overChecks()
    }
    return try JPEG.encode(image, quality: size == .fine ? 88 : 80)
  }

  func focus(x: Double, y: Double) throws(BackdropError) -> Double {
    try previews.preview(.draft).disparity(atX: x, y: y)
  }

  /// The same photo at its full size, for the close-up view.
  func whole() throws(BackdropError) -> LookPreview {
    let photo = try editor.whole()
    let side = max(photo.scene.image.width, photo.scene.image.height)
    var plan = Job.Plan()
    try edit.set(in: &plan)
    let choice = try backgrounds.choice(edit.background, side: side, isPreview: false)
    return try LookPreview(photo, side: side, background: choice, drawing: plan.drawing, workers: workers)
  }
}

extension Image {
  /// Transparent parts over a chequered ground, as picture programs show them.
  func overChecks() -> Image {
    guard alpha != .opaque && format.hasAlpha else { return self }
    var result = self
    result.alpha = .opaque
    let side = max(4, max(width, height) / 80)
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in 0..<width {
        let opacity = Int(row[4 * x + 3])
        guard opacity < 255 else { continue }
        let ground = (x / side + y / side).isMultiple(of: 2) ? 236 : 204
        for c in 0..<3 {
          row[4 * x + c] = UInt8((Int(row[4 * x + c]) * opacity + ground * (255 - opacity) + 127) / 255)
        }
        row[4 * x + 3] = 255
      }
    }
    return result
  }
}
