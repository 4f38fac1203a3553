import ArgumentParser
import Backdrop

/// The arguments of a command that no declared flag takes: names, and parameters of the look as flags (`--grain 0.3`, `--grain=0.3`).
struct LookWords {
  /// A parameter of a look as a flag.
  struct Flag {
    let name: String
    private let value: String?

    init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }

    func text(of look: Look, _ command: (some ParsableCommand).Type) throws(BackdropError) -> String {
      guard look.parameters.contains(where: { $0.name == name }) else {
        let own = look.parameters.map { "--" + $0.name }
        let nearest = Hint.nearest(to: "--" + name, among: own + LookWords.flags(of: command))
        let parameters = own.isEmpty ? "it has no parameters" : "it has \(own.listed("and"))"
        let help = "see: backdrop \(command._commandName) --help"
        throw BackdropError(
          .wrongArgument, "there is no flag --\(name), and the look '\(look.id)' has no such parameter",
          hint: nearest.map { "did you mean '\($0)'? \(help)" } ?? "\(parameters); \(help)")
      }
      guard let value else {
        throw BackdropError(.wrongArgument, "--\(name) has no value", hint: "write --\(name) NUMBER")
      }
      return value
    }

    func number(of look: Look, _ command: (some ParsableCommand).Type) throws(BackdropError) -> Double {
      let text = try text(of: look, command)
      guard let value = Double(text) else {
        throw BackdropError(.wrongArgument, "--\(name) '\(text)' is not a number", hint: "write --\(name) NUMBER")
      }
      return value
    }
  }

  static let help = "Each of its parameters is a flag (see: backdrop looks show LOOK)."
  static let title = "Parameters of the look \(Look.backdrop.id)"

  private(set) var names: [String] = []
  private(set) var flags: [Flag] = []

  init(_ words: [String], of command: (some ParsableCommand).Type) throws(BackdropError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") && word != "-" else {
        names.append(word)
        continue
      }
      if word == "--" {
        names += rest
        break
      }
      guard word.hasPrefix("--") else {
        throw BackdropError(
          .wrongArgument, "there is no flag '\(word)'", hint: "see: backdrop \(command._commandName) --help")
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      flags.append(Flag(String(parts[0]), parts.count == 2 ? String(parts[1]) : rest.popFirst()))
    }
  }

  /// The flags that set parameters of a look: those that no other parameter has, and those that `remove` takes from other parameters,
  /// because a look's own parameter takes precedence over another of the same name.
  static func flags(of look: Look, _ given: [Flag], remove: (String) -> String?) -> [Flag] {
    given + look.parameters.compactMap { parameter in remove(parameter.name).map { Flag(parameter.name, $0) } }
  }

  /// A command's own flags, from its help.
  private static func flags(of command: (some ParsableCommand).Type) -> [String] {
    command.helpMessage().matches(of: /--[a-z0-9-]+/).map { String($0.output) }
  }
}
