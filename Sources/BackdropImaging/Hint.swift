/// A hint for an error, in one line.
///
/// Libraries know no flags and give advice in general words ("give its depth map"). A program with its own words, such as a flag, looks
/// them up by ``code`` and fills in ``values``.
///
///     throw BackdropError(.badData, "the frame has no depth", hint: .giveDepth)
///     // A program's words: ["giveDepth": "give a depth map with --depth FILE"]
public struct Hint: Sendable, Hashable, CustomStringConvertible {
  /// The kind of a hint, such as `"installNetworks"`. Each module declares its hints in `Hint+<Module>.swift`.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// Its name.
    public var rawValue: String

    /// A code of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A code of that name.
    public init(stringLiteral name: String) { rawValue = name }
  }

  /// The advice, in words without flags and commands.
  public var text: String
  /// The code by which programs recognize it; `nil` if the text is enough.
  public var code: Code?
  /// Values for a program's own words, by name.
  public var values: [String: String]

  /// Advice that is the same everywhere.
  public init(_ text: String) { (self.text, code, values) = (text, nil, [:]) }

  /// Advice that programs may word themselves.
  public init(_ code: Code, _ text: String, _ values: [String: String] = [:]) {
    (self.text, self.code, self.values) = (text, code, values)
  }

  /// The text.
  public var description: String { text }
}

extension Hint: ExpressibleByStringInterpolation {
  /// Advice that is the same everywhere.
  public init(stringLiteral text: String) { self.init(text) }
}

extension Hint: Codable {
  /// The key of a ``Wording`` in an encoder's `userInfo`: the encoder then writes hints in that wording, for people to read.
  public static let wordingKey: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "backdrop.hint.wording") else {
      preconditionFailure("a key may have any name")
    }
    return key
  }()
  /// A program's wording of a hint.
  public typealias Wording = @Sendable (Hint) -> String

  private enum CodingKeys: String, CodingKey { case text, code, values }

  /// Reads an object with `text`, `code` and `values`, or the text alone.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container: KeyedDecodingContainer<CodingKeys>
    do {
      container = try decoder.container(keyedBy: CodingKeys.self)
    } catch DecodingError.typeMismatch {
      self.init(try decoder.singleValueContainer().decode(String.self))
      return
    }
    self.init(try container.decode(String.self, forKey: .text))
    code = try container.decodeIfPresent(Code.self, forKey: .code)
    values = try container.decodeIfPresent([String: String].self, forKey: .values) ?? [:]
  }

  /// Writes an object with all parts, or the program's words if the encoder has them (``wordingKey``).
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    if let wording = encoder.userInfo[Self.wordingKey] as? Wording {
      var container = encoder.singleValueContainer()
      return try container.encode(wording(self))
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    try container.encodeIfPresent(code, forKey: .code)
    if !values.isEmpty { try container.encode(values, forKey: .values) }
  }
}

extension Hint {
  package static let replaceOutput = Hint("replaceOutput", "allow Backdrop to replace it, or choose another name")
  static let allowMemory = Hint("allowMemory", "scale it down first, or allow more memory")
  package static let allowPixels = Hint("allowPixels", "scale it down first")
}
