import ArgumentParser
import BackdropImaging

/// The command named by the words of a command line, which ArgumentParser does not reveal for errors.
struct NamedCommand {
  /// The command and its parents, as in `backdrop photo extract`.
  private(set) var names = ["backdrop"]
  private(set) var type: any ParsableCommand.Type = BackdropCommand.self

  var hint: Hint { "see: \(names.joined(separator: " ")) --help" }

  /// Follows the words while they name commands.
  init(_ words: [String]) throws(BackdropError) {
    for word in words.first == "help" ? words.dropFirst() : words[...] {
      let commands = type.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-") else { return }
      guard let next = commands.first(where: { $0._commandName == word }) else {
        let known = commands.map { $0._commandName }
        var hint = self.hint
        if let nearest = Hint.nearest(to: word, among: known) {
          hint.text = "did you mean '\(nearest)'? \(hint.text)"
        }
        throw BackdropError(
          .wrongArgument, "there is no command '\((names.dropFirst() + [word]).joined(separator: " "))'", hint: hint)
      }
      (names, type) = (names + [word], next)
    }
  }
}

/// Changed names of commands and flags. The program accepts an old name for one more version, with a notice.
enum FormerNames {
  /// The names of commands, without `backdrop`.
  private static let commands = ["convert": "convert-recording"]
  /// The names of flags, by command.
  private static let flags: [String: [String: String]] = [
    "live": ["--raw": "--save-recording"],
    "photo convert": ["--quality": "--photo-quality"],
    "photo embed": [
      "--matte": "--portrait-matte", "--skin": "--skin-matte", "--hair": "--hair-matte", "--teeth": "--teeth-matte",
      "--glasses": "--glasses-matte", "--sky": "--sky-matte", "--quality": "--photo-quality",
    ],
    "photo extract": [
      "--depth": "--save-depth", "--depth-scale": "--output-scale", "--confidence": "--save-confidence",
      "--matte": "--save-portrait-matte", "--skin": "--save-skin-matte", "--hair": "--save-hair-matte",
      "--teeth": "--save-teeth-matte", "--glasses": "--save-glasses-matte", "--sky": "--save-sky-matte",
      "--gain-map": "--save-gain-map", "--picture": "--save-picture", "--original": "--save-original",
    ],
  ]

  /// Replaces old names in the words, with a notice for each.
  static func replaced(in words: [String], warn: (String) -> Void) -> [String] {
    var words = words
    if let first = words.first, let name = commands[first] {
      words[0] = name
      warn("the command is called '\(name)', not '\(first)'")
    }
    for (command, names) in flags {
      let commandWords = command.split(separator: " ").map(String.init)
      guard words.starts(with: commandWords) else { continue }
      for index in words.indices.dropFirst(commandWords.count) {
        let parts = words[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let old = parts.first, let name = names[String(old)] else { continue }
        words[index] = ([name] + parts.dropFirst().map(String.init)).joined(separator: "=")
        warn("the flag is called \(name), not \(old)")
      }
    }
    return words
  }
}
