import Libc
import Synchronization

/// The parts of a job's time.
package enum Stage: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  /// Reading and decoding the next scene.
  case decode
  /// Loading networks, and compiling those that are not in the cache.
  case load
  case network
  /// Making mattes from networks and depth: refinement, smoothing, fusion.
  case refine
  case draw
  /// Encoding and writing.
  case encode
  /// Waiting for another thread of the job.
  case waiting
}

package struct ThreadTimes: Codable, Sendable {
  /// Time of a stage, without nested stages.
  package struct Spent: Codable, Sendable {
    /// Wall-clock time, in seconds.
    package var seconds = 0.0
    /// Processor time of this thread alone, without worker threads and those of codecs and networks.
    package var processorSeconds = 0.0
    /// The number of times it began.
    package var count = 0
  }

  /// `main`, or the stage that took most of this thread's time.
  package var thread: String
  /// Its measured stages, without other work.
  package var stages: [Stage: Spent]
}

/// Measures time by thread, while requested: `--timings`.
package final class StageClock: Sendable {
  package static let shared = StageClock()

  private struct Moment {
    var seconds: Double, processorSeconds: Double

    static var now: Moment {
      Moment(
        seconds: StageClock.seconds(of: CLOCK_MONOTONIC),
        processorSeconds: StageClock.seconds(of: CLOCK_THREAD_CPUTIME_ID))
    }
  }

  package static func seconds(of clock: clockid_t) -> Double {
    var value = timespec()
    clock_gettime(clock, &value)
    return Double(value.tv_sec) + Double(value.tv_nsec) / 1e9
  }

  private struct Thread {
    var stack: [Stage] = []
    var last = Moment(seconds: 0, processorSeconds: 0)
    var spent: [Stage: ThreadTimes.Spent] = [:]

    /// Adds the time since the last change to the active stage.
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

  /// Starts; this thread is called `main`.
  package func start() {
    state.withLock { $0 = State(threads: [:], main: pthread_self()) }
    isRunning.store(true, ordering: .releasing)
  }

  package func stop() -> [ThreadTimes] {
    isRunning.store(false, ordering: .releasing)
    return state.withLock { state in
      let all = state.threads.map { thread, times in
        let busiest = times.spent.filter { $0.key != .waiting }.max { $0.value.seconds < $1.value.seconds }?.key
        return ThreadTimes(thread: thread == state.main ? "main" : busiest?.rawValue ?? "other", stages: times.spent)
      }
      return all.sorted { ($0.thread == "main" ? "" : $0.thread) < ($1.thread == "main" ? "" : $1.thread) }
    }
  }

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
