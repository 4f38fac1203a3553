import Libc

/// Converts paths between bytes and text, and resolves them.
///
/// To the system a path is bytes, usually but not always UTF-8. In text, each invalid byte becomes a character of a private-use plane,
/// 0x80…0xFF as U+10FE80…U+10FEFF, and so does each byte of those characters themselves. Every path therefore has a unique text that
/// converts back byte for byte (compare PEP 383, which uses lone surrogates; Swift strings cannot hold those).
package enum FilePath {
  /// Added to a byte's value.
  private static let base: UInt32 = 0x10_FE00
  private static let marks: ClosedRange<UInt32> = 0x10_FE80...0x10_FEFF

  package static func text(_ bytes: some Collection<UInt8>) -> String {
    // The UTF-8 of the private characters begins with this byte.
    if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0xF4) { return text }
    var result = String.UnicodeScalarView()
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let scalars = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars
      if let scalars, scalars.count == 1, let scalar = scalars.first, !marks.contains(scalar.value) {
        result.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        // Every number in this range is a valid scalar; bytes below 0x80 never get here.
        result.append(Unicode.Scalar(base + UInt32(first))!)
        rest = rest.dropFirst()
      }
    }
    return String(result)
  }

  package static func text(_ name: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }

  package static func bytes(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + 1)
    for scalar in text.unicodeScalars {
      if marks.contains(scalar.value) {
        result.append(UInt8(scalar.value - base))
      } else {
        result.append(contentsOf: UTF8.encode(scalar)!)  // Every scalar has a UTF-8 form.
      }
    }
    return result
  }

  /// Calls `body` with the bytes and a terminating zero.
  package static func withBytes<R>(_ text: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
    let bytes = bytes(text).map { CChar(bitPattern: $0) } + [0]
    return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }  // There is at least the zero.
  }

  /// The text for people: bytes that are not UTF-8 as `\xFF`.
  package static func readable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { marks.contains($0.value) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if marks.contains(scalar.value) {
        result.append(contentsOf: "\\x\(String(scalar.value - base, radix: 16, uppercase: true))".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The absolute path, without `.`, `..` and symbolic links. Missing parts count as plain names.
  package static func resolved(_ path: String) -> String {
    var result = path.utf8.first == UInt8(ascii: "/") ? "/" : FileCalls.realPath(".") ?? "."
    for scalars in path.unicodeScalars.split(separator: "/") {
      let part = String(scalars)
      if part == "." { continue }
      if part == ".." {
        result = FileName(result).folder
      } else {
        let next = (result == "/" ? "/" : result + "/") + part
        result = FileCalls.realPath(next) ?? next
      }
    }
    return result
  }
}
