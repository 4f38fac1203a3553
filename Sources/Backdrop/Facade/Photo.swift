/// A photo file, with the depth and the mattes that the camera stored in it.
///
///     let beach = try Picture("beach.jpg")
///     try await Photo("me.heic").replacingBackground(with: .picture(beach)).write(to: "out.heic")
///
/// ``Original/replacingBackground(with:)`` and ``Original/applying(_:_:background:)`` make edits of it. Opening reads only the file's
/// structure; later calls decode the parts that they need.
public struct Photo: Original {
  /// Everything in the file: picture, depth, mattes, metadata.
  public let contents: DepthPhoto
  /// The name by which it was opened.
  public let path: String
  /// The largest pictures to read with it.
  public let limits: ImageLimits
  private let depth: String?

  /// Opens a photo; its content, not its name, determines its kind.
  ///
  /// - Parameters:
  ///   - path: a file of one of the kinds of ``/BackdropPhotos/DepthPhoto/containers``.
  ///   - depth: a file with its distances, if the photo does not contain them, as ``SceneInput/Options/depth`` takes it.
  ///   - limits: the largest pictures to read, and the most memory to use.
  /// - Throws: `wrongArgument` if the file does not exist, `badData` for a damaged one, `unsupported` for another kind of file.
  public init(_ path: String, depth: String? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    self.init(try DepthPhoto.read(path, limits: limits), path: path, depth: depth, limits: limits)
  }

  /// Uses a photo that the caller has read.
  ///
  /// - Parameters:
  ///   - contents: the photo.
  ///   - path: its name in messages.
  public init(_ contents: DepthPhoto, path: String) { self.init(contents, path: path, depth: nil, limits: .standard) }

  private init(_ contents: DepthPhoto, path: String, depth: String?, limits: ImageLimits) {
    (self.contents, self.path, self.depth, self.limits) = (contents, path, depth, limits)
  }

  /// The width of the upright picture, in pixels.
  public var width: Int { contents.width }
  /// The height of the upright picture, in pixels.
  public var height: Int { contents.height }

  /// The picture, upright, in its own colours.
  ///
  /// - Parameter format: the pixel format; `nil` for the file's natural one.
  /// - Throws: `badData` or `unsupported` if it cannot be decoded, `overLimit` if it is too large.
  public func image(as format: PixelFormat? = nil) throws(BackdropError) -> Image {
    do { return try contents.image(as: format) } catch { throw error.at(path) }
  }

  /// The picture with its depth and mattes, the input of looks.
  ///
  /// - Throws: as ``image(as:)``; errors in a separate depth file. Unreadable parts of the photo are left out;
  ///   ``/BackdropDepth/Scene/depthFault`` reports a fault in depth.
  public func scene() throws(BackdropError) -> Scene {
    var source = try open()
    guard let scene = try source.next() else { throw BackdropError(.badData, "the photo is empty", path: path) }
    return scene
  }

  /// Opens the photo as the engine's input.
  ///
  /// - Throws: errors in a separate depth file.
  public func open() throws(BackdropError) -> SceneInput {
    guard let depth else { return SceneInput(PhotoSource(contents, name: path)) }
    var options = SceneInput.Options()
    (options.depth, options.limits) = (depth, limits)
    return try SceneInput.open(path, options: options)
  }
}
