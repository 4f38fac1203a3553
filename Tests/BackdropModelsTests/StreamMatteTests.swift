import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// A stand-in for a network that takes areas with more red than green for a person. Its memory makes it more certain with every run: 1/2,
/// 3/4, 7/8.
private final class RedNetwork: PersonSegmenting {
  let hasMemory: Bool
  private(set) var small = Image(.bgra8, width: 64, height: 64)
  let isAveraged = true
  private(set) var runs = 0, resets = 0
  private var remembered = 0

  init(hasMemory: Bool = false) { self.hasMemory = hasMemory }

  func load(_ image: Image, frame: IntegerRect?) throws(BackdropError) {
    let part = frame.map { Rect(x: Double($0.x), y: Double($0.y), width: Double($0.width), height: Double($0.height)) }
    let scaler = try ImageScaler(
      image.format, sourceWidth: image.width, sourceHeight: image.height, region: part, width: 64, height: 64,
      filter: .area)
    small = Image(image.format, width: 64, height: 64)
    try scaler.apply(image, into: &small, scratch: ScratchMemory())
  }

  func reset() {
    remembered = 0
    resets += 1
  }

  func run(into matte: inout Matte) throws(BackdropError) {
    runs += 1
    remembered += 1
    let opacity = hasMemory ? Matte.one - Matte.one >> min(remembered, 15) : Matte.one
    matte = Matte(constant: 0, width: 64, height: 64)
    for y in 0..<64 {
      let row = small.row(y)
      for x in 0..<64 where Int(row[4 * x + 2]) > Int(row[4 * x + 1]) + 40 { matte.q15[x, y] = opacity }
    }
  }
}

/// A stream's mattes from the first to the last, with networks whose results are known.
@Suite struct StreamMatteTests {
  private let width = 640, height = 360

  /// Blotches of grey, seen by a camera that has turned by `swing` pixels, with a person in red in front of them.
  private func picture(seed: UInt64 = 1, swing: Int = 0, person: Rect) -> Image {
    var random = SeededRandom(seed: seed)
    let blotches = (0..<64 * 16).map { _ in Int(UInt8.random(in: 40...200, using: &random)) }
    return Image.drawn(.bgra8, width, height, color: .jpeg) { x, y in
      let grey = blotches[y / 24 * 64 + (x + swing) / 24 % 64]
      return contains(person, x, y) ? [20, 20, 220, 255] : [grey, grey, grey, 255]
    }
  }

  private func contains(_ person: Rect, _ x: Int, _ y: Int) -> Bool {
    let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
    return u >= person.x && u < person.x + person.width && v >= person.y && v < person.y + person.height
  }

  private func error(_ matte: Matte, _ person: Rect) -> Double {
    // An unrefined matte of the whole picture has the network's size.
    let matte = matte.scaled(toWidth: width, height: height)
    var sum = 0.0
    for (y, x) in product(0..<height, 0..<width) { sum += abs(matte[x, y] - (contains(person, x, y) ? 1 : 0)) }
    return sum / Double(width * height)
  }

  private func maker(_ network: RedNetwork) throws -> PersonMatteMaker {
    var options = PersonMatteMaker.Options()
    (options.refinement, options.smoothing) = (0, 0)
    return try PersonMatteMaker([network], options, workers: WorkerPool(threads: 1))
  }

  /// A small person gets a close view in the first picture already, so the first matte is as good as the tenth. The tolerance is half a
  /// sample of the frame (a pixel here) along the outline, by which the two frames may differ. A sample of the whole picture has ten
  /// pixels.
  @Test func theFirstMatteOfSomebodySmall() throws {
    let person = Rect(x: 0.4123, y: 0.3456, width: 0.07, height: 0.31)
    let network = RedNetwork()
    let maker = try maker(network)
    var matte = Matte(constant: 0, width: 1, height: 1)
    var errors: [Double] = []
    for frame in 0..<10 {
      try maker.update(&matte, from: picture(swing: frame, person: person), at: Double(frame) / 30)
      errors.append(error(matte, person))
      if frame == 0 { #expect(network.runs == 3, "the whole picture, the frame round the person, its mirror image") }
    }
    let outline = 2 * (person.width * Double(width) + person.height * Double(height))
    #expect(errors[0] <= errors[9] + 0.5 * outline / Double(width * height), "\(errors)")
    // The network runs only once for each later picture.
    #expect(network.runs == 12)
  }

  /// The maker fills the network's memory before it uses the first matte.
  @Test func theFirstMatteOfAMemory() throws {
    let person = Rect(x: 0.3, y: 0.2, width: 0.4, height: 0.8)
    let maker = try maker(RedNetwork(hasMemory: true))
    var matte = Matte(constant: 0, width: 1, height: 1)
    try maker.update(&matte, from: picture(person: person))
    #expect(matte[matte.width / 2, matte.height / 2] >= 0.87)
  }

  /// A cut resets a network's memory and frame; a camera that turns resets neither.
  @Test(arguments: [true, false]) func aCutAndASwing(hasMemory: Bool) throws {
    let person = Rect(x: 0.4, y: 0.3, width: 0.1, height: 0.4)
    let other = Rect(x: 0.8, y: 0.2, width: 0.1, height: 0.5)
    let network = RedNetwork(hasMemory: hasMemory)
    let maker = try maker(network)
    var matte = Matte(constant: 0, width: 1, height: 1)
    for frame in 0..<6 {
      try maker.update(&matte, from: picture(swing: 17 * frame, person: person), at: Double(frame) / 30)
      #expect(!maker.isNewShot, "frame \(frame)")
      if frame == 0 { #expect(network.resets == 1, "once, at the start") }
    }
    #expect(network.resets == 1)
    let runs = network.runs
    try maker.update(&matte, from: picture(seed: 77, person: other), at: 6.0 / 30)
    #expect(maker.isNewShot && network.resets == 2)
    #expect(network.runs - runs == 3, "three times by a memory; the whole picture, the frame, its mirror image")
    #expect(matte[Int(0.85 * Double(matte.width)), matte.height / 2] >= 0.87)
    #expect(matte[Int(0.45 * Double(matte.width)), matte.height / 2] < 0.02)
  }

  /// Nothing of the matte before a cut stays in the next one, even where the new picture could be the old one in another light: walls
  /// without marks. With a matte for every other picture, the last matte would show the new room in its own shape.
  @Test(arguments: [true, false]) func aCutBetweenWallsThatLookAlike(isBrighter: Bool) throws {
    let person = Rect(x: 0.1, y: 0.1, width: 0.35, height: 0.9)
    let other = Rect(x: 0.6, y: 0.2, width: 0.3, height: 0.8)
    let (dim, bright) = isBrighter ? (70, 115) : (115, 70)
    var options = PersonMatteMaker.Options()
    options.mattesPerSecond = 15
    let maker = try PersonMatteMaker([RedNetwork()], options, workers: WorkerPool(threads: 1))
    var matte = Matte(constant: 0, width: 1, height: 1)
    for frame in 0..<9 { try maker.update(&matte, from: wall(dim, person), at: Double(frame) / 30) }
    try maker.update(&matte, from: wall(bright, other), at: 9.0 / 30)
    var most = (before: 0.0, now: 1.0)
    for (y, x) in product(0..<height, 0..<width) {
      if contains(person, x, y) { most.before = max(most.before, matte[x, y]) }
      // The network's samples have ten pixels.
      if [-10, 10].allSatisfy({ contains(other, x + $0, y + $0) }) { most.now = min(most.now, matte[x, y]) }
    }
    #expect(most.before < 0.02 && most.now > 0.9, "\(most)")
  }

  /// A change of the refinement reaches all who ask for it.
  @Test func aChangedRefinement() throws {
    let maker = try PersonMatteMaker([RedNetwork()], workers: WorkerPool(threads: 1))
    var options = PersonMatteMaker.Options()
    (options.refinement, options.threshold) = (0, 0.6)
    try maker.change(to: options)
    #expect(maker.options.refinement == 0 && maker.refiner.settings.strength == 0)
    #expect(maker.options.threshold == 0.6 && maker.refiner.settings.threshold == 0.6)
  }

  private func wall(_ grey: Int, _ person: Rect) -> Image {
    Image.drawn(.bgra8, width, height, color: .jpeg) { x, y in
      contains(person, x, y) ? [20, 20, 220, 255] : [grey, grey, grey, 255]
    }
  }
}
