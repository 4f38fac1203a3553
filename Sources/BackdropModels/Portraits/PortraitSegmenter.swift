import BackdropDepth
import BackdropImaging
import BackdropMatting
import Synchronization

/// Finds people in a single picture with more effort than one run of a network: it looks at the picture from several
/// frames with several networks, and takes the median of those that can be believed.
///
/// A small network is right when the person fills its input as in the pictures it was trained on, and can misread a whole
/// region otherwise. So every network runs on the whole picture and on its mirror image; each opinion on where the person
/// is (what all of them see, what most see, what any sees) gives a frame round the person, in which all run again; and
/// each result gives one more frame. A frame's score is how much of what any run takes for a person all runs do.
/// The frames that score about as high as the best are believed, three at most. The matte is the median of all their runs, pixel by
/// pixel, in which a witness that knows bodies has one vote a frame. Hands at the ends of arms that it shows are added by a witness
/// that knows hands.
///
/// Networks that draw edges, if there are any, then look at the frame round all that was found, and at its mirror image. The
/// median of those that see the person small, and of what the others found, says what belongs to the person. The one that
/// draws best decides the details as far as it agrees with that (`ProbabilityMap/detailed(by:radius:)`).
///
/// Costs up to 40 runs of a network, and 18 of those that draw edges. What a network remembers of one look it has forgotten before
/// the next. One thread at a time.
public final class PortraitSegmenter {
  private let networks: [any PersonSegmenting]
  private let matting: PortraitMatting?
  private let bodies: (any BodyWitness)?
  private let hands: (any HandWitness)?
  private let refiner: MatteRefiner

  /// Side of the square at which results are compared and merged.
  private static let side = 256
  /// What is added round a person on each side, as a part of its width and height.
  private static let air = 0.1
  /// The person networks see no more than this, and those that draw edges no more than that.
  static let largestSide = 1024, largestFineSide = 2048
  /// Blobs smaller than this part of the largest do not decide a frame.
  private static let smallestBlob = 0.1
  /// How far below the best a frame may score that is believed too, and how many are.
  private static let scoreTolerance = 0.02, largestViewCount = 3
  /// How often a network with a memory sees a picture that stands still, until it has settled.
  private static let settlingRuns = 2
  /// How many votes the person networks have against four of those that draw edges.
  private static let portraitVotes = 2
  /// How much harder than the median of the person networks its edges are made before it votes.
  private static let slope: Float = 1.5
  /// Half the side of the windows in which the best drawing has to agree, as a part of the frame's longer side.
  private static let windowRadius = 0.02

  /// Makes a segmenter that asks all of `networks`, one at least.
  public convenience init(_ networks: [any PersonSegmenting], workers: WorkerPool) {
    self.init(networks, matting: nil, bodies: nil, hands: nil, workers: workers)
  }

  init(
    _ networks: [any PersonSegmenting], matting: PortraitMatting?, bodies: (any BodyWitness)?,
    hands: (any HandWitness)?, workers: WorkerPool
  ) {
    precondition(!networks.isEmpty, "there is no network to ask")
    self.networks = networks
    self.matting = matting
    self.bodies = bodies
    self.hands = hands
    refiner = MatteRefiner(
      MatteRefinement(radius: 6, seesPixels: false, sharpness: 1.5, workingSide: 2 * Self.side),
      workers: workers)
  }

  /// What was found.
  public struct Result: Sendable {
    /// The whole picture's matte.
    public var matte: Matte
    /// The frame that was believed most, as parts of the picture's width and height, 0…1.
    public var frame: Rect
    /// Its score, 0…1: below about 0.6 the networks contradict each other.
    public var agreement: Double
    /// Whether the matte has fine edges already: networks that draw them made it.
    public var isFine: Bool
    /// How many of the picture's pixels lie on a side of what a network has for one sample, where the people are: below 1 it
    /// knows more than the picture shows.
    public var pixelsPerSample: Double
    /// The networks that the matte is made from, in the order in which they were asked.
    public var networks: [String]
  }

  /// Finds the people in an upright picture.
  ///
  /// - Parameters:
  ///   - image: the picture.
  ///   - longerSide: of the matte, in samples, if it has no fine edges: those have up to 2048; not above the picture's.
  /// - Throws: what the networks throw.
  public func segment(_ image: Image, longerSide: Int = 640) throws(BackdropError) -> Result {
    let large = try Self.reduced(image, to: Self.largestFineSide)
    let small = try Self.reduced(large, to: Self.largestSide)
    let views = try self.views(of: small, whilePreparing: matting.map { [$0.voters[0]] } ?? [], for: large)
    let best = views[0]
    let bodies = try self.bodies?.outlines(
      in: small, near: best.merged().frame(smallestBlob: Self.smallestBlob)?.within(best.frame))
    let frame = views.dropFirst().reduce(best.frame) { $0.union($1.frame) }
    let hands = try self.hands?.hands(in: small, near: frame) ?? []
    let (portrait, handCount) = Self.merged(views, in: frame, bodies ?? [], of: small).adding(
      hands, in: frame, of: small)
    var names = networks.map(\.name)
    if let bodies, !bodies.isEmpty { names += self.bodies?.names ?? [] }
    if handCount > 0 { names += self.hands?.names ?? [] }
    if let matting, let (fine, fineFrame) = try drawn(portrait, frame, matting, large) {
      for network in matting.voters + [matting.artist] where !names.contains(network.name) {
        names.append(network.name)
      }
      let (width, height) = Self.size(of: image, longerSide: Self.largestFineSide)
      return Result(
        matte: fine.placed(at: fineFrame, width: width, height: height), frame: best.frame,
        agreement: best.agreement, isFine: true,
        pixelsPerSample: Self.pixelsPerSample(of: image, fineFrame, fine), networks: names)
    }
    let (width, height) = Self.size(of: image, longerSide: longerSide)
    return Result(
      matte: portrait.placed(at: frame, width: width, height: height), frame: best.frame, agreement: best.agreement,
      isFine: false, pixelsPerSample: Self.pixelsPerSample(of: image, best.frame, portrait), networks: names)
  }

  private static func pixelsPerSample(of image: Image, _ frame: Rect, _ map: ProbabilityMap) -> Double {
    let pixels = frame.width * Double(image.width) * frame.height * Double(image.height)
    return (pixels / Double(map.width * map.height)).squareRoot()
  }

  /// The frames that can be believed, the best first.
  private func views(of image: Image) throws(BackdropError) -> [PortraitView] {
    let first = try look(at: image, Self.whole)
    var views = [first]
    var seen = [Self.whole]
    for opinion in first.opinions() {
      var next = opinion.frame(smallestBlob: Self.smallestBlob)
      for _ in 0..<2 {
        guard let found = next?.grown(by: Self.air), !seen.contains(where: { $0.isNear(found) })
        else { break }
        seen.append(found)
        let view = try look(at: image, found)
        views.append(view)
        next = view.merged().frame(smallestBlob: Self.smallestBlob)?.within(view.frame)
      }
    }
    // Of equals the earlier one.
    let order = views.indices.sorted { (views[$1].agreement, $0) < (views[$0].agreement, $1) }
    let least = views[order[0]].agreement - Self.scoreTolerance
    return order.prefix(Self.largestViewCount).map { views[$0] }.filter { $0.agreement >= least }
  }

  private static let whole = Rect(x: 0, y: 0, width: 1, height: 1)

  /// The median of all runs of the views, and of what a witness says of bodies, with one vote for each view.
  static func merged(
    _ views: [PortraitView], in frame: Rect, _ bodies: [BodyOutline], of image: Image
  ) -> ProbabilityMap {
    let all = views.flatMap { view in
      view.runs.map { view.frame == frame ? $0 : $0.sampled(from: view.frame, in: frame, width: side, height: side) }
    }
    guard !bodies.isEmpty else { return .median(of: all) }
    var result = ProbabilityMap(width: side, height: side)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: all.count + views.count) { votes in
      for y in 0..<side {
        for x in 0..<side {
          let place = SIMD2(
            (frame.x + (Double(x) + 0.5) / Double(side) * frame.width) * Double(image.width),
            (frame.y + (Double(y) + 0.5) / Double(side) * frame.height) * Double(image.height))
          var count = 0
          for map in all {
            votes.initializeElement(at: count, to: map.values[y * side + x])
            count += 1
          }
          // Beyond the squares that were looked at it says nothing.
          if let body = bodies.compactMap({ $0.likelihood(at: place) }).max() {
            for _ in views {
              votes.initializeElement(at: count, to: body)
              count += 1
            }
          }
          result.values[y * side + x] = ProbabilityMap.median(
            UnsafeMutableBufferPointer(rebasing: votes[..<count]))
        }
      }
    }
    return result
  }

  /// What the networks that draw edges make of it, and where; `nil` if nobody has found anybody.
  private func drawn(
    _ portrait: ProbabilityMap, _ portraitFrame: Rect, _ matting: PortraitMatting, _ image: Image
  ) throws(BackdropError) -> (map: ProbabilityMap, frame: Rect)? {
    var matte = Matte(constant: 0, width: 1, height: 1)
    try run(matting.voters[0], on: image, into: &matte)
    var found = ProbabilityMap(matte, isMirrored: false).sampled(
      from: Self.whole, in: Self.whole, width: Self.side, height: Self.side)
    let other = portrait.sampled(from: portraitFrame, in: Self.whole, width: Self.side, height: Self.side)
    for i in found.values.indices { found.values[i] = max(found.values[i], other.values[i]) }
    guard let round = found.frame(smallestBlob: Self.smallestBlob)?.grown(by: Self.air) else { return nil }

    let (part, frame) = try Self.part(of: image, round)
    try Self.compile(matting.voters + [matting.artist], for: part)
    // The drawing is the largest: all others are brought to its size.
    var drawings = try runs(of: matting.artist, on: part)
    let picture = matting.artist.small
    let (width, height) = (drawings[0].width, drawings[0].height)
    var votes: [ProbabilityMap] = []
    for network in matting.voters {
      votes += try runs(of: network, on: part).map {
        $0.sampled(from: Self.whole, in: Self.whole, width: width, height: height)
      }
    }
    let coarse = portrait.sampled(from: portraitFrame, in: frame, width: width, height: height)
    votes += [ProbabilityMap](repeating: coarse.sharpened(Self.slope), count: Self.portraitVotes)
    try refiner.refine(coarse.matte, of: picture, into: &matte)
    drawings.append(
      ProbabilityMap(matte, isMirrored: false).sampled(
        from: Self.whole, in: Self.whole, width: width, height: height))
    let radius = Int(Self.windowRadius * Double(max(width, height)))
    return (
      ProbabilityMap.median(of: votes).detailed(by: .median(of: drawings), radius: radius), frame
    )
  }

  /// The views of a picture, while other networks get ready for another.
  private func views(
    of image: Image, whilePreparing others: [any PersonSegmenting], for large: Image
  ) throws(BackdropError) -> [PortraitView] {
    guard !others.isEmpty else { return try views(of: image) }
    let found = Mutex<[PortraitView]>([])
    let handed = UncheckedTransfer((self, others))
    try ParallelParts.run(2, threads: nil) { (next) throws(BackdropError) in
      while let index = next() {
        if index == 0 {
          let views = try handed.value.0.views(of: image)
          found.withLock { $0 = views }
        } else {
          for network in handed.value.1 { try network.compile(for: (large.width, large.height)) }
        }
      }
    }
    return found.withLock { $0 }
  }

  /// Gets networks ready for a picture, side by side.
  private static func compile(_ networks: [any PersonSegmenting], for picture: Image) throws(BackdropError) {
    let handed = UncheckedTransfer(networks)
    try ParallelParts.run(networks.count, threads: nil) { (next) throws(BackdropError) in
      while let index = next() { try handed.value[index].compile(for: (picture.width, picture.height)) }
    }
  }

  /// What a network sees in a picture, and in its mirror image.
  private func runs(of network: any PersonSegmenting, on picture: Image) throws(BackdropError) -> [ProbabilityMap] {
    var matte = Matte(constant: 0, width: 1, height: 1)
    try run(network, on: picture, into: &matte)
    let first = ProbabilityMap(matte, isMirrored: false)
    try run(network, on: Self.mirrored(picture), into: &matte)
    return [first, ProbabilityMap(matte, isMirrored: true)]
  }

  private func run(
    _ network: any PersonSegmenting, on picture: Image, into matte: inout Matte
  ) throws(BackdropError) {
    // It may remember another look, or another picture.
    network.reset()
    try network.look(at: picture, frame: nil)
    for _ in 0..<(network.hasMemory ? Self.settlingRuns : 1) { try network.run(into: &matte) }
  }

  static func mirrored(_ image: Image) -> Image {
    var result = image
    result.orientation = .upMirrored
    return result.upright()
  }

  private static func size(of image: Image, longerSide: Int) -> (width: Int, height: Int) {
    let scale = min(1, Double(max(1, longerSide)) / Double(max(image.width, image.height)))
    return (
      max(1, Int((Double(image.width) * scale).rounded())), max(1, Int((Double(image.height) * scale).rounded()))
    )
  }

  /// The picture in a format and at a size that networks can look at from any frame.
  static func reduced(_ image: Image, to largestSide: Int = largestSide) throws(BackdropError) -> Image {
    let side = max(image.width, image.height)
    guard side > largestSide else {
      return image.format == .bgra8 ? image : image.converted(to: .bgra8, color: .jpeg)
    }
    let scale = Double(largestSide) / Double(side)
    return try image.scaled(
      toWidth: max(1, Int(Double(image.width) * scale)), height: max(1, Int(Double(image.height) * scale)),
      filter: .area
    ).converted(to: .bgra8, color: .jpeg)
  }

  /// The pixels of a frame, and where they are exactly.
  private static func part(of image: Image, _ frame: Rect) throws(BackdropError) -> (Image, Rect) {
    let x = Int(frame.x * Double(image.width))
    let y = Int(frame.y * Double(image.height))
    let right = min(image.width, Int(((frame.x + frame.width) * Double(image.width)).rounded(.up)))
    let bottom = min(image.height, Int(((frame.y + frame.height) * Double(image.height)).rounded(.up)))
    let pixels = IntegerRect(x: x, y: y, width: max(1, right - x), height: max(1, bottom - y))
    let part = try image.cropped(x: x, y: y, width: pixels.width, height: pixels.height)
    return (part, Rect(pixels).relative(to: (image.width, image.height)))
  }

  private func look(at image: Image, _ frame: Rect) throws(BackdropError) -> PortraitView {
    let (part, exact) = try Self.part(of: image, frame)
    let mirror = Self.mirrored(part)
    var view = PortraitView(frame: exact)
    var matte = Matte(constant: 0, width: 1, height: 1)
    for network in networks {
      try run(network, on: part, into: &matte)
      view.add(matte.scaled(toWidth: Self.side, height: Self.side), isMirrored: false)
      try run(network, on: mirror, into: &matte)
      view.add(matte.scaled(toWidth: Self.side, height: Self.side), isMirrored: true)
    }
    return view
  }
}
