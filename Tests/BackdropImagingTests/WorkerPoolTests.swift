import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import BackdropImaging

@Suite struct WorkerPoolTests {
  /// How often each part ran; each part has its own counter, so threads do not interfere.
  private struct Counts {
    var counts: UnsafeMutablePointer<Int>
  }

  private func count(_ pool: WorkerPool, parts: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: max(1, parts))
    counts.withUnsafeMutableBufferPointer { buffer in
      // The buffer has at least one element.
      var job = Counts(counts: buffer.baseAddress!)
      pool.run(parts: parts, &job) { job, part in
        job.counts[part] += 1
      }
    }
    return counts
  }

  @Test(arguments: [1, 2, 3, 5])
  func everyPartRunsOnce(threads: Int) {
    let pool = WorkerPool(threads: threads)
    for (round, parts) in product(0..<300, [0, 1, 2, threads, 7, 40]) {
      let wanted = parts == 0 ? [0] : [Int](repeating: 1, count: parts)
      #expect(count(pool, parts: parts) == wanted, "round \(round), \(parts) parts")
    }
  }

  @Test func threadsSleepAndWakeAndEnd() async throws {
    for _ in 0..<30 {
      let pool = WorkerPool(threads: 3)
      #expect(count(pool, parts: 12) == [Int](repeating: 1, count: 12))
      // Longer than the threads spin.
      try await Task.sleep(for: .milliseconds(2))
      #expect(count(pool, parts: 12) == [Int](repeating: 1, count: 12))
    }
  }

  /// A caller that waits longer for its threads sleeps: the system counts that it gave its processor away.
  @Test func aWaitingCallerSleeps() {
    /// The caller, and whether the other thread has taken its part.
    struct Job {
      let caller = pthread_self()
      let otherHasBegun = UnsafeMutablePointer<Atomic<Bool>>.allocate(capacity: 1)
    }
    let pool = WorkerPool(threads: 2)
    for round in 0..<5 {
      var job = Job()
      job.otherHasBegun.initialize(to: Atomic(false))
      let before = Self.sleepCount
      pool.run(parts: 2, &job) { job, _ in
        if pthread_equal(job.caller, pthread_self()) != 0 {
          // Neither thread takes both parts.
          while !job.otherHasBegun.pointee.load(ordering: .acquiring) { sched_yield() }
        } else {
          job.otherHasBegun.pointee.store(true, ordering: .releasing)
          usleep(60_000)
        }
      }
      #expect(Self.sleepCount > before, "round \(round)")
      job.otherHasBegun.deallocate()
    }
  }

  /// How often this thread gave its processor away by waiting.
  private static var sleepCount: Int {
    let text = FileManager.default.contents(atPath: "/proc/thread-self/status") ?? Data()
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
  }

  /// No round is lost if it ends while the caller goes to sleep, or begins while threads do. The parts take about as long as threads stay
  /// awake.
  @Test(arguments: [2, 3, 4]) func noRoundIsLost(threads: Int) {
    let pool = WorkerPool(threads: threads)
    var random = SeededRandom(seed: 11)
    for round in 0..<400 {
      var pauses = (0..<8).map { _ in UInt32.random(in: 0...160, using: &random) }
      pauses.withUnsafeMutableBufferPointer { buffer in
        var job = buffer.baseAddress!
        pool.run(parts: 8, &job) { pauses, part in
          usleep(pauses[part])
          pauses[part] = .max
        }
      }
      #expect(pauses.allSatisfy { $0 == .max }, "round \(round)")
      usleep(UInt32.random(in: 0...160, using: &random))
    }
  }

  @Test func theNumberOfThreadsIsBounded() {
    #expect(WorkerPool(threads: 0).threadCount == 1)
    #expect(WorkerPool(threads: 1000).threadCount == 64)
  }
}
