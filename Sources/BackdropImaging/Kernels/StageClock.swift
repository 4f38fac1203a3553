import Libc
import Synchronization

/// The parts of a job's time.
public enum Stage: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  /// Reading and decoding the next scene.
  case decode
  /// Loading networks, and compiling those that are not in the cache.
  case load
  /// Running networks.
  case network
  /// Making mattes of what networks and depth say: refinement, smoothing, fusion.
  case refine
  /// Drawing looks.
  case draw
  /// Encoding and writing.
  case encode
  /// Waiting for another thread of the job.
  case waiting
}

/// Where the time of a thread went.
public struct ThreadTimes: Codable, Sendable {
  /// Time of a stage, without that of stages inside of it.
  public struct Spent: Codable, Sendable {
    /// On the wall, in seconds.
    public var seconds = 0.0
    /// Of a processor by this thread alone; worker threads and those of codecs and networks are not in it.
    public var processorSeconds = 0.0
    /// How often it was begun.
    public var count = 0
  }

  /// `main`, or the stage that this thread is mostly for.
  public var thread: String
  /// What it did; everything else is not in it.
  public var stages: [Stage: Spent]
}

/// Measures where time goes, thread by thread, while somebody wants to know: `--timings`.
package final class StageClock: Sendable {
  /// The one of this process.
  package static let shared = StageClock()

  private struct Moment {
    var seconds: Double, processorSeconds: Double

    static var now: Moment { Moment(seconds: time(CLOCK_MONOTONIC), processorSeconds: time(CLOCK_THREAD_CPUTIME_ID)) }

    private static func time(_ clock: clockid_t) -> Double {
      var value = timespec()
      clock_gettime(clock, &value)
      return Double(value.tv_sec) + Double(value.tv_nsec) * 1e-9
    }
  }

  private struct Thread {
    var stack: [Stage] = []
    var last = Moment(seconds: 0, processorSeconds: 0)
    var spent: [Stage: ThreadTimes.Spent] = [:]

    /// The time since the last change belongs to the stage that was on.
    mutating func turn(_ now: Moment) {
      if let stage = stack.last {
        spent[stage, default: .init()].seconds += now.seconds - last.seconds
        spent[stage, default: .init()].processorSeconds += now.processorSeconds - last.processorSeconds
      }
      last = now
    }
  }

  private struct State {
    var threads: [pthread_t: Thread] = [:]
    var main: pthread_t?
  }

  private let isRunning = Atomic(false)
  private let state = Mutex(State())

  package init() {}

  /// Begins; this thread is called `main`.
  package func start() {
    state.withLock { $0 = State(threads: [:], main: pthread_self()) }
    isRunning.store(true, ordering: .releasing)
  }

  /// Ends; what was measured since ``start()``.
  package func stop() -> [ThreadTimes] {
    isRunning.store(false, ordering: .releasing)
    return state.withLock { state in
      let all = state.threads.map { thread, times in
        let busiest = times.spent.filter { $0.key != .waiting }.max { $0.value.seconds < $1.value.seconds }?.key
        return ThreadTimes(
          thread: thread == state.main ? "main" : busiest?.rawValue ?? "other", stages: times.spent)
      }
      return all.sorted { ($0.thread == "main" ? "" : $0.thread) < ($1.thread == "main" ? "" : $1.thread) }
    }
  }

  /// Does what belongs to a stage.
  package func measure<Value, Failure: Error>(
    _ stage: Stage, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard isRunning.load(ordering: .acquiring) else { return try body() }
    let thread = pthread_self()
    state.withLock { state in
      state.threads[thread, default: Thread()].turn(.now)
      state.threads[thread]?.stack.append(stage)
      state.threads[thread]?.spent[stage, default: .init()].count += 1
    }
    defer {
      state.withLock { state in
        state.threads[thread]?.turn(.now)
        _ = state.threads[thread]?.stack.popLast()
      }
    }
    return try body()
  }
}
