/// The messages in the sources: errors with their hints, warnings and notes, taken from the calls that report them.
struct MessageTable {
  /// One sentence, with its hint.
  struct Message: Hashable {
    var text: String
    var hint = ""
  }

  /// The calls that report something, with the index of the sentence among their arguments.
  private static let calls: [(name: String, index: Int)] = [
    ("BackdropError(", 1), ("Warning(", 0), ("Terminal.note(", 0), ("Terminal.warn(", 0), ("refusal(", 0),
    ("Finding(", 3), ("finding(", 1), ("(known: ", 1), ("(damaged: ", 0),
  ]

  /// The sentences, each once.
  private(set) var messages: Set<Message> = []

  init(_ sources: SourceText) {
    for text in sources.files.values {
      let bytes = Array(text.utf8)
      for (name, index) in Self.calls {
        for start in Self.offsets(of: Array(name.utf8), in: bytes) {
          let arguments = Self.arguments(bytes, from: start + name.utf8.count)
          guard index < arguments.count else { continue }
          let sentences = Self.sentence(arguments[index])
          // Sentences composed elsewhere leave only punctuation.
          guard sentences.count(where: \.isLetter) > 4 else { continue }
          let hint = arguments.first { $0.hasPrefix("hint:") }.map(Self.sentence) ?? ""
          messages.insert(Message(text: sentences, hint: hint))
        }
      }
    }
  }

  /// The offsets of a call's name, except at the end of a longer name.
  private static func offsets(of name: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard bytes.count > name.count else { return [] }
    return (0..<(bytes.count - name.count)).filter { offset in
      bytes[offset] == name[0] && bytes[offset..<(offset + name.count)].elementsEqual(name)
        && (offset == 0 || !isWord(bytes[offset - 1]) || !isWord(name[0]))
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte == 0x2E
  }

  /// The arguments of a call, up to its closing parenthesis.
  private static func arguments(_ bytes: [UInt8], from start: Int) -> [String] {
    var (depth, begin, offset) = (0, start, start)
    var result: [String] = []
    func take(_ end: Int) { result.append(trimmed(String(decoding: bytes[begin..<end], as: UTF8.self))) }
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset = textEnd(bytes, from: offset)
        continue
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 {
          take(offset)
          return result
        }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        take(offset)
        begin = offset + 1
      default: break
      }
      offset += 1
    }
    return result
  }

  /// The offset after a string literal that begins at `start`, including interpolations.
  private static func textEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var offset = start + 1
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""): return offset + 1
      case UInt8(ascii: "\\") where offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "("):
        offset = interpolationEnd(bytes, from: offset + 2)
      case UInt8(ascii: "\\"): offset += 2
      default: offset += 1
      }
    }
    return offset
  }

  private static func interpolationEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var (depth, offset) = (1, start)
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset = textEnd(bytes, from: offset)
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return offset + 1 }
      default: break
      }
      offset += 1
    }
    return offset
  }

  /// The string literals of an expression, with … for interpolations; a slash separates alternatives. Empty if it has none.
  static func sentence(_ expression: String) -> String {
    if expression.contains(".known(") { return "choose from … (and perhaps: did you mean '…'?)" }
    let bytes = Array(expression.utf8)
    var (offset, pieces, isAlternative) = (0, [""], false)
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "\"") {
        let end = textEnd(bytes, from: offset)
        if isAlternative { pieces.append("") }
        pieces[pieces.count - 1] += text(Array(bytes[(offset + 1)..<max(offset + 1, end - 1)]))
        (offset, isAlternative) = (end, false)
        continue
      }
      if bytes[offset] == UInt8(ascii: "?") || bytes[offset] == UInt8(ascii: ":") { isAlternative = true }
      offset += 1
    }
    return pieces.map(trimmed).filter { !$0.isEmpty }.joined(separator: " | ")
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var (offset, result): (Int, [UInt8]) = (0, [])
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count {
        if bytes[offset + 1] == UInt8(ascii: "(") {
          offset = interpolationEnd(bytes, from: offset + 2)
          result += Array("…".utf8)
        } else {
          result.append(bytes[offset + 1] == UInt8(ascii: "n") ? UInt8(ascii: " ") : bytes[offset + 1])
          offset += 2
        }
      } else {
        result.append(bytes[offset])
        offset += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
