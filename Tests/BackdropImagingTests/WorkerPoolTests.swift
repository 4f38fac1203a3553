import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import BackdropImaging

@Suite struct WorkerPoolTests {
  /// How often each part ran; each part has its own place, so threads do not interfere.
  private struct Counts {
    var counts: UnsafeMutablePointer<Int>
  }

  private func count(_ pool: WorkerPool, parts: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: max(1, parts))
    counts.withUnsafeMutableBufferPointer { buffer in
      // The buffer has at least one element.
      var job = Counts(counts: buffer.baseAddress!)
      pool.run(parts: parts, &job) { job, part in
        job!.assumingMemoryBound(to: Counts.self).pointee.counts[Int(part)] += 1
      }
    }
    return counts
  }

  @Test(arguments: [1, 2, 3, 5])
  func everyPartRunsOnce(threads: Int) {
    let pool = WorkerPool(threads: threads)
    for round in 0..<300 {
      for parts in [0, 1, 2, threads, 7, 40] {
        let wanted = parts == 0 ? [0] : [Int](repeating: 1, count: parts)
        #expect(count(pool, parts: parts) == wanted, "round \(round), \(parts) parts")
      }
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

  /// A caller that waits for its threads uses no processor time, even if they are busy or other programs keep them from running.
  @Test func waitingTakesNoProcessorTime() {
    let pool = WorkerPool(threads: 2)
    var job = 0
    for round in 0..<5 {
      let before = Self.processorSeconds
      // Each thread takes one part and waits; the first then waits for the other.
      pool.run(parts: 2, &job) { _, part in usleep(part == 0 ? 20_000 : 60_000) }
      let used = Self.processorSeconds - before
      // The wait is 40 ms. The limit is 10 times as long as threads stay awake.
      #expect(used < 0.002, "round \(round): \(used) s")
    }
  }

  /// The processor time of this thread.
  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
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
        pool.run(parts: 8, &job) { job, part in
          let pauses = job!.assumingMemoryBound(to: UnsafeMutablePointer<UInt32>.self).pointee
          usleep(pauses[Int(part)])
          pauses[Int(part)] = .max
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
