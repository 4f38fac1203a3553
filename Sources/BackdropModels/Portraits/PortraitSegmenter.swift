import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Finds people in a single picture: the best network decides, within the bounds that others set.
///
/// The network that leads looks at the whole picture. The others look at it and at its mirror image, and at each sample the lowest and
/// the highest opacity that they see are the bounds of the leader's: where all of them disagree with it, it errs. Where the people fill
/// a small part of the picture, all look once more, at a frame that holds all of them as that matte says: a matte that
/// reaches the frame's border within the picture makes the frame larger. Outside of the frame the matte of the whole picture stays, and
/// both are blended along the border.
///
/// The memory of a network is cleared before each look. One thread at a time.
public final class PortraitSegmenter {
  private let leader: any PersonSegmenting
  private let others: [any PersonSegmenting]
  private let leftOut: Set<MatteStep>

  /// How often a network with a memory sees a picture that stands still, until it has settled.
  private static let settlingRuns = 2
  /// Looks at larger and larger frames.
  private static let largestLookCount = 3
  /// The longer side of a picture that other networks than those of mattes look at.
  static let largestSide = 1024

  /// Makes a segmenter of a network that leads, and of others that bound its mattes: none, or several.
  public init(
    _ leader: any PersonSegmenting, boundedBy others: [any PersonSegmenting] = [], without leftOut: Set<MatteStep> = []
  ) {
    (self.leader, self.others, self.leftOut) = (leader, others, leftOut)
  }

  /// The matte of a picture.
  public struct Result: Sendable {
    /// The whole picture's matte.
    public var matte: Matte
    /// The frame of the last look, as parts of the picture's width and height, 0…1.
    public var frame: Rect
    /// How much of what it or another network takes for a person both do, on average over the others, 0…1; 1 if there are none.
    public var agreement: Double
    /// How many of the picture's pixels lie on a side of one sample of the matte, where the people are: below 1 it has more detail
    /// than the picture.
    public var pixelsPerSample: Double
    /// The networks that the matte is made from, in the order in which they were asked.
    public var networks: [String]
  }

  /// Finds the people in an upright picture.
  ///
  /// - Parameters:
  ///   - image: the picture, of any size and format.
  ///   - longerSide: of the matte, in samples; not above the picture's.
  /// - Throws: what the networks throw.
  public func segment(_ image: Image, longerSide: Int = 640) throws(BackdropError) -> Result {
    let whole = try look(at: image, PersonFrame.whole)
    let closer = try lookCloser(at: image, than: whole)
    let last = closer ?? whole
    let scale = min(1, Double(max(1, longerSide)) / Double(max(image.width, image.height)))
    let width = max(1, Int((Double(image.width) * scale).rounded()))
    let height = max(1, Int((Double(image.height) * scale).rounded()))
    var matte = whole.map.matte.scaled(toWidth: width, height: height)
    if let closer { closer.map.blend(into: &matte, at: closer.frame, rim: PersonFrame.rim) }
    let pixels = last.frame.width * Double(image.width) * last.frame.height * Double(image.height)
    return Result(
      matte: matte, frame: last.frame, agreement: last.agreement,
      pixelsPerSample: (pixels / Double(last.map.width * last.map.height)).squareRoot(),
      networks: [leader.name] + others.map(\.name))
  }

  /// What the networks see in a part of a picture.
  private struct Look {
    /// The part, as parts of the picture's width and height.
    let frame: Rect
    let map: ProbabilityMap
    let agreement: Double
  }

  /// The look from nearby; `nil` where the people fill the picture, or nobody is seen.
  private func lookCloser(at image: Image, than whole: Look) throws(BackdropError) -> Look? {
    guard !leftOut.contains(.frame), var frame = PersonFrame.around(whole.map) else { return nil }
    for _ in 0..<Self.largestLookCount {
      guard PersonFrame.isWorthwhile(frame) else { return nil }
      let look = try look(at: image, frame)
      guard let larger = PersonFrame.enlarged(look.frame, where: look.map, rim: PersonFrame.rim) else { return look }
      frame = larger
    }
    return nil
  }

  private func look(at image: Image, _ frame: Rect) throws(BackdropError) -> Look {
    let pixels = PersonFrame.pixels(of: frame, width: image.width, height: image.height)
    var map = ProbabilityMap(try run(leader, on: image, pixels))
    var bounds: [ProbabilityMap] = []
    for network in others {
      var mattes = [try run(network, on: image, pixels)]
      if !leftOut.contains(.mirror) {
        var mirrored = try run(network, on: Self.mirrored(network.small), nil)
        mirrored.mirror()
        mattes.append(mirrored)
      }
      bounds += mattes.map { ProbabilityMap($0.scaled(toWidth: map.width, height: map.height)) }
    }
    let agreement =
      bounds.isEmpty ? 1 : bounds.reduce(0) { $0 + map.agreement(with: $1) } / Double(bounds.count)
    map.limit(to: bounds)
    return Look(
      frame: Rect(pixels).relative(to: (image.width, image.height)), map: map, agreement: agreement)
  }

  private func run(
    _ network: any PersonSegmenting, on picture: Image, _ frame: IntegerRect?
  ) throws(BackdropError) -> Matte {
    network.reset()
    try network.look(at: picture, frame: frame)
    var matte = Matte(constant: 0, width: 1, height: 1)
    for _ in 0..<(network.hasMemory ? Self.settlingRuns : 1) { try network.run(into: &matte) }
    return matte
  }

  static func mirrored(_ image: Image) -> Image {
    var result = image
    result.orientation = .upMirrored
    return result.upright()
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
}
