import BackdropImaging

/// The likelihood of a person in each sample, by one source: a network, depth, a clean plate. ``MatteFusion`` joins
/// several.
///
/// A source can provide two things. A log-likelihood ratio is independent evidence, which adds to all others. A
/// probability is the source's own estimate, which replaces the rest in proportion to its confidence.
///
/// A source reuses one object for each picture. Planes without data are empty.
package final class MatteLikelihood {
  /// Natural logarithms of the ratio between the observation's likelihoods for a person and for the background.
  package var logLikelihoodRatios = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// The source's own probability of a person in each sample, 0…1.
  package internal(set) var probabilities = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// How far each probability replaces the rest, 0…1.
  package internal(set) var confidences = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// The source's support for this picture's matte, 0…1.
  package internal(set) var confidence = 0.0

  package init() {}
}
