import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import BackdropPhotos

/// A picture with what looks are made from: how near things are, and what it is about. Both are found out when a look asks
/// for them, and kept.
public final class LookScene {
  /// How the person network is run, where it is.
  public struct Options {
    /// The network and its settings; the effort is always the best.
    public var person = PersonMatteMaker.Options()
    /// Networks that were loaded before.
    public var networks = NetworkShelf()

    /// The defaults.
    public init() {}
  }

  /// Where something was found.
  public enum Origin: String, Sendable, Codable {
    /// The photo's portrait matte.
    case matte
    /// The photo's depth.
    case depth
    /// The person network.
    case person
  }

  /// The picture, upright, in `rgb8`.
  public let image: Image
  /// The photo that it is of.
  public let photo: DepthPhoto
  /// Where the subject was found, once it was.
  public private(set) var subjectOrigin: Origin?
  /// Where nearness was found, once it was.
  public private(set) var nearnessOrigin: Origin?
  private let options: Options
  private let workers: WorkerPool
  private var knownNearness: Plane<Float>?
  private var knownSubject: Matte?

  /// The scene of a photo: its picture is decoded now, all else when it is asked for.
  public init(_ photo: DepthPhoto, options: Options = Options(), workers: WorkerPool) throws(BackdropError) {
    self.photo = photo
    self.options = options
    self.workers = workers
    image = try photo.image(as: .rgb8)
  }

  private init(_ other: LookScene, image: Image) {
    (self.image, photo, options, workers) = (image, other.photo, other.options, other.workers)
    (knownNearness, knownSubject) = (other.knownNearness, other.knownSubject)
    (subjectOrigin, nearnessOrigin) = (other.subjectOrigin, other.nearnessOrigin)
  }

  /// The same scene with a picture whose longer side has at most that many pixels, and even sides.
  public func reduced(to side: Int) throws(BackdropError) -> LookScene {
    let scale = min(1, Double(side) / Double(max(image.width, image.height)))
    func even(_ value: Int) -> Int { max(2, Int((Double(value) * scale / 2).rounded()) * 2) }
    let (width, height) = (even(image.width), even(image.height))
    guard width != image.width || height != image.height else { return self }
    return LookScene(self, image: try image.scaled(toWidth: width, height: height))
  }

  /// How near things are, 1 nearest … 0 farthest: by the photo's depth, else two distances by what the picture is about.
  ///
  /// - Throws: what reading the depth throws; where there is none, as ``subject()`` does.
  public func nearness() throws(BackdropError) -> Plane<Float> {
    if let knownNearness { return knownNearness }
    let result: Plane<Float>
    if let depth = try photo.depth() {
      result = depth.disparity.nearness()
      nearnessOrigin = .depth
    } else {
      result = try subject().nearness(side: 768)
      nearnessOrigin = subjectOrigin
    }
    knownNearness = result
    return result
  }

  /// What the picture is about: by the photo's portrait matte; else the person network, if it sees somebody; else what is
  /// near by the photo's depth, drawn to the picture's edges.
  ///
  /// - Throws: `badData` if none of them finds anything; what reading and running throw.
  public func subject() throws(BackdropError) -> Matte {
    if let knownSubject { return knownSubject }
    let (matte, origin) = try findSubject()
    (knownSubject, subjectOrigin) = (matte, origin)
    return matte
  }

  /// Below this part of the picture what a network sees is nobody: networks see faces in wood, too.
  private static let leastPerson = 0.02
  /// The longer side of the picture that a matte is drawn to the edges of: that of the mattes that telephones make.
  private static let matteSide = 2016

  private func findSubject() throws(BackdropError) -> (Matte, Origin) {
    if let matte = try photo.portraitMatte() { return (matte, .matte) }
    let small = try reduced(to: Self.matteSide).image
    let hasDepth = photo.auxiliary(.depth) != nil
    var options = options.person
    options.effort = .best
    do throws(BackdropError) {
      let maker = try PersonMatteMaker.load(options, workers: workers, networks: self.options.networks)
      var matte = Matte(constant: 0, width: 1, height: 1)
      try maker.update(&matte, from: small)
      if matte.coverage >= Self.leastPerson, try isInFront(matte) { return (matte, .person) }
    } catch {
      // Depth alone will do, unless a network was asked for.
      guard hasDepth && error.kind == .unsupported && options.model == nil else { throw error }
    }
    guard let depth = try photo.depth() else {
      throw BackdropError(
        .badData, "there is no person in the picture, and it has no depth and no portrait matte",
        hint: "give a portrait photo, or try --model")
    }
    let nearness = depth.disparity.nearness()
    let near = FocusMask.near(nearness)
    let refiner = MatteRefiner(.best, workers: workers)
    var matte = near
    try refiner.refine(near, of: small, into: &matte)
    return (matte, .depth)
  }

  /// Whether what a network saw is a good part of what is near, and little else: a pattern on a wall, or on a glass, is not.
  private func isInFront(_ matte: Matte) throws(BackdropError) -> Bool {
    guard let depth = try photo.depth() else { return true }
    let near = FocusMask.near(depth.disparity.nearness())
    let small = matte.scaled(toWidth: near.width, height: near.height)
    var (both, person) = (0.0, 0.0)
    for y in 0..<near.height {
      let (opacity, isNear) = (small.q15.row(y), near.q15.row(y))
      for x in isNear.indices {
        both += Double(min(opacity[x], isNear[x]))
        person += Double(opacity[x])
      }
    }
    let all = near.coverage * 32768 * Double(near.width * near.height)
    return both > 0.5 * person && both > 0.35 * all
  }
}

extension DepthPhoto {
  /// The matte of the people in front that the camera made; `nil` if it made none, or one of nobody.
  func portraitMatte() throws(BackdropError) -> Matte? {
    guard let matte = try matte(.portrait), matte.coverage >= 0.005 else { return nil }
    return matte
  }
}

extension FocusMask {
  /// What is nearer than the distance that parts a scene best, with a short ramp and without small gaps.
  static func near(_ nearness: Plane<Float>) -> Matte {
    let map = DisparityMap(perMetre: nearness, accuracy: .relative)
    let edge = Double(map.percentile(HistogramMask.separating(nearness)) ?? 0.5)
    return Matte(mapping: nearness) { (Double($0) - edge) / 0.06 + 0.5 }
  }
}

extension Matte {
  /// Two distances, with a slope between them: what views and blurs can be made from where there is no depth.
  func nearness(side: Int) -> Plane<Float> {
    let scale = min(1, Double(side) / Double(max(width, height)))
    let small = scaled(
      toWidth: max(1, Int((Double(width) * scale).rounded())), height: max(1, Int((Double(height) * scale).rounded())))
    var result = Plane<Float>(uninitializedWidth: small.width, height: small.height)
    for y in 0..<small.height {
      let from = small.q15.row(y)
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = Float(min(from[x], Matte.one)) / 32768 }
    }
    return result
  }
}
