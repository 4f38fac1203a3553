import BackdropDepth
import BackdropImaging
import BackdropModels
import TestSupport
import Testing

@Suite struct NetworkSizeTests {
  private typealias Size = NetworkDescription.Size

  @Test(arguments: [
    (1280, 720, 512, 288), (720, 1280, 288, 512), (4032, 3024, 448, 336), (3024, 4032, 336, 448),
    (1000, 1000, 384, 384),
    (4000, 1, 512, 288), (1, 4000, 288, 512), (640, 480, 448, 336), (500, 400, 448, 336), (450, 400, 384, 384),
  ])
  func nearestShapeIsChosen(width: Int, height: Int, expectedWidth: Int, expectedHeight: Int) {
    let found = NetworkDescription.robustVideoMatting.size(for: (width, height))
    #expect(found == Size(expectedWidth, expectedHeight))
  }

  @Test func largestThatIsAllowed() {
    let network = NetworkDescription.robustVideoMatting
    #expect(network.size(for: (1280, 720), maximumPixels: 100_000) == Size(384, 216))
    #expect(network.size(for: (1280, 720), maximumPixels: 40_000) == Size(256, 144))
    #expect(network.size(for: (480, 640), maximumPixels: 40_000) == Size(168, 224))
    // None is so small: the smallest of all.
    let least = network.sizes.map { $0.width * $0.height }.min()
    let smallest = network.size(for: (1280, 720), maximumPixels: 10)
    #expect(smallest.width * smallest.height == least)
    // One that has no choice.
    #expect(NetworkDescription.selfieGeneral.size(for: (1280, 720), maximumPixels: 10) == Size(256, 256))
  }

  /// No size of the same shape that is larger was left aside, and no shape that is nearer.
  @Test func everyChoiceIsTheBest() {
    let network = NetworkDescription.robustVideoMatting
    var random = SeededRandom(seed: 3)
    for _ in 0..<500 {
      let picture = (Int.random(in: 1...5000, using: &random), Int.random(in: 1...5000, using: &random))
      let limit = Int.random(in: 40_000...200_000, using: &random)
      let found = network.size(for: picture, maximumPixels: limit)
      func stretch(_ size: Size) -> Double {
        let ratio = Double(size.width * picture.1) / Double(size.height * picture.0)
        return max(ratio, 1 / ratio)
      }
      #expect(found.width * found.height <= limit)
      for other in network.sizes where other.width * other.height <= limit {
        #expect(stretch(found) <= stretch(other) * 1.021)
        if stretch(other) <= stretch(found) / 1.021 { Issue.record("\(other) is nearer to \(picture) than \(found)") }
      }
    }
  }

  /// Its memory is of one size, and of one stream: after another picture, or another shape, it starts anew.
  @Test(.enabled(if: ModelStore().path(of: NetworkDescription.robustVideoMatting.file) != nil, "needs rvm"))
  func memoryIsOfOneView() throws {
    let network = try PersonNetwork.load(.robustVideoMatting)
    network.maximumPixels = 40_000
    let (wide, tall) = (Self.stripes(320, 180), Self.stripes(180, 320))
    var first = Matte(constant: 0, width: 1, height: 1)
    var again = first
    try network.update(&first, from: wide)
    #expect(network.size == Size(256, 144))
    try network.update(&again, from: wide)
    #expect(first.q15.samples != again.q15.samples, "it remembers the first")
    try network.update(&again, from: tall)
    #expect(network.size == Size(144, 256))
    try network.update(&again, from: wide)
    #expect(first.q15.samples == again.q15.samples)
    network.reset()
    try network.update(&again, from: wide)
    #expect(first.q15.samples == again.q15.samples)
  }

  private static func stripes(_ width: Int, _ height: Int) -> Image {
    var image = Image(.bgra8, width: width, height: height)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in row.indices { row[x] = UInt8((x + 3 * y) & 255) }
    }
    return image
  }
}
