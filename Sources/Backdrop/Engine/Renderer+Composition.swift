/// Composes the frame into the picture, and matches its light to the background.
extension Renderer {
  /// Whether another background is behind the frame, so that the frame can move freely.
  private var isFree: Bool {
    cutout != nil || look.layers.first?.source == .background && (background?.isPictureOrColor ?? true)
  }

  /// The frame's rectangle in the picture; `nil` if the frame is the picture.
  func composition(of scene: Scene, _ evidence: Evidence) throws(BackdropError) -> ComposedScene? {
    let composition = options.composition
    guard !composition.keepsGeometry else { return nil }
    let needsSubject = composition.x == nil || composition.y == nil
    let frame = composition.frame(
      width: sceneWidth, height: sceneHeight, subject: needsSubject ? SubjectBox(evidence.subject) : nil,
      isFree: isFree)
    return ComposedScene(width: width, height: height, frame: frame)
  }

  func compose(
    _ scene: Scene, _ evidence: Evidence, _ frame: ComposedScene?
  ) throws(BackdropError) -> (Scene, Evidence) {
    guard let frame else { return (scene, evidence) }
    let key = (ObjectIdentifier(scene.image.storage), ObjectIdentifier(evidence.subject.q15.storage), frame.frame)
    if options.isStill, let composed, composed.key == key { return (composed.scene, composed.evidence) }
    var scene = scene
    if scene.image.format.isYUV { scene.image = scene.image.converted(to: .bgra8) }
    let result = try frame.compose(scene, evidence)
    if options.isStill { composed = (key, result.scene, result.evidence) }
    return (result.scene, result.evidence)
  }

  func lightMatched(_ image: Image, _ matte: Matte) throws(BackdropError) -> Image {
    let strength = options.composition.lightMatch
    guard strength > 0, look.hasBackground, let behind = try ownBackground() else { return image }
    let found = try LightMatch(of: image, matte: matte, to: behind, strength: strength)
    if options.isStill || light == nil { light = found } else { light?.follow(found) }
    return light?.apply(to: image) ?? image
  }

  func drawShadow(_ matte: Matte, _ compositor: Compositor) throws(BackdropError) {
    let strength = options.composition.shadow
    guard strength > 0, look.hasBackground, var picture = try ownBackground() else {
      if hasShadow, let behind { try compositor.setBackground(behind) }
      hasShadow = false
      return
    }
    if picture.format != compositor.format || picture.width != width || picture.height != height {
      picture = try picture.filling(width: width, height: height).converted(
        to: compositor.format, color: compositor.color)
    }
    let shadow = try ContactShadow(of: matte, width: width, height: height, strength: strength)
    try compositor.setBackground(.picture(shadow.apply(to: picture)))
    hasShadow = true
  }

  /// The background as a picture, unless it is the real background.
  private func ownBackground() throws(BackdropError) -> Image? {
    switch behind {
    case .picture(let image): return image.flattened().upright()
    case .color(let color):
      var image = Image(.rgb8, width: width, height: height, color: .jpeg)
      image.fill(color)
      return image
    case .blur, .bokeh, nil: return nil
    }
  }
}
