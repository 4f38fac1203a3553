import ArgumentParser
import BackdropImaging

/// The flag that prints a job's times.
struct TimingOptions: ParsableArguments {
  @Flag(help: "Print the time each thread spent on reading, networks, mattes, drawing, writing and waiting.")
  var timings = false

  /// A table of the times, with a line per thread: the seconds of each stage, and processor seconds in brackets.
  static func lines(_ times: [ThreadTimes]) -> [String] {
    let stages = Stage.allCases.filter { stage in times.contains { $0.stages[stage] != nil } }
    let width = 16
    let head = "seconds (of this thread's processor)"
    var lines = ["\(head):", "  " + (["thread"] + stages.map(\.rawValue)).map { $0.padded(to: width) }.joined()]
    for each in times {
      let cells = stages.map { stage in
        each.stages[stage].map { "\(text($0.seconds)) (\(text($0.processorSeconds)))" } ?? "–"
      }
      lines.append("  " + ([each.thread] + cells).map { $0.padded(to: width) }.joined())
    }
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  private static func text(_ seconds: Double) -> String { seconds.text(seconds < 10 ? "%.3f" : "%.1f") }
}
