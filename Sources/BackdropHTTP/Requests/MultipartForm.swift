import BackdropImaging
import Libc

/// A form as browsers and `curl -F` send it (RFC 7578, RFC 2046 section 5.1).
package struct MultipartForm: Sendable {
  /// One field of the form.
  package struct Part: Sendable {
    package var name: String
    /// The name of the file; `nil` if the field is not a file.
    package var fileName: String?
    /// The range of its bytes in the body.
    package var range: Range<Int>
    /// Its bytes as text; `nil` for a file, for a long part, and for bytes that are not text.
    package var text: String?
  }

  package private(set) var parts: [Part] = []

  /// The maximum number of parts, and of bytes in a part's head.
  static let maximumParts = 100, maximumHead = 4096
  /// The maximum number of bytes of a part that is a text.
  package static let maximumText = 1 << 20

  private static let fault = BackdropError(
    .wrongArgument, "the form is damaged", hint: "send it as multipart/form-data, as curl -F does")

  /// The boundary in a content type; `nil` for a type other than a form's.
  package static func boundary(ofType type: String) -> String? {
    let pieces = type.split(separator: ";").map(\.trimmed)
    guard pieces.first?.lowercased() == "multipart/form-data" else { return nil }
    return parameter("boundary", of: pieces.dropFirst())
  }

  package init(_ body: Span<UInt8>, boundary: String) throws(BackdropError) {
    guard (1...70).contains(boundary.utf8.count) else { throw Self.fault }
    let line = [45, 45] + Array(boundary.utf8)
    var offset = 0
    // Bytes before the first boundary are not a part.
    guard Self.skip(past: line, in: body, &offset) != nil else { throw Self.fault }
    let separator = [13, 10] + line
    while !Self.skip([45, 45], from: body, &offset) {
      guard Self.skip([13, 10], from: body, &offset) else { throw Self.fault }
      guard parts.count < Self.maximumParts else {
        throw BackdropError(
          .overLimit, "the form has more than \(Self.maximumParts) parts", hint: "send settings as one part of JSON")
      }
      guard let head = Self.skip(past: [13, 10, 13, 10], in: body, &offset), head.count <= Self.maximumHead,
        let range = Self.skip(past: separator, in: body, &offset),
        var part = Self.part(
          body.extracting(head).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }, range)
      else { throw Self.fault }
      if part.fileName == nil && range.count <= Self.maximumText {
        part.text = body.extracting(range).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
      }
      parts.append(part)
    }
  }

  /// Moves behind a pattern; returns the range before the pattern, or `nil` if there is none.
  private static func skip(past pattern: [UInt8], in body: Span<UInt8>, _ offset: inout Int) -> Range<Int>? {
    let first = offset
    let end = body.withUnsafeBytes { bytes -> Int? in
      guard let start = bytes.baseAddress else { return nil }
      var offset = first
      while offset + pattern.count <= bytes.count {
        // `memchr` searches long stretches quickly.
        let stretch = bytes.count - pattern.count + 1 - offset
        guard let found = memchr(start + offset, Int32(pattern[0]), stretch) else { return nil }
        offset = UnsafeRawPointer(found) - start
        if memcmp(found, pattern, pattern.count) == 0 { return offset }
        offset += 1
      }
      return nil
    }
    guard let end else { return nil }
    offset = end + pattern.count
    return first..<end
  }

  private static func skip(_ bytes: [UInt8], from body: Span<UInt8>, _ offset: inout Int) -> Bool {
    guard offset + bytes.count <= body.count, bytes.indices.allSatisfy({ body[offset + $0] == bytes[$0] }) else {
      return false
    }
    offset += bytes.count
    return true
  }

  private static func part(_ head: String, _ range: Range<Int>) -> Part? {
    for line in head.split(separator: "\r\n") {
      let sides = line.split(separator: ":", maxSplits: 1)
      guard sides.count == 2, sides[0].lowercased() == "content-disposition" else { continue }
      let pieces = sides[1].split(separator: ";").map(\.trimmed)
      guard pieces.first?.lowercased() == "form-data", let name = parameter("name", of: pieces.dropFirst()) else {
        return nil
      }
      return Part(name: name, fileName: parameter("filename", of: pieces.dropFirst()), range: range)
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
