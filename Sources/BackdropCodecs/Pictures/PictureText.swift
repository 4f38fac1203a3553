/// A text in a picture file beside EXIF and XMP: a comment, or what a PNG's keyword says.
public struct PictureText: Sendable, Equatable {
  /// What it is: `Comment` where the file has no keywords (PNG specification, section 11.3.3.2, has a list).
  public var keyword: String
  /// UTF-8, or Latin-1 where that makes no sense.
  public var bytes: [UInt8]

  /// The keyword of comments.
  public static let comment = "Comment"

  /// Makes a text.
  public init(keyword: String = comment, _ bytes: [UInt8]) { (self.keyword, self.bytes) = (keyword, bytes) }

  /// The text for people.
  public var text: String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
