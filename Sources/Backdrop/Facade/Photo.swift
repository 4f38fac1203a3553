import BackdropDepth
import BackdropImaging
import BackdropPhotos

/// A photo in a file, with the depth and the mattes that the camera put into it.
///
///     let beach = try Picture("beach.jpg")
///     try await Photo("me.heic").replacingBackground(with: .picture(beach)).write(to: "out.heic")
///
/// What can be made of it: ``Original/replacingBackground(with:)`` and ``Original/applying(_:_:background:)``. Only the file's
/// structure is read at first; each part is decoded when it is asked for.
public struct Photo: Original {
  /// All that the file holds: picture, depth, mattes, metadata.
  public let contents: DepthPhoto
  /// The name that it was opened by.
  public let path: String
  /// The largest pictures that are read with it.
  public let limits: ImageLimits
  private let depth: String?

  /// Opens a photo; its content, not its name, decides what it is.
  ///
  /// - Parameters:
  ///   - path: a file of one of the kinds of ``/BackdropPhotos/DepthPhoto/containers``.
  ///   - depth: a file of distances that belong to it, if they are not in it, as ``SceneInput/Options/depth`` takes it.
  ///   - limits: the largest pictures that are read, and the most memory that is taken.
  /// - Throws: `wrongArgument` if there is no such file, `badData` for a damaged one, `unsupported` for another kind of file.
  public init(_ path: String, depth: String? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    self.init(try DepthPhoto.read(path, limits: limits), path: path, depth: depth, limits: limits)
  }

  /// A photo that was read elsewhere.
  ///
  /// - Parameters:
  ///   - contents: the photo.
  ///   - path: its name in messages.
  public init(_ contents: DepthPhoto, path: String) { self.init(contents, path: path, depth: nil, limits: .standard) }

  private init(_ contents: DepthPhoto, path: String, depth: String?, limits: ImageLimits) {
    (self.contents, self.path, self.depth, self.limits) = (contents, path, depth, limits)
  }

  /// Pixels in a row of the upright picture.
  public var width: Int { contents.width }
  /// Rows of the upright picture.
  public var height: Int { contents.height }

  /// The picture, upright, in its own colours.
  ///
  /// - Parameter format: the pixel format to get; `nil` for what suits the file.
  /// - Throws: `badData` or `unsupported` where it cannot be decoded, `overLimit` where it is too large.
  public func image(as format: PixelFormat? = nil) throws(BackdropError) -> Image {
    do {
      return try contents.image(as: format)
    } catch {
      throw error.at(path)
    }
  }

  /// The picture with all that is known of it, as looks see it.
  ///
  /// - Throws: as ``image(as:)``; what is wrong with depth that was given beside it. Parts of the photo that cannot be read are
  ///   left out; ``/BackdropDepth/Scene/depthFault`` tells of depth.
  public func scene() throws(BackdropError) -> Scene {
    var source = try open()
    guard let scene = try source.next() else { throw BackdropError(.badData, "the photo is empty", path: path) }
    return scene
  }

  /// Opens it as the engine's input.
  ///
  /// - Throws: errors in depth that was given beside it.
  public func open() throws(BackdropError) -> any SceneSource {
    guard let depth else { return PhotoSource(contents, name: path) }
    var options = SceneInput.Options()
    (options.depth, options.limits) = (depth, limits)
    return try SceneInput.open(path, options: options)
  }
}
