import BackdropDepth
import BackdropImaging
import Testing

@testable import BackdropModels

/// Stands in for a network: marks what is bright, at 64×64; and where the picture is wider than `confusedAbove` times its
/// height, its left half too.
private final class BrightnessNetwork: PersonSegmenting {
  let confusedAbove: Double
  private(set) var runs = 0

  init(confusedAbove: Double = .infinity) { self.confusedAbove = confusedAbove }

  private(set) var small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  let hasMemory = false
  private var isConfused = false

  func look(at image: Image, frame: IntegerRect?) throws(BackdropError) {
    let part = frame.map { Rect(x: Double($0.x), y: Double($0.y), width: Double($0.width), height: Double($0.height)) }
    let scaler = try ImageScaler(
      image.format, sourceWidth: image.width, sourceHeight: image.height, region: part, width: 64, height: 64,
      filter: .area)
    small = Image(image.format, width: 64, height: 64)
    try scaler.apply(image, into: &small, scratch: ScratchMemory())
    isConfused = Double(image.width) > confusedAbove * Double(image.height)
  }

  func reset() {}

  func run(into matte: inout Matte) throws(BackdropError) {
    runs += 1
    matte = Matte(constant: 0, width: 64, height: 64)
    for y in 0..<64 {
      for x in 0..<64 where small.row(y)[4 * x] > 128 || (isConfused && x < 32) { matte.q15[x, y] = Matte.one }
    }
  }
}

@Suite struct PortraitTests {
  /// A bright rectangle in the dark.
  private func picture(_ width: Int, _ height: Int, _ x: Range<Int>, _ y: Range<Int>) -> Image {
    var image = Image(.bgra8, width: width, height: height)
    image.fill(.black)
    for row in y {
      var bytes = image.mutableRow(row)
      for column in x { for c in 0..<4 { bytes[4 * column + c] = 255 } }
    }
    return image
  }

  @Test func findsWhatAllAgreeOn() throws {
    let image = picture(640, 400, 300..<420, 120..<380)
    let segmenter = PortraitSegmenter([BrightnessNetwork()], workers: WorkerPool(threads: 1))
    let result = try segmenter.segment(image, longerSide: 640)
    #expect(result.matte.width == 640 && result.matte.height == 400)
    #expect(result.agreement > 0.95)
    // The rectangle's part of the picture, within the network's coarseness.
    #expect(abs(result.matte.coverage - 120 * 260 / (640 * 400)) < 0.02)
    #expect(result.matte[360, 250] > 0.99 && result.matte[100, 250] < 0.01)
  }

  /// On the whole picture the network adds its left half, on the mirror image thus the right half: they contradict each
  /// other, and the frame round what both see is believed.
  @Test func doesNotBelieveWhatContradictsItself() throws {
    let image = picture(640, 300, 280..<360, 60..<280)
    let segmenter = PortraitSegmenter([BrightnessNetwork(confusedAbove: 1.5)], workers: WorkerPool(threads: 1))
    let result = try segmenter.segment(image, longerSide: 320)
    #expect(result.frame.width < 0.5)
    #expect(result.matte[20, 75] < 0.01 && result.matte[300, 75] < 0.01 && result.matte[160, 75] > 0.99)
  }

  /// Networks of one's own serve streams as well.
  @Test func anyNetworkServesAStream() throws {
    let network = BrightnessNetwork()
    let maker = try PersonMatteMaker([network], workers: WorkerPool(threads: 1))
    var matte = Matte(constant: 0, width: 1, height: 1)
    for frame in 0..<4 {
      let x = 200 + 40 * frame
      try maker.update(&matte, from: picture(640, 400, x..<(x + 200), 100..<380), at: Double(frame) / 30)
      #expect(matte[x + 100, 250] > 0.9 && matte[x - 60, 250] < 0.1, "frame \(frame)")
    }
    #expect(network.runs >= 4 && maker.runCount >= 4)
  }

  @Test func nobodyGivesAnEmptyMatte() throws {
    let segmenter = PortraitSegmenter([BrightnessNetwork()], workers: WorkerPool(threads: 1))
    let result = try segmenter.segment(picture(90, 50, 0..<0, 0..<0))
    #expect(result.agreement == 0 && result.matte.coverage == 0)
  }

  @Test(arguments: [(1, 1), (1, 300), (300, 1), (2000, 40)])
  func takesAnySize(_ width: Int, _ height: Int) throws {
    let segmenter = PortraitSegmenter([BrightnessNetwork()], workers: WorkerPool(threads: 1))
    let result = try segmenter.segment(picture(width, height, 0..<width, 0..<height))
    #expect(result.matte.coverage > 0.99)
  }

  @Test func frames() {
    var map = ProbabilityMap(width: 100, height: 50)
    #expect(map.frame(smallestBlob: 0.1) == nil)
    for y in 10..<30 { for x in 20..<60 { map.values[y * 100 + x] = 1 } }
    // A speck, too small to count.
    map.values[45 * 100 + 95] = 1
    #expect(map.frame(smallestBlob: 0.1) == Rect(x: 0.2, y: 0.2, width: 0.4, height: 0.4))
  }
}
