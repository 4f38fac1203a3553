import ArgumentParser
import BackdropImaging
import BackdropLooks

/// The flags of all parameters of a `Root`, made from its declarations: `--radius 8`, `--mirror`, `--no-mirror`.
///
/// ArgumentParser finds the flags of a type through its mirror. This type's mirror has one property wrapper for each declaration, so that
/// help, manual and completions treat them like declared properties.
struct ParameterFlags<Root: Parameterized>: ParsableArguments, CustomReflectable {
  private(set) var texts: [String: String] = [:]

  init() {}

  init(from decoder: any Decoder) throws { texts = try Root.parameters.parameters.texts(from: decoder) }

  var customMirror: Mirror { Mirror(self, children: Root.parameters.parameters.flags) }

  /// Removes a flag that has another use and returns its value; `nil` if it is absent.
  mutating func remove(_ name: String) -> String? { texts.removeValue(forKey: name) }

  /// Sets the flags' values; the rest is unchanged.
  func apply(to root: inout Root) throws(BackdropError) {
    for parameter in Root.parameters.parameters {
      guard let text = texts[parameter.name] else { continue }
      do throws(BackdropError) {
        try Root.parameters.set(parameter.name, parsing: text, in: &root)
      } catch {
        // Messages of the parameter table begin with the name.
        let isNamed = error.message.hasPrefix(parameter.name + " ")
        throw BackdropError(error.kind, (isNamed ? "--" : "") + error.message, path: error.path, hint: error.hint)
      }
    }
  }
}

/// The flags of the default look's parameters, for help, manual and completions; those of other looks are among ``LookWords``.
struct LookFlags: ParsableArguments, CustomReflectable {
  private(set) var flags: [LookWords.Flag] = []

  init() {}

  init(from decoder: any Decoder) throws {
    flags = try Look.backdrop.parameters.texts(from: decoder).sorted { $0.key < $1.key }
      .map { LookWords.Flag($0.key, $0.value) }
  }

  var customMirror: Mirror { Mirror(self, children: Look.backdrop.parameters.flags) }
}

extension [Parameter] {
  fileprivate func texts(from decoder: any Decoder) throws -> [String: String] {
    let values = try decoder.container(keyedBy: AnyKey.self)
    var texts: [String: String] = [:]
    for parameter in self {
      let key = AnyKey(stringValue: parameter.name)
      if case .toggle = parameter.kind {
        let isOn = try values.decodeIfPresent(Bool.self, forKey: key)
        texts[parameter.name] = isOn.map { ParameterValue.toggle($0).description }
      } else if parameter.isRepeatable {
        let pieces = try values.decodeIfPresent([String].self, forKey: key) ?? []
        texts[parameter.name] = pieces.isEmpty ? nil : pieces.joined(separator: " ")
      } else {
        texts[parameter.name] = try values.decodeIfPresent(String.self, forKey: key)
      }
    }
    return texts
  }

  /// The children of a mirror: the storage of a property wrapper has a name that begins with an underscore.
  fileprivate var flags: [Mirror.Child] { map { (label: "_" + $0.name, value: $0.flag) } }
}

extension Parameter {
  /// The property wrapper that describes the flag to ArgumentParser.
  fileprivate var flag: Any {
    let name = NameSpecification.customLong(name)
    guard kind != .toggle else { return Flag<Bool?>(name: name, inversion: .prefixedNo, help: ArgumentHelp(help)) }
    if isRepeatable {
      return Option<[String]>(
        wrappedValue: [], name: name, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(help + " May be repeated.", valueName: valueName))
    }
    return Option<String?>(
      name: name, parsing: allowsMinus ? .unconditional : .next, help: ArgumentHelp(help, valueName: valueName),
      completion: completion)
  }

  private var help: String {
    let values =
      switch kind {
      case .number, .color: ", \(allowed)"
      case .choice(let choices): ": " + choices.map { "\($0.name) (\($0.summary))" }.joined(separator: ", ")
      case .file: ": \(allowed)"
      case .toggle, .text: ""
      }
    return "\(summary)\(values). Default: \(usual)."
  }

  private var valueName: String {
    switch kind {
    case .number: "number"
    case .toggle: ""
    case .choice(let choices): choices.map(\.name).joined(separator: "|")
    case .color: "#RRGGBB"
    case .file: "file"
    case .text(let form): form.isEmpty ? "text" : form
    }
  }

  /// Whether a value may begin with a minus: a number below 0 is out of range for most parameters, and the error should say so. The same
  /// applies to texts with their own form.
  private var allowsMinus: Bool {
    if case .text(let form) = kind { return !form.isEmpty }
    return range != nil
  }

  private var completion: CompletionKind {
    switch kind {
    case .choice(let choices): .list(choices.map(\.name))
    case .file: .file()
    case .number, .toggle, .color, .text: .default
    }
  }
}
