import BackdropCodecs
import BackdropImaging

/// A kind of file for reading photos.
///
/// To add one with parts of its own, write such a type in a separate file and list it in ``DepthPhoto/containers``. Make it a
/// ``WritablePhotoContainer`` if it can also be written. Plain picture formats have one already: `PictureFormat.all`.
public protocol PhotoContainer: Sendable {
  /// Its name in lower case: `jpeg`.
  var name: String { get }
  /// Its name in a sentence; by default ``name`` in capitals.
  var title: String { get }
  /// The extensions of its files in lower case, the default first.
  var fileExtensions: [String] { get }
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
  package var title: String { name.uppercased() }
  package var holdsDepth: Bool { true }
  package var holdsAlpha: Bool { false }
}

/// A kind of file for writing photos.
public protocol WritablePhotoContainer: PhotoContainer {
  /// Whether every pixel is kept: always, never, or with ``PhotoFileOptions/isLossless``; by default never.
  var compression: PictureCompression { get }
  /// The maximum bytes per pixel of a job with this result, without those of the program; `nil`, the default, if nobody has measured it.
  func jobBytesPerPixel(isLossless: Bool) -> Int?

  /// The photo as a file, with all parts that it can hold.
  ///
  /// - Throws: errors of decoding and encoding.
  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8]

  /// The parts of a photo's metadata that such a file cannot hold, one sentence each; by default none.
  func omissions(of photo: DepthPhoto) -> [String]
}

extension WritablePhotoContainer {
  package var compression: PictureCompression { .lossy }
  package func jobBytesPerPixel(isLossless: Bool) -> Int? { nil }
  package func omissions(of photo: DepthPhoto) -> [String] { [] }
}

/// A kind of file that keeps a photo's picture in a ``/BackdropCodecs/PictureFormat``.
protocol PictureContainer: WritablePhotoContainer {
  var format: PictureFormat { get }
}

extension PictureContainer {
  var name: String { format.name }
  var title: String { format.codec.title }
  var fileExtensions: [String] { format.codec.fileExtensions }
  var holdsAlpha: Bool { format.codec.holdsAlpha }
  var compression: PictureCompression { format.codec.compression }
  func jobBytesPerPixel(isLossless: Bool) -> Int? { format.codec.jobBytesPerPixel(isLossless: isLossless) }
  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(format) }
  func omissions(of photo: DepthPhoto) -> [String] {
    photo.metadata.fitted(to: format.codec.metadataFields).remarks
  }
}
