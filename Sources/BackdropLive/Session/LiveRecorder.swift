import Backdrop
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropRecordings
import Foundation
import Synchronization

/// Writes what a live session shows as a video, and what its camera sees as a recording with depth, on a thread of its own.
///
/// A disk that is too slow costs pictures of the recording, never of the outputs. Nothing is seen under the names before
/// ``finish()``.
final class LiveRecorder: Sendable {
  /// The video's name.
  let path: String
  private let hasRaw: Bool

  private struct State {
    var queue: [(rendering: Rendering, scene: Scene?)] = []
    var isEnding = false
    var lost = 0
    var fault: BackdropError?
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  /// So many pictures wait at most; a second of them.
  private static let most = 30

  /// Opens the files and starts.
  ///
  /// - Parameter raw: where the camera's frames go, as ``RecordJob`` names recordings; `nil` for nowhere.
  static func start(
    _ path: String, raw: String?, width: Int, height: Int, rate: Double
  ) throws(BackdropError) -> LiveRecorder {
    let stream = StreamOutput.Stream(
      width: width, height: height, frameRate: Rational(approximating: rate), timeBase: Rational(1, 1000))
    var options = StreamOutput.Options()
    options.threads = 1
    let video = try StreamOutput(path, for: stream, color: .video, format: .i420, options: options)
    guard video.target.isVideo else {
      throw BackdropError(.wrongArgument, "a live recording is a video", path: path, hint: "name it .mp4, .mov or .mkv")
    }
    var recording: RawRecording?
    if let raw { recording = try RawRecording(raw, rate: rate) }
    let recorder = LiveRecorder(path, hasRaw: raw != nil)
    let handed = UncheckedTransfer((video, recording))
    DetachedThread.start {
      recorder.write(handed.value.0, handed.value.1)
      recorder.ended.signal()
    }
    return recorder
  }

  private init(_ path: String, hasRaw: Bool) { (self.path, self.hasRaw) = (path, hasRaw) }

  /// Takes a picture.
  func add(_ rendering: Rendering, _ scene: Scene?) {
    state.withLock { state in
      guard state.queue.count < Self.most else {
        state.lost += 1
        return
      }
      state.queue.append((rendering, hasRaw ? scene : nil))
    }
    wake.signal()
  }

  /// Completes the files and waits for that.
  ///
  /// - Returns: what went wrong: the files are not there then.
  func finish() -> BackdropError? {
    let wasEnding = state.withLock { state in
      defer { state.isEnding = true }
      return state.isEnding
    }
    guard !wasEnding else { return nil }
    wake.signal()
    ended.wait()
    return state.withLock { $0.fault }
  }

  /// Pictures that were left out since the disk was too slow.
  var lost: Int { state.withLock { $0.lost } }

  private func write(_ video: StreamOutput, _ raw: RawRecording?) {
    var start: Double?
    var last = Int64(-1)
    do throws(BackdropError) {
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
        last = max(last + 1, Int64(((rendering.time - begin) * 1000).rounded()))
        try video.write(rendering.image.converted(to: .i420, color: .video), time: last, duration: 0)
        if var frame = scene, frame.depth != nil {
          frame.time = rendering.time - begin
          try raw?.write(frame)
        }
      }
      guard start != nil else {
        throw BackdropError(.badData, "nothing was recorded", path: path, hint: "wait for the first picture")
      }
      try video.commit()
      try raw?.finish()
    } catch {
      raw?.discard()
      state.withLock { state in
        (state.fault, state.queue) = (error, [])
      }
    }
  }
}

/// The camera's frames with depth, written from the first of them on.
private final class RawRecording {
  private let plan: RecordJob.Plan
  private let place: RecordJob.Plan.Place
  private let rate: Double
  private var sink: (any RecordingSink)?

  init(_ path: String, rate: Double) throws(BackdropError) {
    plan = RecordJob.Plan("", to: path)
    self.rate = rate
    place = try plan.place(5000)
  }

  func write(_ frame: Scene) throws(BackdropError) {
    if sink == nil { sink = try plan.open(place, frame, 5000, framesPerSecond: rate) }
    try sink?.write(frame)
  }

  func finish() throws(BackdropError) {
    guard let sink else {
      throw BackdropError(
        .badData, "no frame had depth, so there is no raw recording", path: plan.output, hint: .leaveRawOut)
    }
    try sink.finish()
  }

  func discard() { sink?.discard() }
}
