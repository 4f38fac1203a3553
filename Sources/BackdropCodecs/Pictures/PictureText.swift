/// A text in a picture file besides EXIF and XMP: a comment, or the text of a PNG's keyword.
package struct PictureText: Sendable, Equatable {
  /// Its meaning: `Comment` for files without keywords (PNG specification, section 11.3.3.2, has a list).
  package var keyword: String
  /// UTF-8, or Latin-1 if that is invalid.
  package var bytes: [UInt8]

  package static let comment = "Comment"

  package init(keyword: String = comment, _ bytes: [UInt8]) { (self.keyword, self.bytes) = (keyword, bytes) }

  package var text: String {
    String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
