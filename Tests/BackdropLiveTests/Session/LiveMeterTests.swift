import Testing

@testable import BackdropLive

/// Rates and latencies over the last two seconds.
@Suite struct LiveMeterTests {
  private func status(_ meter: inout LiveMeter, at now: Double) -> LiveStatus {
    var status = LiveStatus()
    meter.fill(&status, now: now)
    return status
  }

  @Test func ratesFallAfterAStop() {
    var meter = LiveMeter()
    #expect(status(&meter, at: 0).framesIn == 0)
    for index in 0...90 { meter.frameCame(Double(index) / 30) }
    #expect(status(&meter, at: 3).framesIn == 30)
    // A second later, half of the pictures of the last two seconds are missing.
    #expect((14...16).contains(status(&meter, at: 4).framesIn))
    #expect(status(&meter, at: 6).framesIn == 0)
    meter.frameCame(7)
    #expect(status(&meter, at: 7).framesIn == 0)
    meter.frameCame(7)
    #expect(status(&meter, at: 7).framesIn == 0)
  }

  @Test func latencies() {
    var meter = LiveMeter()
    for index in 0..<100 {
      meter.pictureWent(10 + Double(index) / 100, taken: 10 + Double(index) / 100 - Double(index) / 1000)
    }
    meter.pictureWent(11, taken: nil)
    var found = status(&meter, at: 11)
    #expect(found.latency50 == 50 && found.latency95 == 95 && (98...102).contains(found.framesOut))
    // Later pictures replace those of more than two seconds ago.
    for index in 0..<10 { meter.pictureWent(14 + Double(index) / 100, taken: 14 + Double(index) / 100 - 0.007) }
    found = status(&meter, at: 14.1)
    #expect(found.latency50 == 7 && found.latency95 == 7)
    #expect(status(&meter, at: 20).latency50 == 0)
  }
}
