import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropRecordings

/// A photo: one scene, with the disparity and the mattes that are in it.
public final class PhotoSource: SceneSource {
  /// The file's name.
  public let name: String
  /// The photo, with all that is to go along into a result.
  public let photo: DepthPhoto
  /// Size of the upright picture.
  public var width: Int { photo.width }
  /// Size of the upright picture.
  public var height: Int { photo.height }
  /// Interleaved colours.
  public var format: PixelFormat { .rgb8 }
  /// The colour space of the picture's samples.
  public let color = ColorDescription.jpeg
  /// One.
  public var frameCount: Int? { 1 }
  /// Nobody counts.
  public var framesPerSecond: Double { 25 }
  /// Yes.
  public var isStill: Bool { true }
  /// Disparity, if anything: not metres.
  public var providesDepth: Bool { false }
  /// The file.
  public var files: [String] { name == StandardInput.name ? [] : [name] }
  /// No.
  public var isWorthReadingAhead: Bool { false }
  /// Parts of the photo that could not be read, and options that it has no use for.
  public private(set) var warnings: [BackdropError] = []
  /// What was wrong with parts that ``warnings`` tells of.
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

  /// Reads a photo's structure; its picture is decoded by ``next()``.
  ///
  /// - Throws: errors in the file; `wrongArgument` where depth is needed and there is none.
  public convenience init(_ name: String, limits: ImageLimits = .standard) throws(BackdropError) {
    var options = SceneInput.Options()
    options.limits = limits
    try self.init(name, options)
  }

  convenience init(_ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    try self.init(try Self.read(name, options), name, options)
  }

  /// A photo that has been read.
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
          .unsupported, "the picture is animated; Backdrop uses the first of its \(photo.frameCount) pictures"))
    }
  }

  /// A photo with what a person asked for of several pictures.
  private static func wanted(
    _ photo: DepthPhoto, _ name: String, _ options: SceneInput.Options
  ) throws(BackdropError) -> DepthPhoto {
    do throws(BackdropError) { return try options.photo.applied(to: photo) } catch { throw error.at(name) }
  }

  /// A photo that was read elsewhere.
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
  /// - Throws: errors of decoding the picture; parts beside it that cannot be read are left out, and told in ``warnings``.
  public func next() throws(BackdropError) -> Scene? {
    guard !isOver else { return nil }
    isOver = true
    return try scene()
  }

  /// The scene, decoded anew.
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
      // An empty one says that nobody was found.
      if let matte = try photo.matte(.portrait), matte.coverage >= 0.005 { scene.mattes[.portrait] = matte }
    } catch {
      warn(error, "Backdrop does not use the photo's own matte: ")
    }
    return scene
  }

  /// The scene without depth and mattes: what backgrounds, plates and standby pictures are made of.
  package func picture() throws(BackdropError) -> Scene {
    var image: Image
    do throws(BackdropError) {
      image = try photo.image(as: photo.container?.holdsAlpha == true ? nil : .rgb8)
    } catch {
      throw error.at(name == StandardInput.name ? StandardInput.title : name)
    }
    // Many such profiles lack the way back, by which anything would be drawn into the picture.
    if image.color.space.profile?.hasTables == true { image = image.converted(to: .sRGB) }
    if image.alpha == .opaque && image.format != .rgb8 { image = image.converted(to: .rgb8) }
    let scene = Scene(image: image)
    if scene.alpha != nil { hasAlpha = true }
    return scene
  }

  /// Warns of a part that cannot be read; once, though scenes may be decoded again.
  private func warn(_ error: BackdropError, _ prefix: String) {
    guard !told.contains(error) else { return }
    told.append(error)
    warnings.append(BackdropError(error.kind, prefix + error.message))
  }
}
