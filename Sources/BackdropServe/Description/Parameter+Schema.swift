import BackdropImaging

extension Parameter {
  /// The JSON Schema (2020-12) of its values.
  var schema: JSONTree {
    var result: JSONTree
    switch kind {
    case .number(let range, let unit, let isWhole):
      let number: JSONTree = [
        "type": isWhole ? "integer" : "number", "minimum": .number(range.lowerBound),
        "maximum": .number(range.upperBound),
      ]
      result = automatic == nil ? number : ["anyOf": [number, ["const": "auto"]]]
      if !unit.isEmpty { result = result.merging(["x-unit": .text(unit)]) }
    case .toggle: result = ["type": "string", "enum": .list(["on", "off"] + (automatic == nil ? [] : ["auto"]))]
    case .choice(let choices):
      let names = choices.map(\.name)
      let all = names + (automatic == nil || names.contains("auto") ? [] : ["auto"])
      result = ["type": "string", "enum": .list(all.map { .text($0) })]
    case .color, .text: result = ["type": "string"]
    case .file: return ["type": "string", "format": "binary"]
    }
    guard let value = `default`, automatic == nil else { return result }
    switch value {
    case .number(let number): return result.merging(["default": .number(number)])
    case .toggle(let isOn): return result.merging(["default": .text(isOn ? "on" : "off")])
    case .text(let text): return result.merging(["default": .text(text)])
    }
  }

  var isFile: Bool { if case .file = kind { true } else { false } }

  var sentence: String { summary + ". " + (usual.isEmpty ? "" : "Default: \(usual).") }
}
