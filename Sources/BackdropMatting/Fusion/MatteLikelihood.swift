import BackdropDepth
import BackdropImaging

/// How likely each sample of a matte is a person, by one source: a network, depth, a clean plate. ``MatteFusion`` joins
/// several.
///
/// A source can give two things. A log-likelihood ratio is evidence of its own; it adds to those of all others. A
/// probability is the source's own estimate; it replaces the rest by its confidence.
///
/// A source keeps one and fills it anew for each picture. Planes that it has nothing for are empty.
public final class MatteLikelihood {
  /// Natural logarithms of how much likelier the observation is on a person than on the background.
  public package(set) var logLikelihoodRatios = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// The source's own probability of a person in each sample, 0…1.
  public internal(set) var probabilities = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How far each probability replaces the rest, 0…1.
  public internal(set) var confidences = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How far the source supports this picture's matte, 0…1.
  public internal(set) var confidence = 0.0

  /// One without samples.
  public init() {}

  /// One of these planes, all of one size, or empty; for sources of one's own.
  public convenience init(
    logLikelihoodRatios: Plane<Float>? = nil, probabilities: Plane<Float>? = nil, confidences: Plane<Float>? = nil,
    confidence: Double = 1
  ) {
    self.init()
    let nothing = Plane<Float>(repeating: 0, width: 0, height: 0)
    (self.logLikelihoodRatios, self.probabilities, self.confidences) = (
      logLikelihoodRatios ?? nothing, probabilities ?? nothing, confidences ?? nothing
    )
    self.confidence = confidence
  }
}
