import Backdrop
import Dispatch
import Synchronization

/// Writes a live session's pictures as a video, and its camera's frames with depth as a recording, on a separate thread.
///
/// If the disk is too slow, the recording loses pictures, but the outputs do not. The files grow beside their final names
/// (``BackdropImaging/PartialOutput``), half a second at a time, so that the written part survives if the process or the disk
/// fails.
final class LiveRecorder: Sendable {
  struct Outcome: Sendable {
    /// The finished files: the video and the recording with depth.
    var files: [String] = []
    /// The wanted names that other files took in the meantime.
    var taken: [String] = []
    var fault: BackdropError?
  }

  /// The video's path, and its temporary path during the recording.
  let path: String, temporaryPath: String
  private let hasRaw: Bool

  private struct State {
    var queue: [(rendering: Rendering, scene: Scene?)] = []
    var isEnding = false
    var lost = 0
    /// The written duration, in seconds.
    var seconds = 0.0
    var outcome = Outcome()
  }

  /// The source of a recording's sound.
  struct Sound {
    var microphone: Microphone
    /// The device that feeds the microphone, released at the end; `nil` if another object owns it.
    var device: PipeWireMicrophone?
    /// Called once, if the device falls silent.
    var fellSilent: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  /// The maximum number of waiting pictures and the maximum wait in seconds; waiting pictures are lost if the process is killed.
  private static let maximumWaiting = 30, maximumWait = 1.0
  /// Sound arrives later than the pictures of the same time, so it is written this many seconds later.
  private static let soundDelay = 0.4

  var hasSound: Bool { microphone != nil }
  private let microphone: Microphone?
  /// Called once, if the microphone falls silent.
  private let fellSilent: (@Sendable () -> Void)?

  /// Opens the files and starts recording.
  ///
  /// - Parameters:
  ///   - raw: the path of the recording with depth, as for ``RecordJob``; `nil` for none.
  ///   - pictures: their size, and their rate per second.
  ///   - sound: the source of sound; `nil` for a video without sound.
  ///   - failed: called at once if the recording ends by itself.
  static func start(
    _ path: String, raw: String?, _ pictures: (width: Int, height: Int, rate: Double), sound: Sound?,
    failed: @escaping @Sendable (LiveRecorder, Outcome) -> Void
  ) throws(BackdropError) -> LiveRecorder {
    let rate = pictures.rate
    let stream = StreamOutput.Stream(
      width: pictures.width, height: pictures.height, frameRate: Rational(approximating: rate),
      timeBase: Rational(1, 1000))
    var options = StreamOutput.Options()
    options.threads = 1
    options.isGrowing = true
    options.hasSound = sound != nil
    let video = try StreamOutput(path, for: stream, options: options)
    guard let file = video.videoFile else {
      throw BackdropError(
        .wrongArgument, "Backdrop saves a live recording as a video", path: path,
        hint: "end the name in .mp4, .mov or .mkv")
    }
    let recording = try raw.map { (path) throws(BackdropError) in try RawRecording(path, rate: rate) }
    let recorder = LiveRecorder(path, file.temporaryPath, hasRaw: raw != nil, sound)
    let handed = UncheckedTransfer((video, recording))
    let tick = max(1, Int64((1000 / rate).rounded()))
    sound?.microphone.record(true)
    do throws(BackdropError) {
      try DetachedThread.start {
        let outcome = withExtendedLifetime(sound?.device) { recorder.write(handed.value.0, handed.value.1, tick: tick) }
        if outcome.fault != nil { failed(recorder, outcome) }
        recorder.ended.signal()
      }
    } catch {
      sound?.microphone.record(false)
      throw error
    }
    return recorder
  }

  private init(_ path: String, _ temporaryPath: String, hasRaw: Bool, _ sound: Sound?) {
    (self.path, self.temporaryPath, self.hasRaw) = (path, temporaryPath, hasRaw)
    (microphone, fellSilent) = (sound?.microphone, sound?.fellSilent)
  }

  func add(_ rendering: Rendering, _ scene: Scene?) {
    state.withLock { state in
      let wait = state.queue.first.map { rendering.time - $0.rendering.time } ?? 0
      guard state.queue.count < Self.maximumWaiting && wait < Self.maximumWait else {
        state.lost += 1
        return
      }
      state.queue.append((rendering, hasRaw ? scene : nil))
    }
    wake.signal()
  }

  /// Completes the files and waits for the end.
  func finish() -> Outcome {
    let wasEnding = state.withLock { exchange(&$0.isEnding, with: true) }
    guard !wasEnding else { return Outcome() }
    wake.signal()
    ended.wait()
    return state.withLock { $0.outcome }
  }

  /// The number of pictures omitted because the disk was too slow.
  var lost: Int { state.withLock { $0.lost } }

  /// The duration written so far, in seconds.
  var seconds: Double { state.withLock { $0.seconds } }

  /// - Parameter tick: a picture's default duration in milliseconds.
  private func write(_ video: StreamOutput, _ raw: RawRecording?, tick: Int64) -> Outcome {
    var fault: BackdropError?
    do throws(BackdropError) { try writeQueue(video, raw, tick: tick) } catch { fault = error }
    microphone?.record(false)
    // The files are completed even after a fault; the first fault explains the failure.
    do throws(BackdropError) { try video.commit() } catch { fault = fault ?? error }
    do throws(BackdropError) { try raw?.finish() } catch { fault = fault ?? error }
    var outcome = Outcome()
    let finishedFiles = [
      (path, video.videoFile.flatMap { $0.isInPlace ? $0.path : nil }), (raw?.name ?? "", raw?.finishedPath),
    ]
    for case let (name, finishedPath?) in finishedFiles {
      outcome.files.append(finishedPath)
      if finishedPath != name { outcome.taken.append(name) }
    }
    if var error = fault {
      if !outcome.files.isEmpty {
        error.message += "; the recording until then is in \(outcome.files.joined(separator: " and "))"
        // The text already names the files.
        error.path = nil
      }
      outcome.fault = error
    }
    state.withLock { state in (state.outcome, state.queue) = (outcome, []) }
    return outcome
  }

  private func writeQueue(_ video: StreamOutput, _ raw: RawRecording?, tick: Int64) throws(BackdropError) {
    var start: Double?
    var last = Int64(-1)
    var sound: SoundClock?
    var isHeard = true
    func write(soundUntil time: Double) throws(BackdropError) {
      for chunk in microphone?.drain() ?? [] { sound?.add(chunk.samples, rate: chunk.rate, at: chunk.seconds) }
      if let samples = sound?.readSamples(until: time), !samples.isEmpty { try video.write(sound: samples) }
    }
    while true {
      let (next, isOver) = state.withLock { state in
        (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.isEnding)
      }
      guard let (rendering, scene) = next else {
        if isOver { break }
        wake.wait()
        continue
      }
      let begin = start ?? rendering.time
      start = begin
      if hasSound && sound == nil { sound = SoundClock(begin: begin) }
      last = max(last + 1, Int64(((rendering.time - begin) * 1000).rounded()))
      try video.write(rendering.image.converted(to: .i420, color: .video), time: last, duration: tick)
      try write(soundUntil: rendering.time - Self.soundDelay)
      if var frame = scene, frame.depth != nil {
        frame.time = rendering.time - begin
        try raw?.write(frame)
      }
      if isHeard, let fellSilent, microphone?.isOn == false {
        isHeard = false
        fellSilent()
      }
      state.withLock { $0.seconds = max(0, rendering.time - begin) }
    }
    if let start { try write(soundUntil: start + Double(last + tick) / 1000) }
    guard start != nil else {
      throw BackdropError(.badData, "Backdrop recorded nothing", path: path, hint: "wait for the first picture")
    }
  }
}

/// Records the camera's frames with depth, from the first such frame on.
private final class RawRecording {
  let name: String
  private let plan: RecordJob.Plan
  private let output: RecordJob.Plan.OpenOutput
  private let rate: Double
  private var sink: (any RecordingSink)?

  init(_ path: String, rate: Double) throws(BackdropError) {
    var plan = RecordJob.Plan("", to: path)
    plan.keepsUnfinished = true
    (self.plan, self.rate, name) = (plan, rate, FileName.withoutSlashes(path))
    output = try plan.openOutput(5000)
  }

  /// The path of the finished recording; `nil` if there is none.
  var finishedPath: String? { sink.flatMap { $0.isInPlace ? $0.path : nil } }

  func write(_ frame: Scene) throws(BackdropError) {
    if sink == nil { sink = try plan.begin(output, frame, 5000, framesPerSecond: rate) }
    try sink?.write(frame)
  }

  func finish() throws(BackdropError) {
    guard let sink else {
      throw BackdropError(
        .badData, "no frame had depth, so Backdrop wrote no raw recording", path: plan.output, hint: .leaveRawOut)
    }
    try sink.finish()
  }
}
