import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import Backdrop

/// Results never show areas that the picture's own alpha hides, although the file contains their colours.
@Suite struct AlphaInputTests {
  @Test func hiddenPixelsStayHidden() throws {
    var image = Image(.rgba8, width: 4, height: 2, alpha: .straight)
    for y in 0..<2 {
      var row = image.mutableRow(y)
      for x in 0..<4 { for c in 0..<4 { row[4 * x + c] = c < 3 ? 200 : [0, 51, 255, 255][x] } }
    }
    let scene = Scene(image: image)
    image = scene.image
    let alpha = try #require(scene.alpha)
    #expect(image.alpha == .opaque && scene.pictureWithAlpha.row(0)[7] == 51)
    #expect(scene.flattened.row(0)[0] == 0 && scene.flattened.row(0)[4] == 40 && scene.flattened.row(0)[8] == 200)
    #expect((0..<4).allSatisfy { image.row(0)[4 * $0 + 3] == 255 })
    let matte = Matte(constant: 1, width: 1, height: 1).limited(by: alpha)
    // 51/255 is a fifth.
    #expect(matte.q15.samples == [0, 6554, 32768, 32768, 0, 6554, 32768, 32768])
  }
}
