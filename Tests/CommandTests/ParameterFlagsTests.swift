import ArgumentParser
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCommand

@Suite struct ParameterFlagsTests {
  /// A command with its own flag in addition to a table's, under a root command like `backdrop`.
  struct LampCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lamp")

    @Flag(help: "Replace existing files.")
    var force = false

    @OptionGroup(title: "Lamp") var lamp: ParameterFlags<Lamp>

    @Argument var rooms: [String] = []
  }

  struct House: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "house", subcommands: [LampCommand.self])
  }

  private func parse(_ words: [String]) throws -> LampCommand {
    try #require(try House.parseAsRoot(["lamp"] + words) as? LampCommand)
  }

  /// The lamp that results from the flags.
  private func lamp(_ words: String...) throws -> Lamp {
    var lamp = Lamp()
    try parse(words).lamp.apply(to: &lamp)
    return lamp
  }

  @Test func setNothingUnlessGiven() throws {
    var lamp = Lamp()
    lamp.brightness = 0.5
    lamp.isLit = false
    let before = lamp
    let command = try parse(["hall", "--force"])
    try command.lamp.apply(to: &lamp)
    #expect(lamp == before && command.lamp.texts.isEmpty && command.force && command.rooms == ["hall"])
  }

  @Test func setWhatIsGiven() throws {
    var wanted = Lamp()
    (wanted.brightness, wanted.turns, wanted.isLit, wanted.flickers) = (0.25, -2, false, true)
    (wanted.beam, wanted.shade, wanted.label) = (.narrow, "a.png", "a b")
    wanted.position = Lamp.Position(column: 3, row: 4)
    (wanted.bulb.watts, wanted.bulb.tint) = (5, .white)
    let given = try lamp(
      "--brightness", "0.25", "--quarter-turns", "-2", "--no-lit", "--flicker", "--beam=narrow", "--shade", "a.png",
      "--label", "a b", "--position", "3,4", "--watts", "5", "--tint", "#fff")
    #expect(given == wanted)
  }

  @Test func takeTheLastOfSeveral() throws {
    #expect(try lamp("--watts", "5", "--watts", "6").bulb.watts == 6)
    #expect(try lamp("--no-lit", "--lit").isLit)
    #expect(try lamp("--flicker", "--no-flicker").flickers == false)
  }

  @Test func refuseValuesAsTheParameterDoes() throws {
    let range = #expect(throws: BackdropError.self) { try lamp("--brightness", "7") }
    #expect(
      range == BackdropError(.wrongArgument, "--brightness 7 is out of range: 0…1", hint: "the default is 1"))
    #expect(refusal { try lamp("--beam", "round") }?.hint?.text == "choose from wide, narrow")
  }

  @Test(arguments: [
    (["--bright", "1"], "Unknown option '--bright'"), (["--watts"], "Missing value for '--watts <number>'"),
    (["--lit=on"], "does not take any value"), (["--no-watts"], "Unknown option '--no-watts'"),
  ])
  func refuseWordsAsOtherFlagsDo(words: [String], says: String) throws {
    let error = #expect(throws: (any Error).self) { try parse(words) }
    let message = House.message(for: try #require(error))
    #expect(message.contains(says), "\(message)")
  }

  @Test(arguments: [
    "LAMP:",
    "--brightness <number> How bright it is, 0…1. Default: 1.",
    "--quarter-turns <number> How far it is turned, -2…2. Default: 0.",
    "--beam <wide|narrow> How its light falls: wide (fills the room), narrow (falls on one thing). Default: wide.",
    "--lit/--no-lit Whether it is on. Default: on.",
    "--flicker/--no-flicker Whether it trembles. Default: in storms.",
    "--shade <file> What is drawn on the shade: a picture. Default: nothing.",
    "--label <text> What is written on it. Default: lamp.",
    "--position <COLUMN,ROW> Where it stands. Default: 0,0.",
    "--watts <number> How much it takes, 1…100 W. Default: 60.",
    "--tint <#RRGGBB> The colour of its light, #RRGGBB, or a name of CSS. Default: the daylight's.",
  ])
  func areInTheHelp(line: String) {
    let help = LampCommand.helpMessage(columns: 400).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(help.contains(line), "\(help)")
  }

  /// The manual generator reads the output of `--experimental-dump-help`.
  @Test func areInTheManual() throws {
    let error = #expect(throws: (any Error).self) { try House.parseAsRoot(["--experimental-dump-help"]) }
    let text = House.fullMessage(for: try #require(error))
    let tool = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let commands = try #require((tool["command"] as? [String: Any])?["subcommands"] as? [[String: Any]])
    let arguments = try #require(commands.first { $0["commandName"] as? String == "lamp" }?["arguments"])
    let names = try #require(arguments as? [[String: Any]]).compactMap { argument in
      ((argument["names"] as? [[String: Any]])?.first?["name"] as? String)
    }
    #expect(Set(names).isSuperset(of: Lamp.parameters.parameters.map(\.name) + ["no-lit"]), "\(names)")
  }

  @Test(arguments: [CompletionShell.bash, .zsh, .fish])
  func areCompleted(shell: CompletionShell) {
    let script = House.completionScript(for: shell)
    for parameter in Lamp.parameters.parameters {
      // Fish writes the names of flags without their hyphens.
      #expect(script.contains(shell == .fish ? "-l '\(parameter.name)'" : "--\(parameter.name)"), "\(parameter.name)")
    }
    #expect(script.contains("no-flicker"))
    #expect(script.contains("narrow"), "the choices of --beam")
  }
}
