extension Parameter: Codable {
  private enum Key: String, CodingKey {
    case name, title, summary, kind, unit, minimum, maximum, whole, choices, of, `default`, automatic, automaticNumber,
      group, fixedAtStart, places, repeatable
  }

  private enum KindName: String, Codable { case number, toggle, choice, color, file, text }

  /// Reads `{"name": "radius", "summary": "…", "unit": "px", "minimum": 0, "maximum": 50, "default": 5}`; kinds other than numbers have
  /// `"kind"`.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let kind: Kind
    switch try values.decodeIfPresent(KindName.self, forKey: .kind) ?? .number {
    case .number:
      let (low, high) = (
        try values.decode(Double.self, forKey: .minimum), try values.decode(Double.self, forKey: .maximum)
      )
      guard low <= high else {
        throw DecodingError.dataCorruptedError(
          forKey: .maximum, in: values, debugDescription: "the maximum is below the minimum")
      }
      kind = .number(
        low...high, unit: try values.decode(String.self, forKey: .unit),
        isWhole: try values.decodeIfPresent(Bool.self, forKey: .whole) ?? false)
    case .toggle: kind = .toggle
    case .choice: kind = .choice(try values.decode([Choice].self, forKey: .choices))
    case .color: kind = .color
    case .file: kind = .file(try values.decode(String.self, forKey: .of))
    case .text: kind = .text(try values.decodeIfPresent(String.self, forKey: .of) ?? "")
    }
    let automatic = try values.decodeIfPresent(String.self, forKey: .automatic)
    let value =
      automatic == nil
      ? try values.decode(ParameterValue.self, forKey: .default)
      : try values.decodeIfPresent(ParameterValue.self, forKey: .default)
    self.init(
      try values.decode(String.self, forKey: .name), try values.decode(String.self, forKey: .summary), kind,
      default: value, automatic: automatic,
      group: try values.decodeIfPresent(ParameterGroup.self, forKey: .group) ?? .look)
    isFixedAtStart = try values.decodeIfPresent(Bool.self, forKey: .fixedAtStart) ?? false
    title = try values.decodeIfPresent(String.self, forKey: .title) ?? title
    places = Set(try values.decodeIfPresent([Place].self, forKey: .places) ?? [])
    isRepeatable = try values.decodeIfPresent(Bool.self, forKey: .repeatable) ?? false
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encode(title, forKey: .title)
    try values.encode(summary, forKey: .summary)
    switch kind {
    case .number(let range, let unit, let isWhole):
      try values.encode(KindName.number, forKey: .kind)
      try values.encode(unit, forKey: .unit)
      try values.encode(range.lowerBound, forKey: .minimum)
      try values.encode(range.upperBound, forKey: .maximum)
      if isWhole { try values.encode(true, forKey: .whole) }
    case .toggle: try values.encode(KindName.toggle, forKey: .kind)
    case .choice(let choices):
      try values.encode(KindName.choice, forKey: .kind)
      try values.encode(choices, forKey: .choices)
    case .color: try values.encode(KindName.color, forKey: .kind)
    case .file(let what):
      try values.encode(KindName.file, forKey: .kind)
      try values.encode(what, forKey: .of)
    case .text(let form):
      try values.encode(KindName.text, forKey: .kind)
      try values.encode(form, forKey: .of)
    }
    try values.encodeIfPresent(`default`, forKey: .default)
    try values.encodeIfPresent(automatic, forKey: .automatic)
    try values.encodeIfPresent(automaticNumber, forKey: .automaticNumber)
    if group != .look { try values.encode(group, forKey: .group) }
    if isFixedAtStart { try values.encode(true, forKey: .fixedAtStart) }
    if !places.isEmpty { try values.encode(Place.allCases.filter(places.contains), forKey: .places) }
    if isRepeatable { try values.encode(true, forKey: .repeatable) }
  }
}

package struct AnyKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }
  package init?(intValue: Int) { nil }
  package init(stringValue: String) { self.stringValue = stringValue }
}
