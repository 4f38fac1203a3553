import ArgumentParser
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCommand

/// Help, examples, and suggestions for unknown words.
@Suite struct HelpTests {
  /// Every runnable command, with the words of its name.
  static let commands: [[String]] = {
    func below(_ type: any ParsableCommand.Type, _ names: [String]) -> [[String]] {
      let commands = type.configuration.subcommands
      return [names] + commands.flatMap { below($0, names + [$0._commandName]) }
    }
    return below(BackdropCommand.self, [])
  }()

  @Test func thereIsAnExampleOfEveryCommand() throws {
    #expect(Self.commands.count > 25)
    #expect(Set(Examples.all.keys) == Set(Self.commands.map { $0.joined(separator: " ") }))
    for names in Self.commands {
      let help = try BuiltCommand.run(names + ["--help"])
      let text = help.text
      #expect(help.status == 0 && text.contains("\n\nEXAMPLES:\n  backdrop "), "\(names)")
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 90 || $0.contains("backdrop ") }, "\(names)")
    }
  }

  /// All examples are parsed, up to the point where work would begin.
  @Test func examplesAreUnderstood() throws {
    for (command, lines) in Examples.all {
      for line in lines {
        var words = line.split(separator: " ").map(String.init)
        #expect(words.removeFirst() == "backdrop")
        #expect(line.count <= 88 && words.starts(with: command.split(separator: " ").map(String.init)), "\(line)")
        let wanted = try NamedCommand(words)
        #expect(wanted.names.count > 1, "\(line)")
        _ = try BackdropCommand.parseAsRoot(words)
      }
    }
  }

  @Test(arguments: [
    ("replac a.png", "there is no command 'replac'", "did you mean 'replace'? see: backdrop --help"),
    ("photo inspct a.jpg", "there is no command 'photo inspct'", "did you mean 'inspect'? see: backdrop photo --help"),
    ("xyzzy", "there is no command 'xyzzy'", "see: backdrop --help"),
    (
      "replace --bakground x a.png", "there is no flag --bakground",
      "did you mean '--background'? see: backdrop replace --help"
    ),
    ("apply nior a.jpg -o b.jpg", "there is no look 'nior'", "did you mean 'noir'? choose from backdrop"),
    ("replace sim:tallking -o a.mp4", "there is no simulated scene 'tallking'", "did you mean 'talking'? choose from"),
    ("replace sim: --background scene:dune -o a.png", "there is no background", "did you mean 'scene:dunes'?"),
    ("replace sim: --quality bets -o a.png", "cannot be 'bets'", "did you mean 'best'? choose from fast"),
    ("models install rvn", "Backdrop has no package 'rvn'", "did you mean 'rvm'?"),
    ("ctl stanby", "there is no command 'stanby'", "did you mean 'standby'?"),
  ])
  func suggests(line: String, message: String, hint: String) throws {
    let outcome = try BuiltCommand.run(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 2)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains(message) && lines[1].hasPrefix("hint: \(hint)"), "\(outcome.errors)")
  }

  @Test func nearestNames() {
    let names = ["noir", "stage", "portrait"]
    #expect(Hint.nearest(to: "nior", among: names) == "noir")
    #expect(Hint.nearest(to: "PORTRIAT", among: names) == "portrait")
    #expect(Hint.nearest(to: "stag", among: names) == "stage")
    #expect(Hint.nearest(to: "beach", among: names) == nil)
    #expect(Hint.nearest(to: "", among: names) == nil)
    #expect(Hint.nearest(to: String(repeating: "a", count: 100_000), among: names) == nil)
    #expect(Hint.nearest(to: "x", among: []) == nil)
  }

  /// Old names work for one more version, with a note about the new name.
  @Test(arguments: [
    ("convert a b", "convert-recording a b", "the command is called 'convert-recording', not 'convert'"),
    (
      "photo extract a --depth=d.png", "photo extract a --save-depth=d.png",
      "the flag is called --save-depth, not --depth"
    ),
    (
      "photo embed a --matte m -o b", "photo embed a --portrait-matte m -o b",
      "the flag is called --portrait-matte, not --matte"
    ),
    ("live --raw a.mkv", "live --save-recording a.mkv", "the flag is called --save-recording, not --raw"),
    ("replace a --depth d --matte person", "replace a --depth d --matte person", ""),
  ])
  func formerNames(line: String, now: String, notice: String) {
    var told: [String] = []
    let words = FormerNames.replaced(in: line.split(separator: " ").map(String.init)) { told.append($0) }
    #expect(words.joined(separator: " ") == now)
    #expect(told.joined(separator: "\n") == notice)
  }

  @Test func formerNamesStillWork() throws {
    let work = Workplace()
    try work.succeed("record sim:?size=64x48&seconds=0.1 -o a.mkv -q")
    let outcome = try work.succeed("convert a.mkv b -q")
    #expect(outcome.errors.contains("the command is called 'convert-recording'"))
    #expect(FileManager.default.fileExists(atPath: work.path("b")))
  }
}
