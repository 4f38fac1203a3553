import Testing

@testable import BackdropStudio

@Suite struct PaceTests {
  /// Simulates a machine that can do `canDo` tasks a second, where camera frames wait for the pages' pictures.
  private func run(pages: Int, canDo: Double, steps: Int = 400) -> (framesIn: Double, shown: Double, interval: Double) {
    var pace = Pace()
    var framesIn = 30.0, shown = 0.0
    for _ in 0..<steps {
      shown = Double(pages) * min(30, pace.interval > 0 ? 1 / pace.interval : 30)
      framesIn = min(30, max(3, canDo - shown))
      pace.update(framesIn: framesIn, rate: 30, pages: pages)
    }
    return (framesIn, shown, pace.interval)
  }

  @Test(arguments: [2, 4, 12]) func theCameraKeepsItsRate(_ pages: Int) {
    let end = run(pages: pages, canDo: 66)
    #expect(end.framesIn > 25, "\(pages) pages: \(end.framesIn) frames a second")
    #expect(end.shown >= 29.9, "\(pages) pages get \(end.shown) pictures")
  }

  @Test func aSinglePageNeverWaits() {
    for canDo in [10.0, 33, 60] { #expect(run(pages: 1, canDo: canDo).interval == 0) }
  }

  @Test func pagesWaitNoLongerThanTheCameraNeeds() {
    // However slow the camera is, all pages together get the promised number of pictures.
    #expect(abs(run(pages: 4, canDo: 5).shown - 30) < 1e-9)
    #expect(run(pages: 4, canDo: 500).interval == 0)
  }

  @Test func allIsForgottenWhenTheCameraGoesOff() {
    var pace = Pace()
    for _ in 0..<20 { pace.update(framesIn: 10, rate: 30, pages: 4) }
    #expect(pace.interval > 0.13)
    pace.update(framesIn: 0, rate: 30, pages: 4)
    #expect(pace.interval == 0)
  }
}
