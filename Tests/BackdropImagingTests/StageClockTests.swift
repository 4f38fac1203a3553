import BackdropImaging
import TestSupport
import Testing

/// The time that each stage of the work takes.
@Suite struct StageClockTests {
  /// Works for at least this long, in this thread's processor time.
  private func work(_ seconds: Double) {
    let end = MonotonicSeconds.now + seconds
    while MonotonicSeconds.now < end {}
  }

  @Test func innerStagesAreNotInTheOuterOnes() throws {
    let clock = StageClock()
    clock.start()
    clock.measure(.refine) {
      work(0.02)
      clock.measure(.network) { work(0.03) }
      clock.measure(.network) { work(0.03) }
    }
    clock.measure(.draw) {}
    let times = clock.stop()
    #expect(times.count == 1)
    let main = try #require(times.first)
    #expect(main.thread == "main")
    #expect(main.stages[.refine]?.count == 1 && main.stages[.network]?.count == 2 && main.stages[.draw]?.count == 1)
    #expect(main.stages[.encode] == nil)
    // A stage has at least the time of its work, and each moment counts once.
    let (refine, network) = (main.stages[.refine]?.seconds ?? 0, main.stages[.network]?.seconds ?? 0)
    #expect(refine >= 0.02 && network >= 0.06)
    #expect((main.stages[.network]?.processorSeconds ?? 1) <= network + 0.01)
  }

  @Test func errorsEndTheirStage() throws {
    struct Wrong: Error {}
    let clock = StageClock()
    clock.start()
    clock.measure(.refine) {
      #expect(throws: Wrong.self) { try clock.measure(.load) { throw Wrong() } }
      work(0.01)
    }
    let stages = try #require(clock.stop().first?.stages)
    #expect(stages[.load]?.count == 1 && (stages[.refine]?.seconds ?? 0) >= 0.01)
  }

  @Test func nothingIsMeasuredUnlessAskedFor() {
    let clock = StageClock()
    #expect(clock.measure(.draw) { 7 } == 7)
    #expect(clock.stop().isEmpty)
  }

  @Test func threadsAreApart() async throws {
    let clock = StageClock()
    clock.start()
    clock.measure(.draw) { work(0.001) }
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      do throws(BackdropError) {
        try DetachedThread.start {
          clock.measure(.waiting) { work(0.005) }
          clock.measure(.decode) { work(0.002) }
          done.resume()
        }
      } catch {
        done.resume(throwing: error)
      }
    }
    let times = clock.stop()
    #expect(times.count == 2)
    // Threads have the name of their own work, not of the work that they wait for.
    #expect(times.contains { $0.thread == "decode" && $0.stages[.waiting]?.count == 1 })
    #expect(times.contains { $0.stages[.draw]?.count == 1 })
  }
}

/// Elapsed time.
private enum MonotonicSeconds {
  private static let start = ContinuousClock.now
  static var now: Double { start.duration(to: .now) / .seconds(1) }
}
