import ArgumentParser

struct DepthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "depth", abstract: "Look at depth: colours, distances, how they are spread, how good they are.",
    subcommands: [
      DepthColorizeCommand.self, DepthAtCommand.self, DepthHistogramCommand.self, DepthStatsCommand.self,
    ])
}
