import BackdropDepth
import BackdropImaging

/// Somebody who knows hands when it sees them.
protocol HandWitness {
  /// What it is called by.
  var names: [String] { get }
  /// The hands that it is sure of in an upright picture, each once.
  ///
  /// - Parameters:
  ///   - image: `rgba8`, `bgra8` or `rgb8`, not empty.
  ///   - frame: where people are said to be, as parts of the width and height.
  func hands(in image: Image, near frame: Rect) throws(BackdropError) -> [HandShape]
}

/// MediaPipe's hand networks as a witness: person networks and matting networks lose hands first, since these are small, far from the
/// body and often the brightest thing beside something held. One thread at a time.
final class PalmWitness: HandWitness {
  let names = LandmarkNetworks<HandLandmarks>.ids
  private let shelf: ModelCache
  private let threads: Int
  private let store: ModelStore

  /// A hand counts from there on: the detector's word alone is MediaPipe's; what is added to a matte has to be surer.
  private static let enoughPalm = 0.5, enoughHand = 0.8
  /// How much longer than the people the square is in which hands are looked for once more.
  private static let room = 1.2
  /// Palms that are looked at closely, in the picture and in the square.
  private static let maximumPalms = 8

  /// The networks of a shelf, which begins to load them; `nil` where they are not installed.
  init?(networks shelf: ModelCache, threads: Int, store: ModelStore = ModelStore()) {
    guard LandmarkNetworks<HandLandmarks>.areInstalled(in: store) else { return nil }
    (self.shelf, self.threads, self.store) = (shelf, threads, store)
    shelf.expect(HandLandmarks.self, threads: threads, store: store)
  }

  func hands(in image: Image, near frame: Rect) throws(BackdropError) -> [HandShape] {
    let networks = try shelf.networks(finding: HandLandmarks.self, threads: threads, store: store)
    let (width, height) = (frame.width * Double(image.width), frame.height * Double(image.height))
    let side = Self.room * max(width, height, 1)
    let close = PictureSquare(
      x: frame.x * Double(image.width) + (width - side) / 2, y: frame.y * Double(image.height) + (height - side) / 2,
      side: side)
    var result: [HandShape] = []
    for square in [nil, close] {
      let found = try networks.detector.detect(in: image, square: square, minimumScore: Self.enoughPalm)
      for palm in found.prefix(Self.maximumPalms) {
        guard let hand = try networks.landmarker.look(at: palm, in: image), hand.presence >= Self.enoughHand,
          !result.contains(where: { $0.isSame(as: hand) })
        else { continue }
        result.append(hand)
      }
    }
    return result
  }
}
