import BackdropDepth
import BackdropImaging
import Dispatch
import Synchronization

/// Scenes as an `AsyncSequence`. They are read on a thread of its own, which begins with the first scene that is asked for.
///
/// One scene waits at most, whatever the reader's pace. When the loop ends (by its end, an error, `break` or the task's
/// cancellation), source and thread are let go of; after a cancellation that has happened before the loop returns, after a `break`
/// it does within a tenth of a second.
public struct SceneStream: AsyncSequence, Sendable {
  /// The handling of scenes that nobody takes in time.
  public enum Delivery: Sendable {
    /// A newer scene takes the place of the one that waits, so that what is taken is what is seen now.
    case newest
    /// The source waits until each is taken.
    case every
  }

  /// One moment.
  public typealias Element = Scene
  /// An error of the source.
  public typealias Failure = BackdropError

  private let delivery: Delivery
  private let open: @Sendable () throws(BackdropError) -> any SceneFeed

  init(_ delivery: Delivery, open: @escaping @Sendable () throws(BackdropError) -> any SceneFeed) {
    (self.delivery, self.open) = (delivery, open)
  }

  /// Begins; nothing is opened yet.
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
    /// - Throws: why the source could not be opened, or why no more can come; after that it is at its end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(BackdropError) -> Scene? {
      try await life.feeder.next(isolation: actor).get()
    }
  }
}

/// The input of a stream's thread.
package protocol SceneFeed {
  /// What comes next; a feed that waits for a device says `nothing` after a tenth of a second.
  mutating func next() throws(BackdropError) -> SceneStep
}

/// The state of a feed.
package enum SceneStep {
  case scene(Scene)
  case nothing
  case end
}

/// The thread of one loop, and the scene that waits.
final class SceneFeeder: Sendable {
  typealias Step = Result<Scene?, BackdropError>

  private struct State {
    var reader: CheckedContinuation<Step, Never>?
    var scene: Scene?
    /// How it ended; there once the source is closed.
    var end: Step?
    var isStarted = false, isStopped = false
  }

  private let delivery: SceneStream.Delivery
  private let open: @Sendable () throws(BackdropError) -> any SceneFeed
  private let state = Mutex(State())
  /// Signalled when the scene that waits was taken, and at the end.
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

  /// The next scene if there is one; otherwise `reader` gets it later.
  private func ask(_ reader: CheckedContinuation<Step, Never>) -> Step? {
    let (step, starts): (Step?, Bool) = state.withLock { state in
      if let scene = state.scene {
        state.scene = nil
        taken.signal()
        if !state.isStopped { return (.success(scene), false) }
      }
      if let end = state.end {
        // An error is told once.
        state.end = .success(nil)
        return (end, false)
      }
      if state.isStopped && !state.isStarted { return (.success(nil), false) }
      state.reader = reader
      defer { state.isStarted = true }
      return (nil, !state.isStarted)
    }
    if starts { DetachedThread.start { [self] in finish(run()) } }
    return step
  }

  /// Ends the thread soon.
  func stop() {
    state.withLock { $0.isStopped = true }
    taken.signal()
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Reads to the end; the source is closed on return.
  private func run() -> Step {
    do throws(BackdropError) {
      var feed = try open()
      while !isStopped {
        switch try feed.next() {
        case .scene(let scene): offer(scene)
        case .nothing: continue
        case .end: return .success(nil)
        }
      }
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  private func offer(_ scene: Scene) {
    let reader: CheckedContinuation<Step, Never>? = state.withLock { state in
      if let reader = state.reader, !state.isStopped {
        state.reader = nil
        return reader
      }
      state.scene = scene
      return nil
    }
    if let reader { return reader.resume(returning: .success(scene)) }
    // What waits is overtaken by the next, or holds the source up.
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
