/// Writes frames with depth from a source to a recording in another format.
package struct RecordJob {
  package struct Plan: Sendable {
    /// The source, as ``RGBDInput/open(_:options:)`` takes it.
    package var input: String
    /// A name that ends in `.mkv` or `.r3d`, or a new folder in the layout of the TUM benchmark.
    package var output: String
    package var reading = RecordingOptions()
    package var overwrite = false
    /// Whether to keep the written part when the source or the disk fails or the process is killed, for recordings that cannot be repeated.
    package var keepsUnfinished = false
    /// The maximum number of frames; `nil` for all.
    package var frames: Int?
    /// The maximum length, in seconds; `nil` for all.
    package var seconds: Double?
    /// Units of the written depth per metre; `nil` keeps the source's, or uses 5000 if it has none.
    package var unitsPerMetre: Double?
    /// H.264's constant-quality number for the colours of `.mkv`; `nil` for 18.
    package var quality: Double?

    package init(_ input: String, to output: String) { (self.input, self.output) = (input, output) }
  }

  package struct Summary: Sendable, Encodable {
    package var input, output: String
    /// Frames written.
    package var frames = 0
    package var width = 0, height = 0, depthWidth = 0, depthHeight = 0
    /// Units of the written depth per metre; `nil` for a format that stores fractions.
    package var unitsPerMetre: Double?
    package var skipped = FaultTally<FrameFault>()
    /// Parts of the input that the output cannot hold.
    package var losses: [String] = []
    package var warnings: [Warning] = []
    /// The duration of the job, and its speed.
    package var seconds = 0.0, framesPerSecond = 0.0
  }

  private let plan: Plan
  /// The format of the file; `nil` for a folder.
  private let container: (any WritableRecordingContainer)?
  private var source: any SceneSource
  /// The number of groups of frames that may wait to be written while the next are read. The writer takes the frames of a group in
  /// parallel.
  private static let waitingPieces = 2

  /// Opens the source and checks the plan before it writes anything.
  package init(_ plan: Plan) throws(BackdropError) {
    self.plan = plan
    container = try Self.container(plan.output)
    if let frames = plan.frames, frames < 1 {
      throw BackdropError(.wrongArgument, "a recording cannot have \(frames) frames", hint: "give at least 1")
    }
    if let seconds = plan.seconds, !(seconds > 0 && seconds < 1e6) {
      throw BackdropError(.wrongArgument, "a recording cannot last \(seconds) seconds", hint: "give more than 0")
    }
    if let units = plan.unitsPerMetre { _ = try DepthEncoding(.uint16, unitsPerMetre: units).checkedScale() }
    if let container, let form = container.fixedForm, plan.unitsPerMetre != nil || plan.quality != nil {
      throw BackdropError(
        .wrongArgument, "a .\(container.fileExtension) recording always has \(form)", path: plan.output,
        hint: .leaveRecordingFormOut)
    }
    if let quality = plan.quality, !(0...51).contains(quality) {
      throw BackdropError(.wrongArgument, "the quality \(quality) is out of range: 0…51", hint: "lower is better")
    }
    try Self.checkOutput(plan)
    source = try RGBDInput.open(plan.input, options: plan.reading)
    // A recording without its camera would mislead later readers.
    let causes = [Hint.correctCamera.code, Hint.recordAgain.code]
    if var fault = source.warnings.first(where: { causes.contains($0.hint?.code) }) {
      fault.hint = fault.hint.map { Hint("correct or remove that file; \($0)") }
      throw fault
    }
  }

  package var frameCount: Int? {
    var counts = [source.frameCount, plan.frames].compactMap { $0 }
    if let seconds = plan.seconds { counts.append(Int((seconds * source.framesPerSecond).rounded(.up))) }
    return counts.min()
  }

  fileprivate static func container(_ output: String) throws(BackdropError) -> (any WritableRecordingContainer)? {
    let fileExtension = FileName(output).fileExtension
    if output.hasSuffix("/") || fileExtension.isEmpty || FileKind(output) == .folder { return nil }
    if let container = RecordingFormats.container(named: output) { return container }
    let known = RecordingFormats.containers.filter { $0 is any WritableRecordingContainer }.map {
      "." + $0.fileExtension
    }
    throw BackdropError(
      .unsupported, "Backdrop does not write recordings as .\(fileExtension)", path: output,
      hint: "end the name in \(known.sorted().listed("or")), or in / for a folder of pictures")
  }

  /// Refuses to overwrite the input, which would be lost.
  private static func checkOutput(_ plan: Plan) throws(BackdropError) {
    guard FileKind(plan.input) != .absent else { return }
    let (from, to) = (FilePath.resolved(plan.input), FilePath.resolved(plan.output))
    guard from != to && !from.hasPrefix(to + "/") && !to.hasPrefix(from + "/") else {
      throw BackdropError(
        .wrongArgument, "the output and the input are in the same place", path: plan.output, hint: "choose another name"
      )
    }
  }

  /// Does the work; a failed job leaves no files, unless the plan keeps unfinished ones.
  ///
  /// - Parameters:
  ///   - progress: receives the number of finished frames after each.
  ///   - isInterrupted: called before each frame. If it returns true, the recording of a live source ends and is complete; any other job
  ///     stops without a recording.
  package mutating func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Summary {
    let clock = ContinuousClock()
    let start = clock.now
    var summary = Summary(input: plan.input, output: plan.output)
    let units = plan.unitsPerMetre ?? source.info.storedUnitsPerMetre ?? 5000
    let hasUnits = container?.fixedForm == nil
    summary.unitsPerMetre = hasUnits ? units : nil
    var sink: (any RecordingSink)?
    let behind = WorkBehind(pieces: source.info.isLive ? 0 : Self.waitingPieces)
    defer {
      behind.end()
      sink?.discard()
    }
    // Open the output before the wait for the first frame.
    let output = try plan.openOutput(units)
    var (lost, firstTime, hasConfidence) = (0, 0.0, false)
    var together: [Scene] = []
    func writeTogether() throws(BackdropError) {
      guard let sink, !together.isEmpty else { return }
      let frames = together
      together = []
      try behind.add { () throws(BackdropError) in try sink.write(frames) }
    }
    do throws(BackdropError) {
      while plan.frames.map({ summary.frames < $0 }) ?? true {
        if isInterrupted() {
          if source.info.isLive && summary.frames > 0 { break }
          throw BackdropError(.interrupted, "interrupted")
        }
        guard let frame = try source.next() else { break }
        if summary.frames == 0 { firstTime = frame.time }
        if let seconds = plan.seconds, frame.time - firstTime >= seconds - 1e-9 { break }
        if sink == nil {
          sink = try plan.begin(output, frame, units, framesPerSecond: source.framesPerSecond)
          (summary.width, summary.height) = (frame.image.width, frame.image.height)
          (summary.depthWidth, summary.depthHeight) = (frame.depth?.width ?? 0, frame.depth?.height ?? 0)
          if frame.depth?.intrinsics == nil {
            summary.losses.append("the input has no intrinsics, so the recording has none")
          }
        }
        hasConfidence = hasConfidence || frame.depth?.confidence != nil
        lost += frame.depth?.valuesLost(unitsPerMetre: units) ?? 0
        together.append(frame)
        // Write a device's frames as they arrive.
        if source.info.isLive || together.count >= sink?.framesAtOnce ?? 1 { try writeTogether() }
        summary.frames += 1
        progress(summary.frames)
      }
      try writeTogether()
      try behind.finish()
    } catch {
      // Write the earlier frames if the plan keeps them.
      do throws(BackdropError) { if plan.keepsUnfinished { try writeTogether() } } catch {}
      behind.end()
      throw plan.kept(sink, after: error)
    }
    guard let sink else { throw BackdropError.noFrame(in: plan.input) }
    if isInterrupted() && !source.info.isLive { throw BackdropError(.interrupted, "interrupted") }
    do throws(BackdropError) { try sink.finish() } catch { throw plan.kept(sink, after: error) }
    report(&summary, of: sink, units: units, lost: lost, hasConfidence: hasConfidence)
    summary.seconds = (clock.now - start) / .seconds(1)
    summary.framesPerSecond = summary.seconds > 0 ? Double(summary.frames) / summary.seconds : 0
    return summary
  }

  /// Reports the path of the recording, and the parts of the input that it lacks, such as `lost` distances that the units cannot hold.
  private func report(
    _ summary: inout Summary, of sink: any RecordingSink, units: Double, lost: Int, hasConfidence: Bool
  ) {
    if sink.path != FileName.withoutSlashes(plan.output) {
      summary.output = sink.path
      summary.warnings.append(
        Warning(BackdropError(.system, "another program took the output's name in the meantime", path: plan.output)))
    }
    summary.skipped = source.skipped.map { FrameFault(frame: $0.number, reason: $0.error.description) }
    summary.warnings += source.warnings.map { Warning($0) }
    summary.losses += sink.losses + source.info.unreadParts.map { "the recording lacks \($0)" }
    if hasConfidence && container?.keepsConfidence != true {
      summary.losses.append("the recording lacks the confidence, except for the holes it made")
    }
    guard summary.unitsPerMetre != nil else { return }
    if source.info.storedUnitsPerMetre != units {
      summary.losses.append("Backdrop rounds depth to \(Self.number(1000 / units)) mm")
    }
    if lost > 0 {
      let farthest = Self.number(65_535 / units)
      summary.losses.append("\(lost) distances beyond \(farthest) m or below the unit became holes")
    }
  }

  private static func number(_ value: Double) -> String { value.text("%.4g") }
}

extension RecordJob.Plan {
  /// The file or folder of a recording, opened before its first frame comes.
  package enum OpenOutput {
    case file(OutputFile, any WritableRecordingContainer)
    case folder(RecordingWriter)
  }

  package func openOutput(_ units: Double) throws(BackdropError) -> OpenOutput {
    guard let container = try RecordJob.container(output) else {
      return .folder(
        try RecordingWriter(output, overwrite: overwrite, growing: keepsUnfinished, unitsPerMetre: units))
    }
    let file = try OutputFile(output, overwrite: overwrite, growing: keepsUnfinished)
    // This reserves the name, so that another recording cannot take it.
    if keepsUnfinished { _ = try file.begin() }
    return .file(file, container)
  }

  /// Finishes the part written before an error, if the plan keeps it. Returns the error, which then gives the recording's path.
  fileprivate func kept(_ sink: (any RecordingSink)?, after error: BackdropError) -> BackdropError {
    guard keepsUnfinished, error.kind != .interrupted, let sink else { return error }
    sink.keepEarlier()
    // The first error is the cause.
    do throws(BackdropError) { try sink.finish() } catch {}
    guard sink.isInPlace else { return error }
    var explained = error
    let isSame = error.path == sink.path || error.path == output
    explained.message = (isSame ? error.message : error.description) + "; the recording keeps everything until then"
    explained.path = sink.path
    return explained
  }

  /// Begins the recording of frames like `first`.
  package func begin(
    _ opened: OpenOutput, _ first: Scene, _ units: Double, framesPerSecond: Double
  ) throws(BackdropError) -> any RecordingSink {
    switch opened {
    case .folder(let writer): return writer
    case .file(let file, let container):
      let form = RecordingForm(
        unitsPerMetre: units, framesPerSecond: framesPerSecond, quality: quality, threads: reading.threads)
      return try container.begin(file, like: first, form)
    }
  }
}

extension DepthMap {
  /// The number of distances that do not fit in 16-bit units.
  fileprivate func valuesLost(unitsPerMetre: Double) -> Int {
    let scale = Float(unitsPerMetre)
    let plane = metres
    var result = 0
    for y in 0..<height {
      let row = plane.row(y)
      for x in row.indices {
        let value = row[x] * scale + 0.5
        // False for holes, because they are NaN.
        if value >= 65_536 || value < 1 { result += 1 }
      }
    }
    return result
  }
}
