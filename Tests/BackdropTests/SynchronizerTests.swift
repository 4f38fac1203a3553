import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import Backdrop

/// Schedules of samples, given as times; the image's first pixel and the map's first value identify each sample.
@Suite struct SynchronizerTests {
  private func picture(_ seconds: Double) -> LiveSample {
    LiveSample(.picture(Image(.gray8, width: 1, height: 1)), seconds: seconds)
  }

  /// A depth sample whose value is its time, so a joined frame reveals its depth sample.
  private func depth(_ seconds: Double) -> LiveSample {
    LiveSample(
      .depth(DepthMap(metres: Plane(repeating: Float(seconds + 1), width: 1, height: 1))), seconds: seconds)
  }

  private func joinedDepth(_ frame: Scene) -> Double? { frame.depth.map { Double($0.metres[0, 0]) - 1 } }

  @Test func joinsWhatBelongsTogether() throws {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.016))
    joiner.add(depth(0.001))
    let joined3 = joiner.next(at: 0.001)
    #expect(joined3 == nil)
    joiner.add(picture(0.0))
    let joined1 = joiner.next(at: 0.002)
    let first = try #require(joined1)
    #expect(first.seconds == 0)
    #expect(abs((joinedDepth(first.frame) ?? 0) - 0.001) < 1e-6)
    // A picture before its depth.
    joiner.add(picture(0.033))
    let joined4 = joiner.next(at: 0.034)
    #expect(joined4 == nil)
    joiner.add(depth(0.040))
    let joined2 = joiner.next(at: 0.041)
    let second = try #require(joined2)
    #expect(abs((joinedDepth(second.frame) ?? 0) - 0.040) < 1e-6)
    #expect(joiner.counts == tally(complete: 2))
  }

  private func tally(
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
    let joined5 = joiner.next(at: 0.01)
    #expect(joined5 == nil)
    joiner.add(depth(0.05))
    let joined6 = joiner.next(at: 0.05)
    #expect(joined6 == nil)
    #expect(joiner.counts == tally(dropped: 1))
    joiner.add(picture(0.05))
    let joined7 = joiner.next(at: 0.05)
    #expect(joined7?.seconds == 0.05)
  }

  @Test func depthWhosePictureNeverComesIsCounted() {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.01))
    for seconds in [0.0, 0.033, 0.066] { joiner.add(depth(seconds)) }
    joiner.add(picture(0.066))
    let frame = joiner.next(at: 0.07)
    #expect(frame?.seconds == 0.066)
    #expect(joiner.counts == tally(complete: 1, early: 2))
  }

  @Test func aPictureWaitsOnlySoLong() {
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: 0.01, timeout: 0.1))
    joiner.add(picture(1))
    let joined8 = joiner.next(at: 1.09)
    #expect(joined8 == nil)
    #expect(joiner.counts.dropped == 0)
    let joined9 = joiner.next(at: 1.11)
    #expect(joined9 == nil)
    #expect(joiner.counts.dropped == 1)
    // This sample is too late.
    joiner.add(depth(0.98))
    #expect(joiner.counts == tally(late: 1, dropped: 1))
  }

  @Test func whatGoesBackInTimeIsRefused() {
    var joiner = Synchronizer(Synchronizer.Rules(wantsDepth: false))
    joiner.add(picture(1))
    joiner.add(picture(1))
    joiner.add(picture(0.5))
    joiner.add(picture(.nan))
    joiner.add(picture(.infinity))
    let joined10 = joiner.next(at: 1)
    #expect(joined10?.seconds == 1)
    let joined11 = joiner.next(at: 1)
    #expect(joined11 == nil)
    #expect(joiner.counts == tally(complete: 1, outOfOrder: 4))
  }

  /// An empty list would mean that the picture has no face, and nothing would look for one.
  @Test(arguments: [false, true]) func facesOfJoinedPicturesAreUnknown(hasDepth: Bool) throws {
    var joiner = Synchronizer(Synchronizer.Rules(wantsDepth: hasDepth))
    joiner.add(picture(0))
    if hasDepth { joiner.add(depth(0)) }
    let joined12 = joiner.next(at: 0)
    let frame = try #require(joined12).frame
    #expect(frame.faces == nil)
  }

  @Test func aWholeFrameGoesOnAndTheNewestWins() {
    var joiner = Synchronizer()
    for seconds in [0.0, 0.033, 0.066] {
      joiner.add(LiveSample(.frame(Scene(image: Image(.gray8, width: 1, height: 1))), seconds: seconds))
    }
    let joined14 = joiner.next(at: 0.07)
    #expect(joined14?.seconds == 0.066)
    #expect(joiner.counts == tally(complete: 1, dropped: 2))
  }

  /// Random schedules: two streams with jitter, losses, delays and swaps, delivered by the test's own clock. Frames always arrive in order,
  /// with depth of their own time, and the counts include every picture.
  @Test(arguments: 0..<200) func schedules(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let tolerance = Double.random(in: 0.002...0.02, using: &random)
    let timeout = Double.random(in: 0.02...0.2, using: &random)
    var arrivals: [(at: Double, sample: LiveSample)] = []
    let loss = Double.random(in: 0...0.4, using: &random)
    let delay = Double.random(in: 0...0.15, using: &random)
    let periods: [Double] = [1.0 / 30, 1.0 / 15, 1.0 / 60]
    let depthPeriod = periods[seed % periods.count]
    for index in 0..<60 where Double.random(in: 0...1, using: &random) >= loss {
      let time = Double(index) / 30 + Double.random(in: -0.004...0.004, using: &random)
      arrivals.append((time + Double.random(in: 0...delay, using: &random), picture(time)))
    }
    for index in 0..<Int(2 / depthPeriod) where Double.random(in: 0...1, using: &random) >= loss {
      let time = Double(index) * depthPeriod + Double.random(in: -0.004...0.004, using: &random)
      arrivals.append((time + Double.random(in: 0...delay, using: &random), depth(time)))
    }
    arrivals.sort { $0.at < $1.at }
    var joiner = Synchronizer(Synchronizer.Rules(tolerance: tolerance, timeout: timeout))
    var last = -Double.infinity
    var shown = 0
    let pictures = arrivals.count { if case .picture = $0.sample.content { true } else { false } }
    func drain(_ now: Double) {
      while let (frame, seconds) = joiner.next(at: now) {
        #expect(seconds > last, "seed \(seed)")
        last = seconds
        shown += 1
        // Single precision preserves the time of the depth to a fraction of a microsecond.
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
