import Dispatch
import Synchronization

/// Scenes as an `AsyncSequence`. A separate thread reads them, starting with the first requested scene.
///
/// At most one scene waits, however slow the reader is. When the loop ends (by its end, an error, `break` or the task's cancellation), the
/// stream releases source and thread. After a cancellation this happens before the loop returns, after a `break` within a tenth of a
/// second.
public struct SceneStream: AsyncSequence, Sendable {
  /// The handling of scenes that the reader does not take in time.
  public enum Delivery: Sendable {
    /// A newer scene replaces the waiting one, so that the reader gets the latest.
    case newest
    /// The source waits until the reader takes each scene.
    case every
  }

  /// A scene.
  public typealias Element = Scene
  /// An error of the source.
  public typealias Failure = BackdropError

  private let delivery: Delivery
  private let open: @Sendable () throws(BackdropError) -> any SceneFeed

  init(_ delivery: Delivery, open: @escaping @Sendable () throws(BackdropError) -> any SceneFeed) {
    (self.delivery, self.open) = (delivery, open)
  }

  /// Begins an iteration; the source is not open yet.
  public func makeAsyncIterator() -> Iterator { Iterator(SceneFeeder(delivery, open: open)) }

  /// One loop over the scenes.
  public struct Iterator: AsyncIteratorProtocol {
    private let life: Life

    /// Ends the thread when the iteration ends.
    private final class Life {
      let feeder: SceneFeeder
      init(_ feeder: SceneFeeder) { self.feeder = feeder }
      deinit { feeder.stop() }
    }

    init(_ feeder: SceneFeeder) { life = Life(feeder) }

    /// The next scene; `nil` at the end, and when the task is cancelled.
    ///
    /// - Throws: the error of opening the source, or the error that ended it; the stream has then ended.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(BackdropError) -> Scene? {
      try await life.feeder.next(isolation: actor).get()
    }
  }
}

/// The input of a stream's thread.
package protocol SceneFeed {
  /// The next step; a feed that waits for a device returns `nothing` after a tenth of a second.
  mutating func next() throws(BackdropError) -> SceneStep
}

package enum SceneStep {
  case scene(Scene)
  case nothing
  case end
}

/// The thread of one loop, and the waiting scene.
final class SceneFeeder: Sendable {
  typealias Step = Result<Scene?, BackdropError>

  private struct State {
    var reader: CheckedContinuation<Step, Never>?
    var scene: Scene?
    /// How the loop ended; set once the source is closed.
    var end: Step?
    var isStarted = false, isStopped = false
  }

  private let delivery: SceneStream.Delivery
  private let open: @Sendable () throws(BackdropError) -> any SceneFeed
  private let state = Mutex(State())
  /// Signalled when the reader takes the waiting scene, and at the end.
  private let taken = DispatchSemaphore(value: 0)

  init(_ delivery: SceneStream.Delivery, open: @escaping @Sendable () throws(BackdropError) -> any SceneFeed) {
    (self.delivery, self.open) = (delivery, open)
  }

  func next(isolation actor: isolated (any Actor)?) async -> Step {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { reader in
        if let step = ask(reader) { reader.resume(returning: step) }
      }
    } onCancel: {
      stop()
    }
  }

  /// The next scene if there is one; if not, `reader` gets it later.
  private func ask(_ reader: CheckedContinuation<Step, Never>) -> Step? {
    let (step, starts): (Step?, Bool) = state.withLock { state in
      if let scene = state.scene {
        state.scene = nil
        taken.signal()
        if !state.isStopped { return (.success(scene), false) }
      }
      if let end = state.end {
        // Report an error only once.
        state.end = .success(nil)
        return (end, false)
      }
      if state.isStopped && !state.isStarted { return (.success(nil), false) }
      state.reader = reader
      defer { state.isStarted = true }
      return (nil, !state.isStarted)
    }
    if starts {
      do throws(BackdropError) {
        try DetachedThread.start { [self] in finish(run()) }
      } catch {
        finish(.failure(error))
      }
    }
    return step
  }

  /// Ends the thread after its current step.
  func stop() {
    state.withLock { $0.isStopped = true }
    taken.signal()
  }

  /// Reads to the end; closes the source on return.
  private func run() -> Step {
    Step { () throws(BackdropError) in
      var feed = try open()
      while !state.withLock({ $0.isStopped }) {
        switch try feed.next() {
        case .scene(let scene): offer(scene)
        case .nothing: continue
        case .end: return nil
        }
      }
      return nil
    }
  }

  private func offer(_ scene: Scene) {
    let reader: CheckedContinuation<Step, Never>? = state.withLock { state in
      if !state.isStopped, let reader = state.reader.take() { return reader }
      state.scene = scene
      return nil
    }
    if let reader { return reader.resume(returning: .success(scene)) }
    // `newest` lets the next scene replace a waiting one; `every` makes the source wait.
    if delivery == .every { taken.wait() }
  }

  private func finish(_ end: Step) {
    let (reader, step): (CheckedContinuation<Step, Never>?, Step) = state.withLock { state in
      let step: Step = state.isStopped ? .success(nil) : end
      guard let reader = state.reader else {
        state.end = step
        return (nil, step)
      }
      (state.reader, state.end) = (nil, .success(nil))
      return (reader, step)
    }
    reader?.resume(returning: step)
  }
}
