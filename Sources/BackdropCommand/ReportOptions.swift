import ArgumentParser
import BackdropImaging
import BackdropTerminal

/// The flags of commands that write files and print a summary.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Replace existing files.") var force = false
  @Flag(help: "Print a summary as JSON, or for several inputs a list of them.") var json = false
  @Flag(name: [.short, .long], help: "Print only errors.") var quiet = false

  /// Does work that counts its frames, with a progress line on a terminal.
  func withProgress<Summary>(
    of total: Int?, _ work: ((Int) -> Void, () -> Bool) throws(BackdropError) -> Summary
  ) throws(BackdropError) -> Summary {
    var progress = Progress(total: total, isShown: !quiet)
    defer { progress.finish() }
    return try work({ progress.update(done: $0) }, { Interruption.isRequested })
  }

  /// Prints a summary as JSON, or as a line of text.
  func print(
    _ summary: some Encodable, toStandardError: Bool = false, _ text: @autoclosure () -> String
  ) throws(BackdropError) {
    if json {
      try printJSON(summary, toStandardError: toStandardError)
    } else if !quiet {
      Terminal.say(Terminal.oneLine(text()))
    }
  }
}
