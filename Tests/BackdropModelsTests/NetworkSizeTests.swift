import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

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
    #expect(network.size(for: (1280, 720), maximumPixels: 140_000) == Size(480, 272))
    #expect(network.size(for: (1280, 720), maximumPixels: 100_000) == Size(400, 224))
    #expect(network.size(for: (1280, 720), maximumPixels: 40_000) == Size(256, 144))
    #expect(network.size(for: (480, 640), maximumPixels: 40_000) == Size(144, 192))
    // No size is small enough, so the smallest counts.
    let least = network.sizes.map { $0.width * $0.height }.min()
    let smallest = network.size(for: (1280, 720), maximumPixels: 10)
    #expect(smallest.width * smallest.height == least)
    // A network with a single size.
    #expect(NetworkDescription.selfieGeneral.size(for: (1280, 720), maximumPixels: 10) == Size(256, 256))
  }

  /// The choice skips no larger size of the same shape, and no closer shape.
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

  /// The network's memory, at 1/16 of each side, has whole samples at every size, and each size exists in both orientations.
  @Test func sizesFitTheMemory() {
    let sizes = NetworkDescription.robustVideoMatting.sizes
    #expect(sizes.allSatisfy { $0.width % 16 == 0 && $0.height % 16 == 0 && sizes.contains(Size($0.height, $0.width)) })
    #expect(Set(sizes).count == sizes.count)
  }

  /// Running ahead of time does not change mattes, whether the anticipated picture follows or a different one, after a cut, or at another
  /// size: they equal those of a network that processes one picture after the other.
  @Test(
    .enabled(if: NetworkRuntime.isInstalled, "needs the network runtime: backdrop models install"),
    arguments: 1...20 as ClosedRange<UInt64>)
  func runningAheadChangesNothing(seed: UInt64) throws {
    let folder = TemporaryFolder()
    let description = try Self.adding(in: folder)
    let (plain, ahead) = (try PersonNetwork(description), try PersonNetwork(description))
    var random = SeededRandom(seed: seed)
    func picture() -> Image {
      let isWide = Int.random(in: 0..<8, using: &random) > 0
      var image = Self.picture(isWide ? 320 : 180, isWide ? 180 : 320)
      let value = UInt8.random(in: 0...255, using: &random)
      for y in 0..<image.height {
        var row = image.mutableRow(y)
        for x in stride(from: 0, to: row.count, by: 4) { row[x] = value }
      }
      return image
    }
    var (first, second) = (Matte(constant: 0, width: 1, height: 1), Matte(constant: 0, width: 1, height: 1))
    var image = picture()
    /// The whole picture, explicitly or not, or one of two parts.
    func part(_ image: Image) -> IntegerRect? {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: nil
      case 1: IntegerRect(x: 0, y: 0, width: image.width, height: image.height)
      case 2: IntegerRect(x: 20, y: 10, width: image.width / 2, height: image.height / 2)
      default: IntegerRect(x: 16, y: 8, width: image.width / 2, height: image.height / 2)
      }
    }
    for step in 0..<40 {
      let frame = part(image)
      try plain.load(image, frame: frame)
      try ahead.load(image, frame: frame)
      if Int.random(in: 0..<8, using: &random) == 0 {
        // A cut, detected after the picture was processed.
        plain.reset()
        ahead.reset()
        try plain.load(image, frame: frame)
        try ahead.load(image, frame: frame)
      }
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        try plain.run(into: &first)
        try ahead.run(into: &second)
        #expect(first.q15 == second.q15, "step \(step)")
      }
      #expect(Self.bytes(plain.small) == Self.bytes(ahead.small))
      let next = picture()
      try ahead.anticipate(next, frame: part(next))
      if Int.random(in: 0..<6, using: &random) == 0 { try ahead.anticipate(picture()) }
      image = Int.random(in: 0..<6, using: &random) == 0 ? picture() : next
    }
    // The network is released while it runs.
    try ahead.anticipate(image)
  }

  /// A network's memory belongs to one stream at one size: after another picture or shape it starts again.
  @Test(.enabled(if: NetworkRuntime.isInstalled, "needs the network runtime: backdrop models install"))
  func memoryIsOfOneView() throws {
    let folder = TemporaryFolder()
    let network = try PersonNetwork(try Self.adding(in: folder))
    var matte = Matte(constant: 0, width: 1, height: 1)
    /// The opacity at the centre of the next run's matte.
    func opacity(_ width: Int, _ height: Int) throws -> Double {
      try network.update(&matte, from: Self.picture(width, height))
      #expect(matte.width == network.size.width && matte.height == network.size.height)
      return Double(matte[matte.width / 2, matte.height / 2])
    }
    #expect(abs(try opacity(320, 180) - Self.expected(runs: 1)) < 1e-3)
    #expect(network.size == Size(64, 36))
    #expect(abs(try opacity(320, 180) - Self.expected(runs: 2)) < 1e-3)
    #expect(abs(try opacity(180, 320) - Self.expected(runs: 1)) < 1e-3, "of the other shape it remembers nothing")
    #expect(network.size == Size(36, 64))
    #expect(abs(try opacity(180, 320) - Self.expected(runs: 2)) < 1e-3)
    #expect(abs(try opacity(320, 180) - Self.expected(runs: 1)) < 1e-3, "nor of long ago")
    network.reset()
    #expect(abs(try opacity(320, 180) - Self.expected(runs: 1)) < 1e-3)
  }

  /// Known speeds give the largest size that is fast enough, without a run, or the smallest if none is.
  @Test(.enabled(if: NetworkRuntime.isInstalled, "needs the network runtime: backdrop models install"))
  func sizeKeepsTheRate() throws {
    let folder = TemporaryFolder()
    let description = try Self.adding(in: folder)
    let network = try PersonNetwork(description)
    let path = folder.file("cache/speeds.json")
    var speeds = NetworkSpeeds(path: path)
    for (size, time) in [(Size(64, 36), 40.0), (Size(32, 18), 10.0), (Size(16, 9), 3.0)] {
      speeds.keep(time, of: description, size, threads: 1)
    }
    // Read again, as another program would.
    speeds = NetworkSpeeds(path: path)
    let wide = Self.picture(320, 180)
    for (limit, expected) in [
      (50.0, Size(64, 36)), (40, Size(64, 36)), (39, Size(32, 18)), (5, Size(16, 9)), (1, Size(16, 9)),
    ] {
      let found = try speeds.choose(for: network, wide, within: limit)
      #expect(found.size == expected, "\(limit) ms")
      try network.load(wide)
      #expect(network.size == expected, "\(limit) ms")
    }
    // A faster measurement replaces a slower one, but not the reverse.
    speeds.keep(2, of: description, Size(16, 9), threads: 1)
    speeds.keep(9, of: description, Size(16, 9), threads: 1)
    #expect(NetworkSpeeds(path: path)[description, Size(16, 9), threads: 1] == 2)
    #expect(NetworkSpeeds(path: path)[description, Size(16, 9), threads: 2] == nil)
  }

  /// Unknown speeds are measured and kept, even if the cache is not JSON or not writable.
  @Test(.enabled(if: NetworkRuntime.isInstalled, "needs the network runtime: backdrop models install"))
  func unknownSpeedsAreMeasured() throws {
    let folder = TemporaryFolder()
    let description = try Self.adding(in: folder)
    try folder.write("{]".utf8, "speeds.json")
    for path in [folder.file("speeds.json"), "/proc/speeds.json"] {
      var speeds = NetworkSpeeds(path: path)
      let network = try PersonNetwork(description)
      let found = try speeds.choose(for: network, Self.picture(320, 180), within: 1000)
      #expect(found.size == Size(64, 36) && found.milliseconds > 0)
      #expect(speeds[description, Size(64, 36), threads: 1] == found.milliseconds)
    }
    #expect(NetworkSpeeds(path: folder.file("speeds.json"))[description, Size(64, 36), threads: 1] != nil)
  }

  /// Descriptions in files can have several sizes and states.
  @Test func descriptionsAreRead() throws {
    let folder = TemporaryFolder()
    let file = folder.file("n.json")
    func load(_ more: String) throws -> NetworkDescription {
      try Data("{\"file\": \"n.onnx\", \"width\": 64, \"height\": 36\(more)}".utf8).write(
        to: URL(fileURLWithPath: file))
      return try NetworkDescription.load(file)
    }
    let read = try load(
      """
      , "otherSizes": [{"width": 32, "height": 18}], "precision": "bf16",
      "states": {"a": {"output": "b", "channels": 2, "divisor": 4}}
      """)
    #expect(read.sizes == [Size(64, 36), Size(32, 18)] && read.precision == .bf16)
    #expect(read.states["a"] == NetworkDescription.State(output: "b", channels: 2, divisor: 4))
    #expect(try load("").precision == .f32)
    for wrong in [
      ", \"otherSizes\": [{\"width\": 0, \"height\": 9}]", ", \"precision\": \"f8\"",
      ", \"states\": {\"a\": {\"output\": \"b\", \"channels\": 1, \"divisor\": 0}}",
      ", \"states\": {\"a\": {\"output\": \"b\"}}",
    ] { #expect(throws: BackdropError.self, "\(wrong)") { try load(wrong) } }
  }

  private static func bytes(_ image: Image) -> [UInt8] {
    let row = image.row(image.height / 2)
    return row.indices.map { row[$0] }
  }

  /// Red 0, green one half, blue 1.
  private static func picture(_ width: Int, _ height: Int) -> Image {
    Image.drawn(.rgba8, width, height) { _, _ in [0, 128, 255, 255] }
  }

  /// The probability of the second class after `runs` runs on such a picture: each run adds the picture to the memory, and the sums are
  /// logits.
  private static func expected(runs: Int) -> Double {
    let logits = [0, 128.0 / 255, 1].map { exp(Double(runs) * $0) }
    return logits[1] / logits.reduce(0, +)
  }

  /// A network of several sizes that adds its picture to its memory and returns the sum, as logits of three classes.
  private static func adding(in folder: TemporaryFolder) throws -> NetworkDescription {
    func port(_ id: Int, _ name: String = "") -> String {
      let names = name.isEmpty ? "" : " names=\"\(name)\""
      return "<port id=\"\(id)\" precision=\"FP32\"\(names)><dim>1</dim><dim>3</dim><dim>-1</dim><dim>-1</dim></port>"
    }
    func parameter(_ id: Int, _ name: String) -> String {
      "<layer id=\"\(id)\" name=\"\(name)\" type=\"Parameter\" version=\"opset1\">"
        + "<data shape=\"1,3,?,?\" element_type=\"f32\"/><output>\(port(0, name))</output></layer>"
    }
    let text =
      "<?xml version=\"1.0\"?><net name=\"adding\" version=\"11\"><layers>" + parameter(0, "src")
      + parameter(1, "memory")
      + "<layer id=\"2\" name=\"sum\" type=\"Add\" version=\"opset1\"><data auto_broadcast=\"numpy\"/>"
      + "<input>\(port(0))\(port(1))</input><output>\(port(2, "sum"))</output></layer>"
      + "<layer id=\"3\" name=\"result\" type=\"Result\" version=\"opset1\"><input>\(port(0))</input></layer></layers><edges>"
      + "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
      + "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>"
      + "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/></edges></net>"
    let file = try folder.write(text.utf8, "adding.xml")
    return NetworkDescription(
      id: "adding", summary: "", licence: "", file: file, width: 64, height: 36,
      otherSizes: [Size(32, 18), Size(16, 9), Size(36, 64), Size(18, 32)], layout: .channelHeightWidth, input: "src",
      output: "sum", meaning: .classes(["background", "person", "other"]),
      states: ["memory": NetworkDescription.State(output: "sum", channels: 3, divisor: 1)])
  }
}
