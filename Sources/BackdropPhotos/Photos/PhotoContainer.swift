import BackdropImaging

/// A kind of file for reading photos.
///
/// To add one, write such a type in a separate file and list it in ``DepthPhoto/containers``. Make it a
/// ``WritablePhotoContainer`` if it can also be written.
public protocol PhotoContainer: Sendable {
  /// Its name in lower case: `jpeg`.
  var name: String { get }
  /// Its name in a sentence; by default ``name`` in capitals.
  var title: String { get }
  /// The extensions of its files in lower case, the default first.
  var endings: [String] { get }
  /// Whether its files can hold depth and mattes; true by default.
  var holdsDepth: Bool { get }
  /// Whether its pictures can have alpha; false by default.
  var holdsAlpha: Bool { get }

  /// Whether a file is of this kind, by its first 4096 bytes, or all of them if it is shorter.
  func matches(_ head: Span<UInt8>) -> Bool
  /// A photo from the bytes of a file; its parts are decoded on request.
  ///
  /// - Throws: `badData` for a damaged file, `overLimit` for a picture beyond `limits`.
  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto
}

extension PhotoContainer {
  /// The name in capitals.
  public var title: String { name.uppercased() }
  /// By default, true.
  public var holdsDepth: Bool { true }
  /// By default, false.
  public var holdsAlpha: Bool { false }
}

/// A kind of file for writing photos.
public protocol WritablePhotoContainer: PhotoContainer {
  /// The warning that such a file drops alpha.
  var alphaRefusal: String { get }
  /// Whether every pixel is kept, always or with ``PhotoFileOptions/isLossless``; false by default.
  var canBeLossless: Bool { get }

  /// The photo as a file, with all parts that it can hold.
  ///
  /// - Throws: errors of decoding and encoding.
  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8]

  /// The parts of a photo's metadata that such a file cannot hold, one sentence each; by default none.
  func omissions(of photo: DepthPhoto) -> [String]
}

extension WritablePhotoContainer {
  /// By default, that Backdrop writes such pictures without transparency.
  public var alphaRefusal: String { "Backdrop writes \(title) pictures without transparency" }
  /// By default, false.
  public var canBeLossless: Bool { false }
  /// By default, none.
  public func omissions(of photo: DepthPhoto) -> [String] { [] }
}
