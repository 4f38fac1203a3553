import Dispatch

/// Reads the scenes of a source on a separate thread while earlier ones are processed.
///
/// No other code may use the source until ``stop()`` has returned.
final class ReadAhead {
  private typealias Step = Result<Scene?, BackdropError>
  private let reader: Reader
  /// The scenes that the thread has read; `nil` without a thread.
  private var steps: BoundedQueue<Step>?
  private let ended = DispatchSemaphore(value: 0)
  private var isOver = false, isStopped = false
  /// A scene that ``upcoming`` took from the thread.
  private var taken: Step?

  /// Reads scenes and gives each a time in ticks.
  private final class Reader {
    var source: SceneInput
    private let timeBase: Double
    private var last: Int64?

    init(_ source: SceneInput) {
      self.source = source
      timeBase = source.timeBase.value
    }

    func next() throws(BackdropError) -> Scene? {
      let read = try StageClock.shared.measure(.decode) { () throws(BackdropError) in try source.next() }
      guard var scene = read else { return nil }
      guard scene.ticks == nil else { return scene }
      guard abs(scene.time) < 1e10 else {
        throw BackdropError(
          .badData, "the recording has a frame at \(scene.time) s", path: source.name,
          hint: "the recording's times are damaged; record it again")
      }
      // Frames closer than a tick keep their order.
      let tick = max(Int64((scene.time / timeBase).rounded()), last.map { $0 + 1 } ?? .min)
      last = tick
      scene.ticks = SceneTicks(time: tick, duration: source.info.hasConstantRate ? 1 : 0)
      return scene
    }
  }

  /// - Parameter frames: how many scenes to read ahead. With 0, or if the system has no thread to spare, the caller's thread reads each
  ///   scene on request.
  init(_ source: SceneInput, frames: Int) {
    reader = Reader(source)
    // This includes the scene that the caller is processing.
    steps = frames > 0 ? BoundedQueue(capacity: frames + 1) : nil
    guard let steps else { return }
    let handed = UncheckedTransfer(reader)
    let read: @Sendable () -> Void = { [ended] in
      var isLast = false
      while !isLast {
        let step = Step { () throws(BackdropError) in try handed.value.next() }
        isLast = if case .success(.some) = step { false } else { true }
        if !steps.send(step) { isLast = true }
      }
      ended.signal()
    }
    do throws(BackdropError) { try DetachedThread.start(read) } catch { self.steps = nil }
  }

  /// The source, once ``stop()`` has returned.
  var source: SceneInput { reader.source }

  /// The next scene, with its ticks; `nil` at the end.
  func next() throws(BackdropError) -> Scene? {
    guard let steps else { return try reader.next() }
    guard !isOver, let step = taken ?? steps.receive() else { return nil }
    taken = nil
    if case .success(.some) = step {} else { isOver = true }
    return try step.get()
  }

  /// The scene that ``next()`` returns next; `nil` if scenes are not read ahead, or none is left.
  var upcoming: Scene? {
    guard let steps, !isOver else { return nil }
    taken = taken ?? steps.receive()
    if case .success(let scene) = taken { return scene }
    return nil
  }

  /// Ends reading and waits for the end; the input then belongs to the caller again.
  func stop() {
    guard let steps, !isStopped else { return }
    isStopped = true
    steps.close(dropping: true)
    ended.wait()
  }
}
