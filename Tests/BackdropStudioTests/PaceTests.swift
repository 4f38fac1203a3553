import Testing

@testable import BackdropStudio

@Suite struct PaceTests {
  /// A machine that can do 40 things a second: frames of the camera first wait for pictures of the pages.
  @Test(arguments: [1, 4, 12]) func theCameraKeepsItsRate(_ pages: Int) {
    var pace = Pace()
    var framesIn = 30.0, shown = 0.0
    for step in 0..<400 {
      let wanted = Double(pages) * min(30, pace.interval > 0 ? 1 / pace.interval : 30)
      // The first seconds nobody looks.
      shown = step < 10 ? 0 : wanted
      framesIn = min(30, max(3, 60 - shown))
      pace.update(framesIn: framesIn)
    }
    #expect(framesIn > 24, "\(pages) pages: \(framesIn) frames a second")
    #expect(pages > 1 || pace.interval == 0)
    #expect(shown >= 20, "\(pages) pages get \(shown) pictures")
  }

  @Test func anotherCameraMayBeSlower() {
    var pace = Pace()
    for _ in 0..<20 { pace.update(framesIn: 60) }
    for _ in 0..<20 { pace.update(framesIn: 0) }
    #expect(pace.interval == 0)
    for _ in 0..<3000 { pace.update(framesIn: 15) }
    #expect(pace.interval == 0)
  }
}
