import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import Dispatch
import Synchronization

/// The scenes of a source, read on a thread of its own while those before are worked on.
///
/// Until ``stop()`` has returned nobody else may use the source.
final class ReadAhead {
  private typealias Step = Result<Scene?, BackdropError>
  private let frames: Int
  private let shared = Shared()
  private let reader: Reader
  private var isOver = false
  /// What ``upcoming`` has taken from the thread.
  private var taken: Step?

  private final class Shared: Sendable {
    let state = Mutex(State())
    // Semaphores must not go away with a smaller value than they were made with, so this one begins at none.
    let slots = DispatchSemaphore(value: 0)
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  private struct State {
    var steps: [Step] = []
    var isStopped = false
  }

  /// Reads scenes and gives each a time in ticks.
  private final class Reader {
    var source: any SceneSource
    private let timeBase: Double
    private var last: Int64?

    init(_ source: any SceneSource) {
      self.source = source
      timeBase = source.timeBase.value
    }

    func next() throws(BackdropError) -> Scene? {
      let read = try StageClock.shared.measure(.decode) { () throws(BackdropError) in try source.next() }
      guard var scene = read else { return nil }
      guard scene.ticks == nil else { return scene }
      guard abs(scene.time) < 1e10 else {
        throw BackdropError(
          .badData, "a frame at \(scene.time) s", path: source.name, hint: "the recording's times are damaged")
      }
      // Frames closer than a tick keep their order.
      let tick = max(Int64((scene.time / timeBase).rounded()), last.map { $0 + 1 } ?? .min)
      last = tick
      scene.ticks = SceneTicks(time: tick, duration: source.hasConstantRate ? 1 : 0)
      return scene
    }
  }

  /// - Parameter frames: how many are read ahead; 0 reads each when it is asked for, on the caller's thread.
  init(_ source: any SceneSource, frames: Int) {
    self.frames = frames
    reader = Reader(source)
    guard frames > 0 else { return }
    for _ in 0..<frames { shared.slots.signal() }
    let handed = UncheckedTransfer(reader)
    DetachedThread.start { [shared] in
      while true {
        StageClock.shared.measure(.waiting) { shared.slots.wait() }
        if shared.state.withLock({ $0.isStopped }) { break }
        let step: Step
        do throws(BackdropError) {
          step = .success(try handed.value.next())
        } catch {
          step = .failure(error)
        }
        let isLast = if case .success(.some) = step { false } else { true }
        shared.state.withLock { $0.steps.append(step) }
        shared.ready.signal()
        if isLast { break }
      }
      shared.ended.signal()
    }
  }

  /// The source, once ``stop()`` has returned.
  var source: any SceneSource { reader.source }

  /// The next scene, with its ticks; `nil` at the end.
  func next() throws(BackdropError) -> Scene? {
    guard frames > 0 else { return try reader.next() }
    guard !isOver else { return nil }
    let step = take()
    taken = nil
    if case .success(.some) = step {} else { isOver = true }
    return try step.get()
  }

  /// The scene that ``next()`` returns next; `nil` where scenes are not read ahead, and where there is none.
  var upcoming: Scene? {
    guard frames > 0, !isOver else { return nil }
    let step = take()
    taken = step
    if case .success(let scene) = step { return scene }
    return nil
  }

  private func take() -> Step {
    if let taken { return taken }
    StageClock.shared.measure(.waiting) { shared.ready.wait() }
    let step = shared.state.withLock { $0.steps.removeFirst() }
    shared.slots.signal()
    return step
  }

  /// Ends reading and waits until it has ended; the input is the caller's again.
  func stop() {
    guard frames > 0,
      !shared.state.withLock({ state in
        defer { state.isStopped = true }
        return state.isStopped
      })
    else { return }
    shared.slots.signal()
    shared.ended.wait()
  }
}
