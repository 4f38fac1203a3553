import BackdropDepth
import BackdropImaging
import Testing

@testable import BackdropModels

/// Is asked for its identity alone.
private final class NobodysNetwork: PersonSegmenting {
  let small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  let hasMemory = false
  func look(at image: Image, frame: IntegerRect?) {}
  func run(into matte: inout Matte) {}
  func reset() {}
}

@Suite struct OtherOpinionsTests {
  private let whole = IntegerRect(x: 0, y: 0, width: 640, height: 360)

  /// Grey; from a column on as much lighter.
  private func picture(lighterFrom column: Int = 64, by step: UInt8 = 0) -> Image {
    var image = Image(.bgra8, width: 64, height: 64)
    for y in 0..<64 {
      var row = image.mutableRow(y)
      for x in 0..<64 {
        let grey: UInt8 = x < column ? 80 : 80 + step
        (row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]) = (grey, grey, grey, 255)
      }
    }
    return image
  }

  private func matte(_ opacity: Double) -> Matte {
    Matte(constant: opacity, width: 64, height: 64)
  }

  @Test func logarithmsOfOddsAreAveraged() throws {
    let (others, network) = (OtherOpinions(), NobodysNetwork())
    #expect(try others.isDue(picture(), showing: whole, to: network))
    others.add(matte(0.2), of: whole, weight: 0.5)
    let votes = others.testimony(beside: matte(0.8), showing: whole).votes
    // ln 4 and half of −ln 4, by their weights: a third of ln 4, of which the network itself has said ln 4.
    #expect(abs(votes[20, 30] - -2.0 / 3 * 1.3863) < 0.01)
    // Who agrees changes nothing: soft edges stay as soft as they are.
    #expect(abs(others.testimony(beside: matte(0.2), showing: whole).votes[20, 30]) < 0.01)
  }

  @Test func whatWasSaidHoldsWhereThePictureStays() throws {
    let (others, network) = (OtherOpinions(), NobodysNetwork())
    _ = try others.isDue(picture(), showing: whole, to: network)
    others.add(matte(0.2), of: whole, weight: 0.5)
    #expect(try !others.isDue(picture(lighterFrom: 40, by: 40), showing: whole, to: network))
    let votes = others.testimony(beside: matte(0.8), showing: whole).votes
    #expect(votes[20, 30] < -0.9)
    #expect(votes[50, 30] == 0)
  }

  @Test func othersAreAskedNowAndThen() throws {
    let (others, network) = (OtherOpinions(), NobodysNetwork())
    let dues = try (0..<31).filter { _ in try others.isDue(picture(), showing: whole, to: network) }
    #expect(dues == [0, 10, 20, 30])
    // Another network has other mistakes.
    #expect(try others.isDue(picture(), showing: whole, to: NobodysNetwork()))
  }

  @Test func aFrameThatWentElsewhereIsSpokenOfAnew() throws {
    let (others, network) = (OtherOpinions(), NobodysNetwork())
    func frame(_ x: Int) -> IntegerRect { IntegerRect(x: x, y: 0, width: 200, height: 200) }
    let dues = try (0..<4).map { try others.isDue(picture(), showing: frame($0 * 30), to: network) }
    // Of the last one 110 of 200 columns were seen, fewer than 0.6 of them.
    #expect(dues == [true, false, false, true])
  }
}
