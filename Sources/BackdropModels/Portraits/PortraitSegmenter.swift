import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Finds people in a single picture: the best network decides, within bounds that others set.
///
/// Small networks run first, on the whole picture and on its mirror image. The frame for all networks contains everything that one of them
/// takes for a person; it is the whole picture if people fill that. At each sample the lowest and the highest opacity of the others limit
/// the leader's, because the leader is wrong where all of them disagree with it. If a matte reaches the frame's border within the picture,
/// the frame grows. The mean of the first runs applies outside of the frame, and both are blended along the border. Without a small
/// network, the leader also runs first.
///
/// A network's memory is cleared before each run. Use it from one thread at a time.
package final class PortraitSegmenter {
  /// The leading network, then those that limit its mattes.
  private let networks: [any PersonSegmenting]
  private let leftOut: Set<MatteStep>

  /// The runs until a network with memory has settled on a still picture.
  private static let settlingRuns = 3
  /// Networks with at most this many samples run first, and on the mirror image: they cost little, and make different errors from a larger
  /// one.
  private static let largestSmallNetwork = 256 * 256
  /// The longer side of a picture for networks that do not make mattes.
  static let largestSide = 1024

  package init(
    _ leader: any PersonSegmenting, boundedBy others: [any PersonSegmenting] = [], without leftOut: Set<MatteStep> = []
  ) {
    (networks, self.leftOut) = ([leader] + others, leftOut)
  }

  package struct Result: Sendable {
    package var matte: Matte
    /// The frame of the last run, as fractions of the picture's width and height, 0…1.
    package var frame: Rect
    /// The intersection over union of the people found by the leading network and by another, averaged over the others, 0…1; 1 without
    /// others.
    package var agreement: Double
    /// The number of the picture's pixels per side of a matte sample, where the people are: below 1 it has more detail than the picture.
    package var pixelsPerSample: Double
    /// The networks that made the matte, in the order of their runs.
    package var networks: [String]
  }

  /// Finds the people in an upright picture, of any size and format; the matte's longer side has `longerSide` samples, at most the
  /// picture's.
  ///
  /// - Throws: errors of the networks.
  package func segment(_ image: Image, longerSide: Int = 640) throws(BackdropError) -> Result {
    let first = try firstPass(image)
    var pass = try segment(image, frame(round: first), after: first)
    for isLast in [false, false, true] {
      guard let larger = PersonFrame.enlarged(pass.frame, where: pass.map) else { break }
      let frame = isLast || !PersonFrame.isWorthwhile(larger) ? PersonFrame.whole : larger
      pass = try segment(image, frame, after: first)
    }
    let (width, height) = reducedSize(image.width, image.height, toSide: longerSide)
    let isWhole = pass.frame == PersonFrame.whole
    var matte = (isWhole ? pass.map : first.mean).matte.scaled(toWidth: width, height: height)
    if !isWhole { pass.map.blend(into: &matte, at: pass.frame, rim: PersonFrame.rim) }
    let pixels = pass.frame.width * Double(image.width) * pass.frame.height * Double(image.height)
    return Result(
      matte: matte, frame: pass.frame, agreement: pass.agreement,
      pixelsPerSample: (pixels / Double(pass.map.width * pass.map.height)).squareRoot(), networks: networks.map(\.name))
  }

  /// The result of the first networks for the whole picture.
  private struct FirstPass {
    /// The mattes of each network; none for those that did not run.
    let mattes: [[Matte]]
    let mean: ProbabilityMap, highest: ProbabilityMap

    init(_ mattes: [[Matte]]) {
      let all = Array(mattes.joined())
      let (width, height) = (all.map(\.width).max()!, all.map(\.height).max()!)
      let maps = all.map { ProbabilityMap($0.scaled(toWidth: width, height: height)) }
      var (mean, highest) = (maps[0], maps[0])
      for i in mean.values.indices {
        mean.values[i] = maps.reduce(0) { $0 + $1.values[i] } / Float(maps.count)
        highest.values[i] = maps.reduce(0) { max($0, $1.values[i]) }
      }
      (self.mattes, self.mean, self.highest) = (mattes, mean, highest)
    }
  }

  /// The results of all networks for a part of a picture.
  private struct Pass {
    /// The part, as fractions of the picture's width and height.
    let frame: Rect
    let map: ProbabilityMap
    let agreement: Double
  }

  private func isSmall(_ network: any PersonSegmenting) -> Bool {
    network.small.width * network.small.height <= Self.largestSmallNetwork
  }

  private func firstPass(_ image: Image) throws(BackdropError) -> FirstPass {
    let whole = image.bounds
    let areSmall = networks.enumerated().map { $0 > 0 && isSmall($1) }
    var mattes: [[Matte]] = []
    for index in networks.indices {
      let runs = areSmall[index] || index == 0 && !areSmall.contains(true)
      mattes.append(runs ? try self.mattes(of: index, image, whole) : [])
    }
    return FirstPass(mattes)
  }

  /// The frame round everything that a network found; the whole picture if it is full or empty.
  private func frame(round first: FirstPass) -> Rect {
    guard !leftOut.contains(.frame), let people = first.highest.frame(smallestBlob: PersonFrame.smallestBlob)
    else { return PersonFrame.whole }
    let frame = people.grown(by: PersonFrame.air)
    return PersonFrame.isWorthwhile(frame) ? frame : PersonFrame.whole
  }

  private func segment(_ image: Image, _ frame: Rect, after first: FirstPass) throws(BackdropError) -> Pass {
    let pixels = PersonFrame.pixels(of: frame, width: image.width, height: image.height)
    var seen: [[Matte]] = []
    for index in networks.indices {
      let known = frame == PersonFrame.whole ? first.mattes[index] : []
      seen.append(known.isEmpty ? try mattes(of: index, image, pixels) : known)
    }
    var map = ProbabilityMap(seen[0][0])
    let bounds = seen.dropFirst().joined().map {
      ProbabilityMap($0.scaled(toWidth: map.width, height: map.height))
    }
    let agreement =
      bounds.isEmpty ? 1 : bounds.reduce(0) { $0 + map.agreement(with: $1) } / Double(bounds.count)
    map.limit(to: bounds)
    return Pass(frame: Rect(pixels).relative(to: (image.width, image.height)), map: map, agreement: agreement)
  }

  /// The mattes of a network for a part of a picture; the small ones that limit the leader's also get the mirror image.
  private func mattes(of index: Int, _ image: Image, _ frame: IntegerRect) throws(BackdropError) -> [Matte] {
    let network = networks[index]
    let matte = try run(network, on: image, frame)
    guard index > 0 && isSmall(network) && !leftOut.contains(.mirror) else { return [matte] }
    var mirrored = try run(network, on: Self.mirrored(network.small), nil)
    mirrored.mirror()
    return [matte, mirrored]
  }

  private func run(
    _ network: any PersonSegmenting, on picture: Image, _ frame: IntegerRect?
  ) throws(BackdropError) -> Matte {
    network.reset()
    try network.load(picture, frame: frame)
    var matte = Matte(constant: 0, width: 1, height: 1)
    for _ in 0..<(network.hasMemory ? Self.settlingRuns : 1) { try network.run(into: &matte) }
    return matte
  }

  static func mirrored(_ image: Image) -> Image {
    var result = image
    result.orientation = .upMirrored
    return result.upright()
  }

  /// The picture in a format and size that networks can process in any frame.
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
}
