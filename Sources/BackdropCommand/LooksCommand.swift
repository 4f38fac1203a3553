import ArgumentParser
import BackdropImaging
import BackdropLooks
import BackdropTerminal

struct LooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "looks", abstract: "List the looks, with parameters, units, ranges and defaults.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the looks.")

    @Flag(help: "Print all looks as a JSON array.") var json = false

    func run() throws {
      guard !json else { return try printJSON(Look.builtIn) }
      for look in Look.builtIn {
        try Terminal.print(look.id.padded(to: 17) + look.summary)
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one look.")

    @Argument(help: "A look's name, or a JSON file.") var name: String
    @Flag(help: "Print the look as JSON, for --look FILE.json.") var json = false

    func run() throws {
      let look = try Look.load(name)
      guard !json else { return try printJSON(look) }
      try Terminal.print("\(look.id): \(look.summary)")
      for parameter in look.parameters {
        try Terminal.print("  \(parameter.name)  \(parameter.allowed), default \(parameter.usual)")
        try Terminal.print("      \(parameter.summary)")
      }
    }
  }
}
