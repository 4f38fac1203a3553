import BackdropImaging
import Testing

@testable import Backdrop

/// Backgrounds at the sizes of frames, each made once.
@Suite struct FittedPictureTests {
  private func made(_ pictures: FittedPictures, _ name: String, _ width: Int, _ height: Int) throws -> Bool {
    var isMade = false
    _ = try pictures.picture(name, width: width, height: height) {
      isMade = true
      return Image(.rgb8, width: 1, height: 1)
    }
    return isMade
  }

  /// Pictures upright and across alternate in a batch.
  @Test func severalSizesAreKept() throws {
    let pictures = FittedPictures()
    for round in 0..<3 {
      for (width, height) in [(4000, 3000), (3000, 4000), (6000, 4000)] {
        #expect(try made(pictures, "scene:dunes", width, height) == (round == 0))
      }
      #expect(try made(pictures, "scene:loft", 64, 48) == (round == 0))
    }
  }

  /// Three bytes for each pixel, at most 160 MB in all: the longest unused go first, and the newest stays whatever its size.
  @Test func memoryIsBounded() throws {
    let pictures = FittedPictures()
    for height in [4000, 4001] { #expect(try made(pictures, "a", 6000, height)) }
    #expect(try !made(pictures, "a", 6000, 4000))
    #expect(try made(pictures, "a", 6000, 4002))
    #expect(try !made(pictures, "a", 6000, 4000))
    #expect(try made(pictures, "a", 6000, 4001))
    #expect(try made(pictures, "a", 20_000, 10_000))
    #expect(try !made(pictures, "a", 20_000, 10_000))
    #expect(try made(pictures, "a", 6000, 4000))
  }

  /// Every way to a scene shares it: an equal picture in other memory would have been scaled again.
  @Test func scenesAreScaledOnceForASize() throws {
    func memory(_ width: Int, _ height: Int) throws -> UnsafeRawPointer? {
      let source = try BackgroundSource(.scenery(.northern), width: width, height: height)
      guard case .picture(let image) = source.initial else { return nil }
      return image.withUnsafeBytes { $0 }
    }
    let first = [try memory(83, 61), try memory(61, 83)]
    #expect(first[0] != nil && first[0] != first[1])
    #expect(try [memory(83, 61), memory(61, 83)] == first)
  }
}
