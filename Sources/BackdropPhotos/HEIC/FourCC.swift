/// A four-character code, the name of boxes, items, brands and references.
package struct FourCC: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The four bytes, the first in the highest bits.
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(stringLiteral text: String) {
    precondition(text.utf8.count == 4, "a code has four characters")
    rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  init(_ number: Int) { rawValue = UInt32(truncatingIfNeeded: number) }

  var isPrintable: Bool { bytes.allSatisfy { (0x20...0x7E).contains($0) } }

  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }

  /// The characters; a dot replaces an unprintable one.
  package var description: String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
  }
}
