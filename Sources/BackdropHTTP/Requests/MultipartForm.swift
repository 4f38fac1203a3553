import BackdropImaging
import Libc
import NIOCore

/// A form as browsers and `curl -F` send it (RFC 7578, RFC 2046 section 5.1).
package struct MultipartForm: Sendable {
  /// One field of the form.
  package struct Part: Sendable {
    package var name: String
    /// The name of the file; `nil` if the field is not a file.
    package var fileName: String?
    package var bytes: ByteBuffer

    package var text: String? { String(validating: bytes.readableBytesView, as: UTF8.self) }
  }

  package private(set) var parts: [Part] = []

  /// The maximum number of parts, and of bytes in a part's head.
  static let maximumParts = 100, maximumHead = 4096

  private static let fault = BackdropError(
    .wrongArgument, "the form is damaged", hint: "send it as multipart/form-data, as curl -F does")

  /// The boundary in a content type; `nil` for a type other than a form's.
  package static func boundary(ofType type: String) -> String? {
    let pieces = type.split(separator: ";").map(\.trimmed)
    guard pieces.first?.lowercased() == "multipart/form-data" else { return nil }
    return parameter("boundary", of: pieces.dropFirst())
  }

  /// Parses a form. Parts share the memory of `body`.
  ///
  /// - Throws: `wrongArgument` for a damaged form, `overLimit` for too many parts.
  package init(_ body: ByteBuffer, boundary: String) throws(BackdropError) {
    guard (1...70).contains(boundary.utf8.count) else { throw Self.fault }
    var rest = body
    let line = [45, 45] + Array(boundary.utf8)
    // Bytes before the first boundary are not a part.
    guard Self.skip(past: line, in: &rest) != nil else { throw Self.fault }
    let separator = [13, 10] + line
    while !Self.take([45, 45], from: &rest) {
      guard Self.take([13, 10], from: &rest) else { throw Self.fault }
      guard parts.count < Self.maximumParts else {
        throw BackdropError(
          .overLimit, "the form has more than \(Self.maximumParts) parts", hint: "send settings as one part of JSON")
      }
      guard let head = Self.skip(past: [13, 10, 13, 10], in: &rest), head.readableBytes <= Self.maximumHead,
        let bytes = Self.skip(past: separator, in: &rest),
        let part = Self.part(String(buffer: head), bytes)
      else { throw Self.fault }
      parts.append(part)
    }
  }

  /// Reads the bytes before a pattern and skips the pattern; `nil` if there is none.
  private static func skip(past pattern: [UInt8], in rest: inout ByteBuffer) -> ByteBuffer? {
    let count = rest.withUnsafeReadableBytes { bytes -> Int? in
      guard let start = bytes.baseAddress else { return nil }
      var place = 0
      while place + pattern.count <= bytes.count {
        // `memchr` searches long stretches quickly.
        let stretch = bytes.count - pattern.count + 1 - place
        guard let found = memchr(start + place, Int32(pattern[0]), stretch) else { return nil }
        place = UnsafeRawPointer(found) - start
        if memcmp(found, pattern, pattern.count) == 0 { return place }
        place += 1
      }
      return nil
    }
    guard let count, let result = rest.readSlice(length: count) else { return nil }
    rest.moveReaderIndex(forwardBy: pattern.count)
    return result
  }

  private static func take(_ bytes: [UInt8], from rest: inout ByteBuffer) -> Bool {
    guard rest.readableBytesView.starts(with: bytes) else { return false }
    rest.moveReaderIndex(forwardBy: bytes.count)
    return true
  }

  private static func part(_ head: String, _ bytes: ByteBuffer) -> Part? {
    for line in head.split(separator: "\r\n") {
      let sides = line.split(separator: ":", maxSplits: 1)
      guard sides.count == 2, sides[0].lowercased() == "content-disposition" else { continue }
      let pieces = sides[1].split(separator: ";").map(\.trimmed)
      guard pieces.first?.lowercased() == "form-data", let name = parameter("name", of: pieces.dropFirst()) else {
        return nil
      }
      return Part(name: name, fileName: parameter("filename", of: pieces.dropFirst()), bytes: bytes)
    }
    return nil
  }

  /// The value of the parameter `name=value` or `name="value"`.
  private static func parameter(_ name: String, of pieces: some Collection<String>) -> String? {
    for piece in pieces {
      let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, sides[0].lowercased() == name else { continue }
      let value = sides[1]
      return value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        ? String(value.dropFirst().dropLast()) : String(value)
    }
    return nil
  }
}
