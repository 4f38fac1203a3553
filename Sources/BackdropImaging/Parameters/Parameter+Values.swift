extension Parameter {
  /// The range of a number; `nil` for the other kinds.
  public var range: ClosedRange<Double>? {
    if case .number(let range, _, _) = kind { range } else { nil }
  }

  /// The number below the range that means ``automatic`` in a control for numbers only, such as a slider: 0 if that is below it; `nil` for
  /// parameters that are not numbers, or not automatic.
  public var automaticNumber: Double? {
    guard automatic != nil, let range else { return nil }
    return range.lowerBound > 0 ? 0 : range.lowerBound.rounded(.down) - 1
  }

  /// The unit of a number; empty for plain numbers and the other kinds.
  public var unit: String {
    if case .number(_, let unit, _) = kind { unit } else { "" }
  }

  /// The valid values, for people: `0…20 m`, `crop, fit`, `#RRGGBB`; empty for any text.
  public var allowed: String {
    switch kind {
    case .number(let range, let unit, _):
      "\(brief(range.lowerBound))…\(brief(range.upperBound))" + (unit.isEmpty ? "" : " " + unit)
    case .toggle: "on, off"
    case .choice(let choices): choices.map(\.name).joined(separator: ", ")
    case .color: "#RRGGBB, or a name of CSS"
    case .file(let what): what
    case .text(let form): form
    }
  }

  /// Its default, for people.
  public var usual: String { automatic ?? `default`?.description ?? "" }

  /// The value of a text: `8`, `on`, `crop`, `#00FF00`; `nil` for `auto`, which resets an automatic parameter.
  ///
  /// - Throws: `wrongArgument` for another text.
  public func value(parsing text: String) throws(BackdropError) -> ParameterValue? {
    let value: ParameterValue?
    switch kind {
    case .number: value = Double(text).map { .number($0) }
    case .toggle: value = ["on": .toggle(true), "off": .toggle(false)][text]
    case .color: value = RGBColor(text: text).map { .text($0.hex) }
    case .choice, .file, .text: value = .text(text)
    }
    if text == "auto" && automatic != nil && !choices.contains(where: { $0.name == "auto" }) { return nil }
    guard let value else { throw mismatch("'\(text)'") }
    try check(value)
    return value
  }

  /// Checks that the parameter can have this value.
  ///
  /// - Throws: `wrongArgument` for a value of another kind, a number out of range, or an unknown choice.
  public func check(_ value: ParameterValue) throws(BackdropError) {
    switch (kind, value) {
    case (.number(let range, _, let isWhole), .number(let number)):
      // Written so that NaN also fails.
      guard range.contains(number) else {
        throw refusal("\(value) is out of range: \(allowed)", hint: "the default is \(usual)")
      }
      guard !isWhole || number == number.rounded() else {
        throw refusal("\(value) is not a whole number", hint: "the default is \(usual)")
      }
    case (.choice, .text(let text)):
      guard choices.contains(where: { $0.name == text }) else {
        throw refusal("cannot be '\(text)'", hint: .known(choices.map(\.name), insteadOf: text))
      }
    case (.color, .text(let text)):
      guard RGBColor(text: text) != nil else { throw mismatch("'\(text)'") }
    case (.toggle, .toggle), (.file, .text), (.text, .text): break
    default: throw mismatch("\(value)")
    }
  }

  /// The value (`nil`: the default) after some steps, as with arrow keys: numbers by a twentieth of their range, integers by at least one;
  /// switches and choices cycle. `nil` for other kinds.
  package func stepped(from value: ParameterValue?, by steps: Int) -> ParameterValue? {
    let value = value ?? self.default
    switch kind {
    case .number(let range, _, let isWhole):
      let step = (range.upperBound - range.lowerBound) / 20
      let start = value?.number ?? range.lowerBound
      let end = start + Double(steps) * (isWhole ? max(1, step.rounded()) : step)
      return .number(min(max(end, range.lowerBound), range.upperBound))
    case .toggle: return .toggle((value?.isOn ?? false) != !steps.isMultiple(of: 2))
    case .choice:
      guard !choices.isEmpty else { return nil }
      let index = choices.firstIndex { $0.name == value?.text } ?? (steps > 0 ? -1 : 0)
      let count = choices.count
      return .text(choices[((index + steps) % count + count) % count].name)
    case .color, .file, .text: return nil
    }
  }

  private var choices: [Choice] { if case .choice(let choices) = kind { choices } else { [] } }

  private func mismatch(_ value: String) -> BackdropError {
    switch kind {
    case .number: refusal("\(value) is not a number", hint: "choose from \(allowed)")
    case .toggle: refusal("\(value) is neither on nor off", hint: "the default is \(usual)")
    case .choice: refusal("cannot be \(value)", hint: "choose from \(allowed)")
    case .color: refusal("\(value) is not a colour", hint: "write #RRGGBB, or a CSS name such as navy")
    case .file, .text: refusal("\(value) is not a text", hint: "write the text in quotation marks")
    }
  }

  private func refusal(_ what: String, hint: Hint) -> BackdropError {
    BackdropError(.wrongArgument, "\(name) \(what)", hint: hint)
  }
}
