import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropRecordings

/// A photo: one scene, with its disparity and mattes.
public final class PhotoSource: SceneSource {
  /// The file's name.
  public let name: String
  /// The photo, with everything that a result inherits from it.
  public let photo: DepthPhoto
  /// Size of the upright picture.
  public var width: Int { photo.width }
  /// Size of the upright picture.
  public var height: Int { photo.height }
  /// Interleaved colours.
  public var format: PixelFormat { .rgb8 }
  /// The colour space of the picture's samples.
  public let color = ColorDescription.jpeg
  /// Always 1.
  public var frameCount: Int? { 1 }
  /// A nominal rate, because a photo has none.
  public var framesPerSecond: Double { 25 }
  /// Always true.
  public var isStill: Bool { true }
  /// The photo has at most disparity, not metres.
  public var providesDepth: Bool { false }
  /// The photo's file; none for standard input.
  public var files: [String] { name == StandardInput.name ? [] : [name] }
  /// Always false.
  public var isWorthReadingAhead: Bool { false }
  /// Unreadable parts of the photo, and options that do not apply to it.
  public private(set) var warnings: [BackdropError] = []
  /// The errors that ``warnings`` already reports.
  private var told: [BackdropError] = []
  private var isOver = false
  private var hasAlpha = false
  /// The stored format.
  public var properties: SourceProperties {
    let isTurned = photo.orientation.swapsSides
    var properties = SourceProperties(
      storedWidth: isTurned ? height : width, storedHeight: isTurned ? width : height, color: color)
    properties.orientation = photo.orientation
    properties.hasAlpha = hasAlpha
    if photo.orientation != .up { properties.changes.insert(.turned) }
    if hasAlpha { properties.changes.insert(.partedFromAlpha) }
    properties.color.space = photo.picture.colorSpace
    if photo.picture.colorSpace.transfer.isHDR { properties.changes.insert(.toneMapped) }
    return properties
  }

  /// Reads a photo's structure; ``next()`` decodes its picture.
  ///
  /// - Throws: errors in the file; `wrongArgument` if depth is required and missing.
  public convenience init(_ name: String, limits: ImageLimits = .standard) throws(BackdropError) {
    var options = SceneInput.Options()
    options.limits = limits
    try self.init(name, options)
  }

  convenience init(_ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    try self.init(try Self.read(name, options), name, options)
  }

  /// Uses a photo that the caller has read.
  init(_ photo: DepthPhoto, _ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    let photo = try Self.wanted(photo, name, options)
    (self.photo, self.name) = (photo, name)
    if options.needsDepth && photo.auxiliary(.depth) == nil {
      throw BackdropError(
        .wrongArgument, "this picture has no depth", path: name, hint: .giveItsDepth)
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
          hint: .takeOtherEye(other: stereo.eye.other.rawValue)))
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
        BackdropError(
          .unsupported, "the file holds \(photo.frameCount) pictures; Backdrop uses only the main one"))
    }
  }

  /// The photo, reduced to the picture that the options choose.
  private static func wanted(
    _ photo: DepthPhoto, _ name: String, _ options: SceneInput.Options
  ) throws(BackdropError) -> DepthPhoto {
    do throws(BackdropError) { return try options.photo.applied(to: photo) } catch { throw error.at(name) }
  }

  /// Uses a photo that the caller has read.
  public init(_ photo: DepthPhoto, name: String) { (self.photo, self.name) = (photo, name) }

  private static func read(_ name: String, _ options: SceneInput.Options) throws(BackdropError) -> DepthPhoto {
    guard options.recording.raw != nil && RecordingEntry.isRaw(name, options.recording) else {
      return try DepthPhoto.read(name, limits: options.limits)
    }
    throw BackdropError(
      .wrongArgument, "a raw picture has no depth", path: name, hint: .giveItsDepth)
  }

  /// The scene, once.
  ///
  /// - Throws: errors of decoding the picture. Other unreadable parts are left out, with a note in ``warnings``.
  public func next() throws(BackdropError) -> Scene? {
    guard !isOver else { return nil }
    isOver = true
    return try scene()
  }

  /// Decodes the scene; every call decodes it again.
  ///
  /// - Throws: as ``next()``.
  public func scene() throws(BackdropError) -> Scene {
    var scene = try picture()
    do throws(BackdropError) {
      scene.disparity = try photo.depth()?.disparity
    } catch {
      scene.depthFault = error
      warn(error, "Backdrop does not use the photo's depth: ")
    }
    do throws(BackdropError) {
      // An empty matte means that the camera found nobody.
      if let matte = try photo.matte(.portrait), matte.coverage >= 0.005 { scene.mattes[.portrait] = matte }
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
    guard !told.contains(error) else { return }
    told.append(error)
    warnings.append(BackdropError(error.kind, prefix + error.message))
  }
}
