import BackdropDepth
import BackdropImaging
import BackdropMatting
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct PhotoLookTests {
  /// The JSON of a user's look with every kind of entry.
  static let own = """
    {"id": "own", "summary": "mine", "parameters":
      [{"name": "focus", "summary": "f", "unit": "", "minimum": 0, "maximum": 1, "default": 0.5}],
     "matte": {"focus": {"focus": "$focus", "slope": 4, "width": 0.1}},
     "motion": {"parameter": "focus", "seconds": 2},
     "layers": [
       {"source": "room", "blur": {"disc": {"radius": 20}}, "grade": [{"exposure": -1}, {"mono": 1}]},
       {"source": "frame", "blur": 3, "opacity": 0.5, "grade": []},
       {"source": "frame", "blur": {"lens": {"aperture": 9, "blades": 6, "bloom": 1}}, "through": "inverse",
        "light": {"height": 0.2, "width": 0.5, "reach": 0.5, "floor": 0}},
       {"source": "frame", "transform": {"copies": {"count": 2, "spacing": 1, "scale": 0.8}}, "through": "matte"},
       {"source": "frame", "transform": {"scale": {"by": 1.2}}, "through": "matte"},
       {"source": "#FF0000", "view": {"orbit": {"shift": 0.01, "phase": 0, "zero": 0.5}}, "through": "matte"}]}
    """

  @Test func aLookOfOnesOwnCanUseEverything() throws {
    let folder = TemporaryFolder()
    let file = folder.file("own.json")
    try Self.own.write(toFile: file, atomically: true, encoding: .utf8)
    let look = try Look.load(file)
    #expect(look.layers.count == 6)
    #expect(look.layers[0].grade == [Grade(.exposure, -1), Grade(.mono, 1)])
    #expect(look.layers[1].blur == 3)
    #expect(look.layers[2].blur == .lens(aperture: 9, blades: 6, bloom: 1))
    #expect(look.needsDisparity && !look.keepsGeometry)
    #expect(look.focusParameter == "focus")
    let again = try JSONDecoder().decode(Look.self, from: JSONEncoder().encode(look))
    #expect(again == look)
  }

  /// A compositor keeps the background that it reconstructed, and reconstructs it again for another frame or matte.
  @Test func aKeptFillChangesNothing() throws {
    let look = try Look.load("big-head")
    let workers = WorkerPool(threads: 2)
    func frame(_ seed: UInt8) -> Image {
      var image = Image(.rgb8, width: 96, height: 64)
      for y in 0..<64 {
        var row = image.mutableRow(y)
        for x in row.indices { row[x] = UInt8(truncatingIfNeeded: x * 3 + y * 5) ^ seed }
      }
      return image
    }
    func subject(_ left: Int) -> Matte {
      var matte = Matte(constant: 0, width: 96, height: 64)
      for y in 12..<64 { for x in left..<left + 24 { matte.q15[x, y] = Matte.one } }
      return matte
    }
    func compositor() throws -> Compositor {
      let made = try Compositor(
        look, settings: try look.settings(["scale": 1.2]), width: 96, height: 64, format: .rgb8, workers: workers)
      made.isStill = true
      return made
    }
    let kept = try compositor()
    let frames = [frame(0), frame(77)]
    for (image, matte, scale) in [
      (frames[0], subject(30), 1.2), (frames[0], subject(30), 1.4), (frames[1], subject(30), 1.4),
      (frames[1], subject(50), 1.4), (frames[0], subject(30), 1.3),
    ] {
      let settings = try look.settings(["scale": scale])
      var (drawn, fresh) = (
        Image(.rgb8, width: 96 * look.widthFactor, height: 64), Image(.rgb8, width: 96 * look.widthFactor, height: 64)
      )
      try kept.change(to: settings)
      try kept.render(image, matte: matte, into: &drawn)
      let other = try compositor()
      try other.change(to: settings)
      try other.render(image, matte: matte, into: &fresh)
      for y in 0..<64 {
        let (a, b) = (drawn.row(y), fresh.row(y))
        #expect(a.indices.allSatisfy { a[$0] == b[$0] }, "row \(y)")
      }
    }
  }

  @Test(arguments: [
    ("\"mono\": 1", "\"mono\": 2", "mono"), ("\"mono\": 1", "\"moon\": 1", "expected an object with one of"),
    ("\"count\": 2", "\"count\": 2000", "rows"), ("\"opacity\": 0.5", "\"opacity\": 5", "opacity"),
    ("\"radius\": 20", "\"raduis\": 20", "radius"), ("\"seconds\": 2", "\"seconds\": 0", "moves for"),
    ("{\"parameter\": \"focus\"", "{\"parameter\": \"fokus\"", "fokus"),
    ("{\"focus\": {\"focus\": \"$focus\", \"slope\": 4, \"width\": 0.1}}", "{\"subject\": {\"feather\": 1}}", "lens"),
    ("\"slope\": 4", "\"slope\": 0", "slope"), ("\"by\": 1.2", "\"by\": 100", "scale"),
    ("\"shift\": 0.01", "\"shift\": 1", "shift"), ("\"floor\": 0}", "\"floor\": 0, \"colour\": 1}", "colour"),
  ])
  func nonsenseIsNamed(wrong: String, with text: String, complaint: String) throws {
    let folder = TemporaryFolder()
    let file = folder.file("own.json")
    let changed = Self.own.replacing(wrong, with: text)
    #expect(changed != Self.own)
    try changed.write(toFile: file, atomically: true, encoding: .utf8)
    let error = refusal { try Look.load(file) }
    #expect(error?.message.contains(complaint) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\n") == false)
  }

  /// A second implementation of the formulas from the tutorial "Image Depth Maps" and the peers' script.
  @Test(arguments: [(0.0, 4.0, 0.1), (0.5, 4, 0.1), (0.75, 2, 0), (1, 10, 0.3)])
  func focusMasksFollowTheFormulas(focus: Double, slope: Double, width: Double) {
    let mask = FocusMask(focus: focus, slope: slope, width: width)
    for step in 0...100 {
      let d = Double(step) / 100
      let filter = 2 / slope + width
      let (b1, b2) = (-slope * (focus - filter / 2), slope * (focus + filter / 2))
      let wanted = min(min(max(slope * d + b1, 0), 1), min(max(-slope * d + b2, 0), 1))
      #expect(abs(mask.opacity(at: d) - wanted) < 1e-12)
    }
    #expect(mask.opacity(at: focus) == 1)
    #expect(mask.opacity(at: .nan) == 0)
  }

  /// The kernel and the formula, at odd widths and with NaN.
  @Test(arguments: CPULevel.supported) func focusMattesFollowTheMask(level: CPULevel) {
    var random = SeededRandom(seed: 8)
    let mask = FocusMask(focus: 0.6, slope: 3.7, width: 0.13)
    for width in [1, 2, 3, 7, 8, 15, 16, 17, 33, 100] {
      let map = Plane<Float>(width: width, height: 3) { x, y in
        (x + y) % 5 != 4 ? .random(in: -0.2...1.2, using: &random) : .nan
      }
      let matte = mask.matte(of: NormalizedDisparity(values: map), cpu: level)
      for (y, x) in product(0..<3, 0..<width) {
        #expect(
          abs(matte[x, y] - mask.opacity(at: Double(map[x, y]))) <= 0.5001 / 32768, "seed 8, \(width), \(level)")
      }
    }
  }

  @Test func defocusIsSigned() {
    let map = Plane<Float>([0, 0.5, 1, .nan], width: 4, height: 1)
    let defocus = FocusMask(focus: 0.5, slope: 4, width: 0.1).defocus(of: NormalizedDisparity(values: map))
    #expect(defocus.samples[0] == 1 && defocus.samples[1] == 0 && defocus.samples[2] == -1)
    #expect(abs(defocus.samples[3]) == 1)
  }

  /// Ten columns of rising disparity: at 60 % the last four are in front. Closing fills a hole of one pixel.
  @Test func histogramMasksCutAtThePercentile() throws {
    var map = Plane<Float>(width: 10, height: 8) { x, _ in Float(x) / 9 }
    let mask = try HistogramMask(percentile: 60).matte(of: NormalizedDisparity(values: map))
    #expect((0..<10).map { mask[$0, 3] } == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    map[8, 4] = 0
    #expect(try HistogramMask(percentile: 60).matte(of: NormalizedDisparity(values: map))[8, 4] == 0)
    #expect(try HistogramMask(percentile: 60, closeRadius: 1).matte(of: NormalizedDisparity(values: map))[8, 4] == 1)
    let soft = try HistogramMask(percentile: 60, featherSigma: 1).matte(of: NormalizedDisparity(values: map))
    #expect(soft[5, 0] > 0 && soft[5, 0] < 0.5 && soft[6, 0] < 1 && soft[6, 0] > 0.5)
    #expect(try HistogramMask(percentile: 100).matte(of: NormalizedDisparity(values: map)).coverage == 0)
  }

  /// Two groups of values: the lower one is background.
  @Test func theSeparatingPercentilePartsTwoGroups() {
    let map = Plane<Float>(width: 10, height: 10) { x, _ in x >= 7 ? 0.8 : 0.2 }
    #expect(HistogramMask.separating(NormalizedDisparity(values: map)) == 70)
    #expect(HistogramMask.separating(NormalizedDisparity(values: Plane(repeating: .nan, width: 3, height: 3))) == 50)
  }

  /// A user's look may allow fewer values than the scene provides.
  @Test func automaticValuesStayInTheParametersRange() throws {
    let look = Look(
      id: "near", summary: "The near part.",
      parameters: [
        Parameter("focus", "The distance", unit: "", in: 0.25...0.5, default: 0.3, automatic: "subject")
      ],
      matte: .subject(feather: 0),
      layers: [Look.Layer(.frame, blur: .disc(radius: .parameter("focus")))])
    let settings = try look.settings()
    for (scene, expected) in [(0.1, 0.25), (0.4, 0.4), (0.9, 0.5)] {
      #expect(settings.following(.subject, at: scene)[.parameter("focus")] == expected)
    }
    #expect(try look.settings(["focus": 0.3]).following(.subject, at: 0.4)[.parameter("focus")] == 0.3)
  }

  @Test func hazeFollowsTheLawOfBeerAndLambert() {
    let map = Plane<Float>([1, 0.75, 0.5, 0], width: 4, height: 1)
    let haze = HazeMask(density: 2, start: 0.25).matte(of: NormalizedDisparity(values: map))
    for (x, distance) in [0, 0, 1.0 / 3, 1].enumerated() {
      #expect(abs(haze[x, 0] - (1 - exp(-2 * distance))) < 1e-4)
    }
  }

  @Test func subjectsAreFound() {
    var plane = Plane<UInt16>(repeating: 0, width: 100, height: 50)
    for y in 10..<40 { for x in 20..<60 { plane[x, y] = 32768 } }
    plane[99, 0] = 32768
    let box = SubjectBox(Matte(q15: plane))
    #expect(box?.left == 0.2 && box?.right == 0.6 && box?.top == 0.2 && box?.bottom == 0.8)
    #expect(box?.isCutOff == false)
    #expect(abs((box?.foot ?? 0) - 0.4) < 1e-9)
    #expect(SubjectBox(Matte(constant: 0.4, width: 9, height: 9)) == nil)
    #expect(SubjectBox(Matte(constant: 1, width: 1, height: 1))?.isCutOff == true)
  }

  /// The farthest row comes first, the subject last; on level ground all heads are at the same height.
  @Test func copiesComeInPaintersOrder() throws {
    var plane = Plane<UInt16>(repeating: 0, width: 100, height: 100)
    for y in 20..<80 { for x in 40..<60 { plane[x, y] = 32768 } }
    let subject = try #require(SubjectBox(Matte(q15: plane)))
    let look = Look.marching
    let settings = try look.settings(["count": 2, "spacing": 1, "scale": 0.5])
    let transform = try #require(look.layers[1].transform)
    guard case .copies = transform else {
      Issue.record("\(transform)")
      return
    }
    let placements = Compositor.placements(transform, settings, subject, width: 100, height: 100)
    #expect(placements.map(\.scale) == [0.25, 0.25, 0.25, 0.5, 0.5, 1])
    #expect(placements.last.map { $0.toX == $0.fromX && $0.toY == $0.fromY } == true)
    let heights = Set(placements.map { ($0.toY + (20 + 3.6 - $0.fromY) * $0.scale).rounded() })
    #expect(heights.count == 1)
    #expect(placements[3].toX < placements[5].toX && placements[4].toX > placements[5].toX)
  }

  /// A red square on grey, halved in size: its base stays, its sides move, and the fill covers where it was.
  @Test(arguments: [PixelFormat.rgb8, .bgra8])
  func theSubjectIsScaledAboutItsBase(format: PixelFormat) throws {
    let (width, height) = (120, 100)
    let red = RGBColor(red: 1, green: 0, blue: 0)
    var frame = Image(RGBColor(red: 0.5, green: 0.5, blue: 0.5), format, width: width, height: height)
    let inside = Image(red, format, width: width, height: height)
    var plane = Plane<UInt16>(repeating: 0, width: width, height: height)
    for y in 40..<70 { for x in 50..<70 { plane[x, y] = 32768 } }
    frame = try inside.blended(over: frame, mask: plane)
    let compositor = try Compositor(
      .bigHead, settings: try Look.bigHead.settings(["scale": 0.5, "blur": 0, "pop": 0]), width: width, height: height,
      format: format, workers: WorkerPool(threads: 1))
    compositor.estimatesForeground = true
    var output = Image(format, width: width, height: height)
    try compositor.render(frame, matte: Matte(q15: plane), into: &output)
    let rgb = output.converted(to: .rgb8)
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { (0..<3).map { rgb.row(y)[3 * x + $0] } }
    // 30 rows become 15 above row 70, 20 columns become 10 around column 60.
    #expect(pixel(60, 66) == [255, 0, 0] && pixel(57, 58) == [255, 0, 0])
    #expect(pixel(60, 48) == [128, 128, 128] && pixel(52, 66) == [128, 128, 128])
  }

  /// Every look draws a picture of its declared size.
  @Test(arguments: Look.builtIn)
  func everyLookDraws(look: Look) throws {
    var random = SeededRandom(seed: 31)
    let frame = Image.noise(.rgb8, 96, 64, &random)
    let disparity = Plane<Float>(width: 24, height: 16) { x, _ in Float(x) / 23 }
    let settings = try look.settings()
    let matte =
      try look.matte(settings, from: NormalizedDisparity(values: disparity))
      ?? PaintTests.matte(width: 24, height: 16, &random)
    let compositor = try Compositor(
      look, settings: settings, width: 96, height: 64, format: .rgb8, workers: WorkerPool(threads: 2))
    compositor.estimatesForeground = true
    var output = Image(.rgb8, width: 1, height: 1)
    try compositor.render(frame, matte: matte, disparity: NormalizedDisparity(values: disparity), into: &output)
    #expect(output.width == 96 * look.widthFactor && output.height == 64)
    if look.needsDisparity {
      #expect(throws: BackdropError.self) { try compositor.render(frame, matte: matte, into: &output) }
    }
  }

  /// A room of soft noise with a darker subject in front of it, and the disparity of both.
  static func scene(_ width: Int, _ height: Int) throws -> (frame: Image, matte: Matte, disparity: Plane<Float>) {
    var random = SeededRandom(seed: 5)
    let behind = try Image.noise(.rgb8, width, height, &random).blurred(sigma: 6)
    let subject = try Image.noise(.rgb8, width, height, &random).blurred(sigma: 3)
    var plane = Plane<UInt16>(repeating: 0, width: width, height: height)
    var disparity = Plane<Float>(repeating: 0.2, width: width / 2, height: height / 2)
    for (y, x) in product(0..<height, 0..<width) {
      let away = hypot(Double(x - width / 2) / 0.8, Double(y - height / 2)) - Double(height) / 4
      plane[x, y] = UInt16(min(max(0.5 - away / 6, 0), 1) * 32768)
      if x % 2 == 0 && y % 2 == 0 && away < 0 { disparity[x / 2, y / 2] = 0.85 }
    }
    var dark = subject
    for y in 0..<height {
      var row = dark.mutableRow(y)
      for x in row.indices { row[x] /= 3 }
    }
    return (try dark.blended(over: behind, mask: plane), Matte(q15: plane), disparity)
  }

  /// Blurring the real background in place gives the same result as with separate pictures.
  @Test(arguments: [Background.blur(sigma: 9), .blur(sigma: 2), .bokeh(radius: 3), .bokeh(radius: 12)])
  func largeBackgroundsBlurTheSame(background: Background) throws {
    let scene = try Self.scene(240, 500)
    var results: [Image] = []
    for largest in [Int.max, 0] {
      let compositor = try Compositor(
        .backdrop, width: 240, height: 500, format: .rgb8, workers: WorkerPool(threads: 2))
      try compositor.setBackground(background)
      compositor.estimatesForeground = true
      compositor.largestWhole = largest
      var output = Image(.rgb8, width: 1, height: 1)
      try compositor.render(scene.frame, matte: scene.matte, into: &output)
      results.append(output)
    }
    let differences = zip(results[0].packedBytes, results[1].packedBytes).map { abs(Int($0) - Int($1)) }
    #expect(differences.max() ?? 0 <= 1)
    #expect(differences.count { $0 != 0 } * 100 <= differences.count)
  }

  /// The drawing that saves memory for large photos gives almost the same result.
  @Test(arguments: Look.builtIn.filter { $0.matteSource != .depth }, [(240, 180), (131, 203)])
  func largePhotosLookTheSame(look: Look, size: (Int, Int)) throws {
    let scene = try Self.scene(size.0, size.1)
    var given: [String: Double] = [:]
    // Radii are for pictures 4032 pixels wide.
    for parameter in look.parameters where parameter.unit == "px at 12 MP" { given[parameter.name] = 120 }
    let settings = try look.settings(given)
    let matte = try look.matte(settings, from: NormalizedDisparity(values: scene.disparity)) ?? scene.matte
    var results: [Image] = []
    for largest in [Int.max, 0] {
      let compositor = try Compositor(
        look, settings: settings, width: size.0, height: size.1, format: .rgb8, workers: WorkerPool(threads: 2))
      // Large photos have no texture behind the subject, which it would show.
      compositor.isStill = look != .bigHead
      compositor.estimatesForeground = true
      compositor.largestWhole = largest
      var output = Image(.rgb8, width: 1, height: 1)
      try compositor.render(
        scene.frame, matte: matte, disparity: NormalizedDisparity(values: scene.disparity), into: &output)
      results.append(output)
    }
    let differences = zip(results[0].packedBytes, results[1].packedBytes).map { Double($0) - Double($1) }
    let mean = differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)
    // Looks drawn in bands are equal except for rounding; viewpoints and lenses calculate edges at half the size.
    let least = look.needsDisparity ? 36.0 : 60
    #expect(10 * log10(255 * 255 / max(mean, 1e-9)) > least, "\(look.id): \(mean)")
  }
}
