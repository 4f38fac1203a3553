import ArgumentParser

struct DepthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "depth", abstract: "Inspect depth: colours, distances, histograms and quality.",
    subcommands: [DepthColorizeCommand.self, DepthAtCommand.self, DepthHistogramCommand.self, DepthStatsCommand.self])
}
