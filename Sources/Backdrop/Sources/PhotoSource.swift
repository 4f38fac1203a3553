/// A photo: one scene, with its disparity and mattes.
package final class PhotoSource: SceneSource {
  package let photo: DepthPhoto
  /// Unreadable parts of the photo, and options that do not apply to it.
  package private(set) var warnings: [BackdropError] = []
  /// The errors that ``warnings`` already reports.
  private var reported: [BackdropError] = []
  private var isOver = false
  private var hasAlpha = false
  private let path: String

  /// The facts about it: one upright picture at a nominal rate. It has disparity at most, not metres.
  package var info: SourceInfo {
    let isTurned = photo.orientation.swapsSides
    var stored = SourceProperties(
      storedWidth: isTurned ? photo.height : photo.width, storedHeight: isTurned ? photo.width : photo.height,
      color: .jpeg)
    stored.orientation = photo.orientation
    stored.hasAlpha = hasAlpha
    if photo.orientation != .up { stored.changes.insert(.turned) }
    if hasAlpha { stored.changes.insert(.partedFromAlpha) }
    stored.color.space = photo.picture.colorSpace
    if photo.picture.colorSpace.transfer.isHDR { stored.changes.insert(.toneMapped) }
    var info = SourceInfo(path, width: photo.width, height: photo.height, format: .rgb8, framesPerSecond: 25)
    (info.color, info.stored, info.frameCount) = (.jpeg, stored, 1)
    (info.isStill, info.providesDepth, info.isWorthReadingAhead) = (true, false, false)
    info.files = path == StandardInput.name ? [] : [path]
    return info
  }

  /// Reads a photo's structure; ``next()`` decodes its picture.
  package convenience init(_ name: String, limits: ImageLimits = .standard) throws(BackdropError) {
    var options = SceneInput.Options()
    options.limits = limits
    try self.init(name, options)
  }

  convenience init(_ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    if options.recording.raw != nil && RecordingEntry.isRaw(name, options.recording) {
      throw BackdropError(.wrongArgument, "a raw picture has no depth", path: name, hint: .giveItsDepth)
    }
    try self.init(try DepthPhoto.read(name, limits: options.limits), name, options)
  }

  init(_ whole: DepthPhoto, _ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    let photo: DepthPhoto
    do throws(BackdropError) { photo = try options.photo.applied(to: whole) } catch { throw error.at(name) }
    (self.photo, path) = (photo, name)
    if options.needsDepth && photo.auxiliary(.depth) == nil {
      throw BackdropError(.wrongArgument, "this picture has no depth", path: name, hint: .giveItsDepth)
    }
    warnings += SceneInput.uselessOptions(options)
    if photo.picture.bitsPerSample > 8 {
      warnings.append(
        BackdropError(
          .unsupported,
          "Backdrop draws with 8 bits per sample and rounds this picture's \(photo.picture.bitsPerSample) bits"))
    }
    if let stereo = photo.stereo, options.photo.eye == nil {
      warnings.append(
        BackdropError(
          .unsupported, "the photo holds a picture for each eye; Backdrop uses the \(stereo.eye.rawValue) one",
          hint: .useOtherEye(other: stereo.eye.other.rawValue)))
    }
    if photo.picture.colorSpace.transfer.isHDR {
      warnings.append(
        BackdropError(
          .unsupported,
          "the photo is HDR (\(photo.picture.colorSpace.transfer.rawValue.uppercased())); Backdrop maps its tones to standard dynamic range"
        ))
    }
    if photo.frameCount > 1 {
      warnings.append(
        BackdropError(.unsupported, "the file holds \(photo.frameCount) pictures; Backdrop uses only the main one"))
    }
  }

  package init(_ photo: DepthPhoto, name: String) { (self.photo, path) = (photo, name) }

  /// The scene, once.
  ///
  /// - Throws: errors of decoding the picture. Other unreadable parts are left out, with a note in ``warnings``.
  package func next() throws(BackdropError) -> Scene? {
    guard !isOver else { return nil }
    isOver = true
    return try scene()
  }

  /// Decodes the scene; every call decodes it again.
  package func scene() throws(BackdropError) -> Scene {
    var scene = try picture()
    do throws(BackdropError) {
      scene.disparity = try photo.depth()?.disparity
    } catch {
      scene.depthFault = error
      warn(error, "Backdrop does not use the photo's depth: ")
    }
    do throws(BackdropError) {
      // An empty matte means that the camera found nobody.
      if let matte = try photo.matte(.portrait), matte.coverage >= CameraMatteSource.smallestCoverage {
        scene.mattes[.portrait] = matte
      }
    } catch {
      warn(error, "Backdrop does not use the photo's own matte: ")
    }
    return scene
  }

  /// The scene without depth and mattes, for backgrounds, plates and standby pictures.
  package func picture() throws(BackdropError) -> Scene {
    var image: Image
    do throws(BackdropError) {
      image = try photo.image(as: photo.container?.holdsAlpha == true ? nil : .rgb8)
    } catch {
      throw error.at(name == StandardInput.name ? StandardInput.title : name)
    }
    // Many such profiles lack the reverse transform, and drawing into the picture would need it.
    if image.color.space.profile?.hasTables == true { image = try TableConversion.converted(image) }
    if image.alpha == .opaque && image.format != .rgb8 { image = image.converted(to: .rgb8) }
    let scene = Scene(image: image)
    if scene.alpha != nil { hasAlpha = true }
    return scene
  }

  /// Warns about an unreadable part, but only once if the scene is decoded again.
  private func warn(_ error: BackdropError, _ prefix: String) {
    guard !reported.contains(error) else { return }
    reported.append(error)
    warnings.append(BackdropError(error.kind, prefix + error.message))
  }
}
