import BackdropDepth
import BackdropImaging
import BackdropLive
import TestSupport
import Testing

/// A schedule of samples is written as times; the image's first pixel and the map's first value say which they are.
@Suite struct SynchronizerTests {
  private func picture(_ seconds: Double) -> LiveSample {
    LiveSample(.picture(Image(.gray8, width: 1, height: 1)), seconds: seconds)
  }

  /// The value is the time, so that a joined frame tells whose depth it has.
  private func depth(_ seconds: Double) -> LiveSample {
    LiveSample(
      .depth(DepthMap(metres: Plane(repeating: Float(seconds + 1), width: 1, height: 1))), seconds: seconds)
  }

  private func faces(_ seconds: Double) -> LiveSample { LiveSample(.faces([]), seconds: seconds) }

  private func joinedDepth(_ frame: Frame) -> Double? { frame.depth.map { Double($0.metres[0, 0]) - 1 } }

  @Test func joinsWhatBelongsTogether() throws {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.016))
    joiner.add(depth(0.001))
    #expect(joiner.next(at: 0.001) == nil)
    joiner.add(picture(0.0))
    let first = try #require(joiner.next(at: 0.002))
    #expect(first.seconds == 0)
    #expect(abs((joinedDepth(first.frame) ?? 0) - 0.001) < 1e-6)
    // The picture first, its depth later.
    joiner.add(picture(0.033))
    #expect(joiner.next(at: 0.034) == nil)
    joiner.add(depth(0.040))
    let second = try #require(joiner.next(at: 0.041))
    #expect(abs((joinedDepth(second.frame) ?? 0) - 0.040) < 1e-6)
    #expect(joiner.counts == counts(complete: 2))
  }

  private func counts(
    complete: Int = 0, late: Int = 0, early: Int = 0, dropped: Int = 0, outOfOrder: Int = 0
  ) -> Synchronizer.Counts {
    var counts = Synchronizer.Counts()
    (counts.complete, counts.late, counts.early) = (complete, late, early)
    (counts.dropped, counts.outOfOrder) = (dropped, outOfOrder)
    return counts
  }

  @Test func aPictureWithoutDepthIsGivenUpOnceNoneCanCome() {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.01))
    joiner.add(picture(0))
    #expect(joiner.next(at: 0.01) == nil)
    joiner.add(depth(0.05))
    #expect(joiner.next(at: 0.05) == nil)
    // The depth came before its picture, by more than the tolerance.
    #expect(joiner.counts == counts(early: 1, dropped: 1))
    joiner.add(picture(0.05))
    #expect(joiner.next(at: 0.05)?.seconds == 0.05)
  }

  @Test func aPictureWaitsOnlySoLong() {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.01, patience: 0.1))
    joiner.add(picture(1))
    #expect(joiner.next(at: 1.09) == nil)
    #expect(joiner.counts.dropped == 0)
    #expect(joiner.next(at: 1.11) == nil)
    #expect(joiner.counts.dropped == 1)
    // Too late now.
    joiner.add(depth(0.98))
    #expect(joiner.counts == counts(late: 1, dropped: 1))
  }

  @Test func whatGoesBackInTimeIsRefused() {
    var joiner = Synchronizer(Synchronizer.Rules(wantsDepth: false))
    joiner.add(picture(1))
    joiner.add(picture(1))
    joiner.add(picture(0.5))
    joiner.add(picture(.nan))
    joiner.add(picture(.infinity))
    #expect(joiner.next(at: 1)?.seconds == 1)
    #expect(joiner.next(at: 1) == nil)
    #expect(joiner.counts == counts(complete: 1, outOfOrder: 4))
  }

  @Test func facesJoinToo() {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.01, wantsDepth: false, wantsFaces: true))
    joiner.add(picture(0))
    #expect(joiner.next(at: 0) == nil)
    joiner.add(faces(0.005))
    #expect(joiner.next(at: 0.01) != nil)
  }

  @Test func aWholeFrameGoesOnAndTheNewestWins() {
    var joiner = Synchronizer()
    for seconds in [0.0, 0.033, 0.066] {
      joiner.add(LiveSample(.frame(Frame(image: Image(.gray8, width: 1, height: 1))), seconds: seconds))
    }
    #expect(joiner.next(at: 0.07)?.seconds == 0.066)
    #expect(joiner.counts == counts(complete: 1, dropped: 2))
  }

  /// Random schedules: two streams with jitter, losses, delays and swaps, delivered by a clock of the test's own. Whatever
  /// happens, frames go on in order, with depth of their own moment, and every picture is accounted for.
  @Test(arguments: 0..<200) func schedules(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let tolerance = Double.random(in: 0.002...0.02, using: &random)
    let patience = Double.random(in: 0.02...0.2, using: &random)
    var arrivals: [(at: Double, sample: LiveSample)] = []
    let loss = Double.random(in: 0...0.4, using: &random)
    let delay = Double.random(in: 0...0.15, using: &random)
    let depthPeriod = [1.0 / 30, 1.0 / 15, 1.0 / 60].randomElement(using: &random) ?? 1
    for index in 0..<60 where Double.random(in: 0...1, using: &random) >= loss {
      let time = Double(index) / 30 + Double.random(in: -0.004...0.004, using: &random)
      arrivals.append((time + Double.random(in: 0...delay, using: &random), picture(time)))
    }
    for index in 0..<Int(2 / depthPeriod) where Double.random(in: 0...1, using: &random) >= loss {
      let time = Double(index) * depthPeriod + Double.random(in: -0.004...0.004, using: &random)
      arrivals.append((time + Double.random(in: 0...delay, using: &random), depth(time)))
    }
    arrivals.sort { $0.at < $1.at }
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: tolerance, patience: patience))
    var last = -Double.infinity
    var shown = 0
    let pictures = arrivals.count { if case .picture = $0.sample.content { true } else { false } }
    func drain(_ now: Double) {
      while let (frame, seconds) = joiner.next(at: now) {
        #expect(seconds > last, "seed \(seed)")
        last = seconds
        shown += 1
        // Single precision keeps the time of the depth to a fraction of a microsecond.
        #expect(abs((joinedDepth(frame) ?? .infinity) - seconds) <= tolerance + 1e-6, "seed \(seed)")
      }
    }
    for (at, sample) in arrivals {
      joiner.add(sample)
      drain(at)
    }
    drain(1000)
    let counts = joiner.counts
    #expect(counts.complete == shown, "seed \(seed)")
    #expect(counts.complete + counts.dropped <= pictures, "seed \(seed)")
    #expect(pictures <= counts.complete + counts.dropped + counts.outOfOrder, "seed \(seed)")
  }
}
