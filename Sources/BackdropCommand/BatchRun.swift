import Backdrop
import BackdropTerminal
import Libc

/// Runs the jobs of several inputs, with a line for each and a total at the end.
struct BatchRun {
  let batch: Batch
  let skipsExisting: Bool
  let report: ReportOptions
  private let start = ContinuousClock.now
  private var entries: [Entry] = []

  /// The JSON for an input with `--json`.
  private struct Entry: Encodable {
    enum Status: String, Encodable { case done, skipped, failed, leftOut = "left out" }

    var input: String
    var status: Status
    var output: String?
    var summary: JobSummary?
    var error: String?
    var hint: Hint?
  }

  init(_ batch: Batch, skipsExisting: Bool, _ report: ReportOptions) {
    (self.batch, self.skipsExisting, self.report) = (batch, skipsExisting, report)
  }

  /// Runs all jobs, and fails after the last one if an input failed; an interruption ends the program.
  mutating func run() throws(BackdropError) {
    for reason in batch.leftOut {
      entries.append(Entry(input: reason.path ?? "", status: .leftOut, error: reason.message, hint: reason.hint))
    }
    if !report.quiet { Terminal.warn(batch.leftOut.map { Warning($0) }) }
    // A process that skips existing outputs may share the work with others, which need the folder too.
    let isNew = try batch.makeFolder() && !skipsExisting
    // This removes the folder only if it is empty.
    defer { if isNew { FileCalls.removeFolder(batch.folder) } }
    for (index, item) in batch.items.enumerated() {
      do throws(BackdropError) {
        add(item, try outcome(of: item), number: index + 1)
      } catch {
        guard error.kind == .interrupted else { throw error }
        if isNew { FileCalls.removeFolder(batch.folder) }
        Terminal.say("interrupted after \(count(.done)) of \(batch.items.count) inputs")
        exit(Interruption.exitCode)
      }
    }
    try finish()
  }

  private func outcome(of item: Batch.Item) throws(BackdropError) -> Batch.Outcome {
    var progress = Progress(total: nil, isShown: false)
    defer { progress.finish() }
    if Interruption.isRequested { throw BackdropError(.interrupted, "interrupted") }
    return try batch.run(
      item, skipsExisting: skipsExisting, began: { progress = Progress(total: $0, isShown: !report.quiet) },
      progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
  }

  private mutating func add(_ item: Batch.Item, _ outcome: Batch.Outcome, number: Int) {
    var entry = Entry(input: item.input, status: .done, output: item.output)
    let text: String
    switch outcome {
    case .done(let summary):
      entry.summary = summary
      let seconds = "\((summary.seconds * 100).rounded() / 100) s"
      let rate = (summary.framesPerSecond * 10).rounded() / 10
      text =
        "→ \(item.output ?? ""): "
        + (summary.frames == 1 ? seconds : "\(summary.frames) frames in \(seconds), \(rate) frames/s")
    case .skipped:
      entry.status = .skipped
      text = "→ \(item.output ?? ""): already exists"
    case .failed(let error):
      entry.status = .failed
      // The line begins with the input's name.
      entry.error = error.path == item.input ? error.message : error.description
      entry.hint = error.hint
      text = "failed: \(entry.error ?? "")"
    }
    entries.append(entry)
    guard !report.quiet else { return }
    Terminal.say(Terminal.oneLine("[\(number)/\(batch.items.count)] \(item.input) \(text)"))
    guard let summary = entry.summary else { return }
    Terminal.warn(of: summary)
    for line in summary.timings.map(TimingOptions.lines) ?? [] { Terminal.say(line) }
  }

  private func count(_ status: Entry.Status) -> Int { entries.count { $0.status == status } }

  private func finish() throws(BackdropError) {
    let failed = count(.failed)
    if !report.quiet {
      var parts = ["\(count(.done)) done"]
      if skipsExisting { parts.append("\(count(.skipped)) there already") }
      if failed > 0 { parts.append("\(failed) failed") }
      let seconds = ((ContinuousClock.now - start) / .seconds(1) * 10).rounded() / 10
      let all = batch.inputCount == 1 ? "1 input" : "\(batch.inputCount) inputs"
      let inputs = batch.shard.map { "shard \($0) has \(batch.items.count) of \(all)" } ?? all
      Terminal.say("\(inputs): \(parts.joined(separator: ", ")), \(seconds) s")
    }
    if report.json { try printJSON(entries) }
    guard failed > 0 else { return }
    for entry in entries where entry.status == .failed {
      Terminal.say(Terminal.oneLine("failed: \(entry.input): \(entry.error ?? "")"))
    }
    let hints = Set(entries.filter { $0.status == .failed }.map(\.hint))
    throw BackdropError(
      .badData, "\(failed) of \(batch.items.count) inputs failed",
      hint: hints.count == 1 ? hints.first ?? nil : Hint("to redo only the failed ones, add --skip-existing"))
  }
}
