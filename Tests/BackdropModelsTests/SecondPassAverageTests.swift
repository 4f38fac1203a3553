import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// A network that never runs: the tests use only its identity.
private final class NobodysNetwork: PersonSegmenting {
  let small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  let hasMemory = false
  func load(_ image: Image, frame: IntegerRect?) {}
  func run(into matte: inout Matte) {}
  func reset() {}
}

@Suite struct SecondPassAverageTests {
  private let whole = IntegerRect(x: 0, y: 0, width: 640, height: 360)

  /// A grey picture, lighter by `step` from `column` on.
  private func picture(lighterFrom column: Int = 64, by step: Int = 0) -> Image {
    Image.drawn(.bgra8, 64, 64) { x, _ in
      let grey = x < column ? 80 : 80 + step
      return [grey, grey, grey, 255]
    }
  }

  private func matte(_ opacity: Double) -> Matte {
    Matte(constant: opacity, width: 64, height: 64)
  }

  @Test func logarithmsOfOddsAreAveraged() throws {
    let (average, network) = (SecondPassAverage(), NobodysNetwork())
    #expect(try average.isDue(picture(), showing: whole, to: network))
    average.add(matte(0.2), of: whole, weight: 0.5)
    let ratios = average.likelihood(beside: matte(0.8), showing: whole).logLikelihoodRatios
    // The mean of ln 4 and, at half the weight, −ln 4 is ln 4 / 3. Without the network's own ln 4, −2/3 · ln 4 remains.
    #expect(abs(ratios[20, 30] - -2.0 / 3 * 1.3863) < 0.01)
    // Agreement changes nothing: soft edges keep their softness.
    #expect(abs(average.likelihood(beside: matte(0.2), showing: whole).logLikelihoodRatios[20, 30]) < 0.01)
  }

  @Test func resultsHoldWhereThePictureStays() throws {
    let (average, network) = (SecondPassAverage(), NobodysNetwork())
    _ = try average.isDue(picture(), showing: whole, to: network)
    average.add(matte(0.2), of: whole, weight: 0.5)
    #expect(try !average.isDue(picture(lighterFrom: 40, by: 40), showing: whole, to: network))
    let ratios = average.likelihood(beside: matte(0.8), showing: whole).logLikelihoodRatios
    #expect(ratios[20, 30] < -0.9)
    #expect(ratios[50, 30] == 0)
  }

  @Test func otherNetworksRunNowAndThen() throws {
    let (average, network) = (SecondPassAverage(), NobodysNetwork())
    let dues = try (0..<31).filter { _ in try average.isDue(picture(), showing: whole, to: network) }
    #expect(dues == [0, 10, 20, 30])
    // Another network makes other errors.
    #expect(try average.isDue(picture(), showing: whole, to: NobodysNetwork()))
  }

  @Test func aFrameThatMovedIsSeenAnew() throws {
    let (average, network) = (SecondPassAverage(), NobodysNetwork())
    func frame(_ x: Int) -> IntegerRect { IntegerRect(x: x, y: 0, width: 200, height: 200) }
    let dues = try (0..<4).map { try average.isDue(picture(), showing: frame($0 * 30), to: network) }
    // 110 of the last frame's 200 columns were visible before, less than a share of 0.6.
    #expect(dues == [true, false, false, true])
  }
}
