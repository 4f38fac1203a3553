/// The messages in the sources: errors with their hints, warnings and notes, taken from the calls that report them.
struct MessageTable {
  /// One sentence, with its hint.
  struct Message: Hashable {
    var text: String
    var hint = ""
  }

  /// The calls that report something, with the position and label of the sentence among their arguments.
  private static let calls: [(name: String, place: Int)] = [
    ("BackdropError(", 1), ("Warning(", 0), ("Terminal.note(", 0), ("Terminal.warn(", 0), ("refusal(", 0),
    ("Finding(", 3), ("finding(", 1), ("(known: ", 1), ("(damaged: ", 0),
  ]

  /// The sentences, each once.
  private(set) var messages: Set<Message> = []

  init(_ sources: SourceText) {
    for text in sources.files.values {
      let bytes = Array(text.utf8)
      for (name, place) in Self.calls {
        for start in Self.places(of: Array(name.utf8), in: bytes) {
          let arguments = Self.arguments(bytes, from: start + name.utf8.count)
          guard place < arguments.count else { continue }
          let sentences = Self.sentence(arguments[place])
          // Sentences composed elsewhere leave only punctuation.
          guard sentences.count(where: \.isLetter) > 4 else { continue }
          let hint = arguments.first { $0.hasPrefix("hint:") }.map(Self.sentence) ?? ""
          messages.insert(Message(text: sentences, hint: hint))
        }
      }
    }
  }

  /// The positions of a call's name, except at the end of a longer name.
  private static func places(of name: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard bytes.count > name.count else { return [] }
    return (0..<(bytes.count - name.count)).filter { place in
      bytes[place] == name[0] && bytes[place..<(place + name.count)].elementsEqual(name)
        && (place == 0 || !isWord(bytes[place - 1]) || !isWord(name[0]))
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte == 0x2E
  }

  /// The arguments of a call, up to its closing parenthesis.
  private static func arguments(_ bytes: [UInt8], from start: Int) -> [String] {
    var (depth, begin, place) = (0, start, start)
    var result: [String] = []
    func take(_ end: Int) { result.append(trimmed(String(decoding: bytes[begin..<end], as: UTF8.self))) }
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = textEnd(bytes, from: place)
        continue
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 {
          take(place)
          return result
        }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        take(place)
        begin = place + 1
      default: break
      }
      place += 1
    }
    return result
  }

  /// The position after a string literal that begins at `start`, including interpolations.
  private static func textEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var place = start + 1
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""): return place + 1
      case UInt8(ascii: "\\") where place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "("):
        place = interpolationEnd(bytes, from: place + 2)
      case UInt8(ascii: "\\"): place += 2
      default: place += 1
      }
    }
    return place
  }

  private static func interpolationEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var (depth, place) = (1, start)
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = textEnd(bytes, from: place)
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return place + 1 }
      default: break
      }
      place += 1
    }
    return place
  }

  /// The string literals of an expression, with … for interpolations; a slash separates alternatives. Empty if it has none.
  static func sentence(_ expression: String) -> String {
    if expression.contains(".known(") { return "choose from … (and perhaps: did you mean '…'?)" }
    let bytes = Array(expression.utf8)
    var (place, pieces, isAlternative) = (0, [""], false)
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "\"") {
        let end = textEnd(bytes, from: place)
        if isAlternative { pieces.append("") }
        pieces[pieces.count - 1] += text(Array(bytes[(place + 1)..<max(place + 1, end - 1)]))
        (place, isAlternative) = (end, false)
        continue
      }
      if bytes[place] == UInt8(ascii: "?") || bytes[place] == UInt8(ascii: ":") { isAlternative = true }
      place += 1
    }
    return pieces.map(trimmed).filter { !$0.isEmpty }.joined(separator: " | ")
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var (place, result): (Int, [UInt8]) = (0, [])
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count {
        if bytes[place + 1] == UInt8(ascii: "(") {
          place = interpolationEnd(bytes, from: place + 2)
          result += Array("…".utf8)
        } else {
          result.append(bytes[place + 1] == UInt8(ascii: "n") ? UInt8(ascii: " ") : bytes[place + 1])
          place += 2
        }
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
