import BackdropDepth
import BackdropImaging

/// Finds people in a single picture with more effort than one run of a network: it looks at the picture from several
/// frames, and believes the one on which the networks agree best.
///
/// A small network is right when the person fills its input as in the pictures it was trained on, and can misread a whole
/// region otherwise. So every network runs on the whole picture and on its mirror image; each opinion on where the person
/// is (what all of them see, what most see, what any sees) gives a frame round the person, in which all run again; and
/// each result gives one more frame. A frame's score is how much of what any run takes for a person all runs do.
/// The runs on the best frame are averaged, each pixel weighted by how sure the run is of it.
///
/// Costs up to 40 runs of a network. One thread at a time.
public final class PortraitSegmenter {
  private let networks: [any PersonSegmenting]
  private let workers: WorkerPool

  /// Side of the square at which results are compared and merged.
  private static let side = 256
  /// What is added round a person on each side, as a part of its width and height.
  private static let air = 0.1
  /// The networks see no more than this.
  private static let largestSide = 1024
  /// Blobs smaller than this part of the largest do not decide a frame.
  private static let smallestBlob = 0.1

  /// Makes a segmenter that asks all of `networks`, one at least.
  public init(_ networks: [any PersonSegmenting], workers: WorkerPool) {
    precondition(!networks.isEmpty, "there is no network to ask")
    self.networks = networks
    self.workers = workers
  }

  /// What was found.
  public struct Result: Sendable {
    /// The whole picture's matte; its longer side is the one asked for.
    public var matte: Matte
    /// The frame that was believed, as parts of the picture's width and height, 0…1.
    public var frame: Rect
    /// Its score, 0…1: below about 0.6 the networks contradict each other.
    public var agreement: Double
  }

  /// Finds the people in an upright picture.
  ///
  /// - Parameter longerSide: of the matte, in samples; not above the picture's.
  /// - Throws: what the networks throw.
  public func segment(_ image: Image, longerSide: Int = 640) throws(BackdropError) -> Result {
    let small = try Self.reduced(image)
    let whole = Rect(x: 0, y: 0, width: 1, height: 1)
    let first = try look(at: small, whole)
    var best = first
    var seen = [whole]
    for opinion in first.opinions() {
      var next = opinion.frame(smallestBlob: Self.smallestBlob)
      for _ in 0..<2 {
        guard let found = next?.grown(by: Self.air), !seen.contains(where: { $0.isNear(found) })
        else { break }
        seen.append(found)
        let view = try look(at: small, found)
        if view.agreement > best.agreement { best = view }
        next = view.merged().frame(smallestBlob: Self.smallestBlob)?.within(view.frame)
      }
    }
    let scale = min(1, Double(max(1, longerSide)) / Double(max(image.width, image.height)))
    let (width, height) = (
      max(1, Int((Double(image.width) * scale).rounded())), max(1, Int((Double(image.height) * scale).rounded()))
    )
    return Result(
      matte: best.merged().placed(at: best.frame, width: width, height: height), frame: best.frame,
      agreement: best.agreement)
  }

  /// The picture in a format and at a size that networks can look at from any frame.
  static func reduced(_ image: Image) throws(BackdropError) -> Image {
    let side = max(image.width, image.height)
    guard side > Self.largestSide else { return image.converted(to: .bgra8, color: .jpeg) }
    let scale = Double(Self.largestSide) / Double(side)
    return try image.scaled(
      toWidth: max(1, Int(Double(image.width) * scale)), height: max(1, Int(Double(image.height) * scale)),
      filter: .area
    ).converted(to: .bgra8, color: .jpeg)
  }

  private func look(at image: Image, _ frame: Rect) throws(BackdropError) -> PortraitView {
    let x = Int(frame.x * Double(image.width))
    let y = Int(frame.y * Double(image.height))
    let right = min(image.width, Int(((frame.x + frame.width) * Double(image.width)).rounded(.up)))
    let bottom = min(image.height, Int(((frame.y + frame.height) * Double(image.height)).rounded(.up)))
    let part = try image.cropped(x: x, y: y, width: max(1, right - x), height: max(1, bottom - y))
    var mirrored = part
    mirrored.orientation = .upMirrored
    let mirror = mirrored.upright()
    var view = PortraitView(
      frame: Rect(
        x: Double(x) / Double(image.width), y: Double(y) / Double(image.height),
        width: Double(part.width) / Double(image.width), height: Double(part.height) / Double(image.height)))
    for network in networks {
      var matte = Matte(constant: 0, width: 1, height: 1)
      try network.update(&matte, from: part)
      view.add(matte.scaled(toWidth: Self.side, height: Self.side), isMirrored: false)
      try network.update(&matte, from: mirror)
      view.add(matte.scaled(toWidth: Self.side, height: Self.side), isMirrored: true)
    }
    return view
  }
}
