import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// A stand-in for a network that marks bright areas, at 64×64. In pictures wider than `confusedAbove` times their height it also marks the
/// left half.
private final class BrightnessNetwork: PersonSegmenting {
  let confusedAbove: Double
  private(set) var runs = 0

  init(confusedAbove: Double = .infinity) { self.confusedAbove = confusedAbove }

  private(set) var small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  let hasMemory = false
  private var isConfused = false

  func load(_ image: Image, frame: IntegerRect?) throws(BackdropError) {
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

/// A stand-in for a network that detects bright areas, and dim areas only in cropped pictures.
private final class NearSightedNetwork: PersonSegmenting {
  private(set) var small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  let hasMemory = false
  private var least = UInt8(220)

  func load(_ image: Image, frame: IntegerRect?) throws(BackdropError) {
    let frame = frame ?? IntegerRect(x: 0, y: 0, width: image.width, height: image.height)
    least = frame.width < image.width ? 128 : 220
    small = try image.cropped(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
      .scaled(toWidth: 64, height: 64, filter: .area)
  }

  func reset() {}

  func run(into matte: inout Matte) throws(BackdropError) {
    matte = Matte(constant: 0, width: 64, height: 64)
    for y in 0..<64 { for x in 0..<64 where small.row(y)[4 * x] > least { matte.q15[x, y] = Matte.one } }
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

  @Test func findsAPerson() throws {
    let image = picture(640, 400, 300..<420, 120..<380)
    let result = try PortraitSegmenter(BrightnessNetwork(), boundedBy: [BrightnessNetwork()]).segment(
      image, longerSide: 640)
    #expect(result.matte.width == 640 && result.matte.height == 400)
    #expect(result.agreement > 0.95)
    // The rectangle's part of the picture, within the network's precision.
    #expect(abs(result.matte.coverage - 120 * 260 / (640 * 400)) < 0.02)
    #expect(result.matte[360, 250] > 0.99 && result.matte[100, 250] < 0.01)
  }

  /// The leader adds the left half of the picture, and the bounds remove it. Nothing is lost that only the bounds see.
  @Test func othersBoundTheLeader() throws {
    let image = picture(640, 300, 280..<360, 60..<280)
    let confused = BrightnessNetwork(confusedAbove: 1.5)
    let alone = try PortraitSegmenter(confused).segment(image, longerSide: 320)
    #expect(alone.matte[20, 75] > 0.99 && alone.agreement == 1)
    let bounded = try PortraitSegmenter(confused, boundedBy: [BrightnessNetwork()]).segment(image, longerSide: 320)
    #expect(bounded.matte[20, 75] < 0.01 && bounded.matte[160, 75] > 0.99)
    // If the bounds are wide, because a network contradicts itself in the mirror image, the leader decides.
    let free = try PortraitSegmenter(BrightnessNetwork(), boundedBy: [confused]).segment(image, longerSide: 320)
    #expect(free.matte[20, 75] < 0.01 && free.matte[160, 75] > 0.99)
  }

  /// The matte is right for a person of every size at every position, also at the picture's borders: the close view and the view of
  /// the whole picture agree where they meet, and neither cuts the person.
  @Test(arguments: [0.05, 0.12, 0.3, 0.6, 0.95], [0.0, 0.37, 1.0])
  func framesHoldEverybody(_ size: Double, _ across: Double) throws {
    for down in [0.0, 0.5, 1.0] {
      let (width, height) = (640, 480)
      let (w, h) = (Int(size * 0.5 * Double(width)), Int(size * Double(height)))
      let (x, y) = (Int(across * Double(width - w)), Int(down * Double(height - h)))
      let image = picture(width, height, x..<(x + w), y..<(y + h))
      let matte = try PortraitSegmenter(BrightnessNetwork(), boundedBy: [BrightnessNetwork()]).segment(image).matte
      var error = 0.0
      for (row, column) in product(0..<height, 0..<width) {
        let isPerson = column >= x && column < x + w && row >= y && row < y + h
        error += abs(matte[column, row] - (isPerson ? 1 : 0))
      }
      // A band of one sample of the whole picture along the outline: 10 by 7.5 pixels.
      #expect(error <= Double(w) * 15 + Double(h) * 20, "\(size) \(across) \(down)")
      #expect(matte[x + w / 2, y + h / 2] > 0.99, "\(size) \(across) \(down)")
    }
  }

  /// Small networks process the whole picture and the frame, each also mirrored; the leader only the frame.
  @Test func smallNetworksRunFirst() throws {
    let image = picture(640, 480, 300..<340, 200..<330)
    let (leader, other) = (BrightnessNetwork(), BrightnessNetwork())
    let result = try PortraitSegmenter(leader, boundedBy: [other]).segment(image)
    #expect(result.frame.width < 0.2 && leader.runs == 1 && other.runs == 4)
    let alone = BrightnessNetwork()
    #expect(try PortraitSegmenter(alone).segment(image).frame == result.frame)
    #expect(alone.runs == 2)
    // For a large person, the view of the whole picture is enough.
    let (first, second) = (BrightnessNetwork(), BrightnessNetwork())
    _ = try PortraitSegmenter(first, boundedBy: [second]).segment(picture(640, 480, 0..<640, 10..<480))
    #expect(first.runs == 1 && second.runs == 2)
  }

  /// If a network sees less of a person in the whole picture than in a close view, its frame grows until it contains the person.
  @Test func framesGrow() throws {
    // Dim legs are visible only in a close view.
    var image = picture(640, 480, 300..<340, 100..<200)
    for row in 200..<330 {
      var bytes = image.mutableRow(row)
      for column in 300..<340 { for c in 0..<3 { bytes[4 * column + c] = 200 } }
    }
    let matte = try PortraitSegmenter(NearSightedNetwork()).segment(image).matte
    #expect(matte[320, 150] > 0.99 && matte[320, 320] > 0.99 && matte[320, 400] < 0.01)
  }

  /// A user's own networks also work for streams.
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
    let segmenter = PortraitSegmenter(BrightnessNetwork())
    let result = try segmenter.segment(picture(90, 50, 0..<0, 0..<0))
    #expect(result.matte.coverage == 0)
  }

  @Test(arguments: [(1, 1), (1, 300), (300, 1), (2000, 40)])
  func takesAnySize(_ width: Int, _ height: Int) throws {
    let segmenter = PortraitSegmenter(BrightnessNetwork())
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
