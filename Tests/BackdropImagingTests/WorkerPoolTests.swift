import Testing

@testable import BackdropImaging

@Suite struct WorkerPoolTests {
  /// How often each part ran; each part has its own place, so threads do not meet.
  private struct Counts {
    var counts: UnsafeMutablePointer<Int>
  }

  private func count(_ pool: WorkerPool, parts: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: max(1, parts))
    counts.withUnsafeMutableBufferPointer { buffer in
      // There is at least one place.
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

  @Test func theNumberOfThreadsIsBounded() {
    #expect(WorkerPool(threads: 0).threadCount == 1)
    #expect(WorkerPool(threads: 1000).threadCount == 64)
  }
}
