import BackdropDepth
import BackdropImaging

/// What a witness says of each sample of a matte: a network, depth, a clean plate. ``MatteFusion`` joins what several say.
///
/// There are two ways to know something. A vote is evidence that nobody else has; it counts beside all others. A word is what the
/// witness says of a sample alone, and it stands as far as the witness is sure of it, whatever others say.
///
/// A witness has one, which it fills anew for each picture. Planes that it has nothing for are empty.
public final class MatteTestimony {
  /// Natural logarithms of how much likelier what the witness sees is on a person than on the background.
  public package(set) var votes = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How likely each sample is a person to the witness alone, 0…1.
  public internal(set) var word = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How far the word stands, 0…1.
  public internal(set) var sureness = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How far the witness is to be believed in this picture, 0…1.
  public internal(set) var confidence = 0.0

  /// One that says nothing.
  public init() {}

  /// One of these planes, all of one size, or empty; for witnesses of one's own.
  public convenience init(
    votes: Plane<Float>? = nil, word: Plane<Float>? = nil, sureness: Plane<Float>? = nil, confidence: Double = 1
  ) {
    self.init()
    let nothing = Plane<Float>(repeating: 0, width: 0, height: 0)
    (self.votes, self.word, self.sureness) = (votes ?? nothing, word ?? nothing, sureness ?? nothing)
    self.confidence = confidence
  }
}
