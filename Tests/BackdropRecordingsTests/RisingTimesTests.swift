import Testing

@testable import BackdropRecordings

@Suite struct RisingTimesTests {
  /// The clock is set back, and then some decades ahead; the frames in between are a frame apart.
  @Test func rise() {
    var times = RisingTimes()
    let clock = [100, 100.25, 99, 98, 101, 3e9, 103]
    #expect(clock.map { times.next($0, framesPerSecond: 4) } == [0, 0.25, 0.5, 0.75, 1, 1.25, 3])
  }
}
