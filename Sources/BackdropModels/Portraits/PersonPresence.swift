/// Whether a person network's result contains a person, and the evidence for it.
///
/// Small networks mistake glasses, globes and saddles for people, and agree about it with themselves and with each other. So a detector of
/// another kind must find a face or a body in the same place. Each counts by its confidence, and by the fraction of its result that lies in
/// the matte. The verdict is nobody only if both find nothing.
///
/// Every face counts: also that of a bust or a doll, a portrait on a poster, and a well-drawn one.
package struct PersonPresence: Sendable, Equatable {
  package enum Verdict: Sendable, Equatable {
    case person
    case nobody(Reason)
  }

  package enum Reason: String, Sendable, Codable {
    /// The matte is empty.
    case nothingFound
    /// The matte shows something, but with neither a face nor a body.
    case noLikeness
  }

  /// The fraction of the picture in the matte, 0…1.
  package var coverage: Double
  /// The networks' agreement, 0…1; 1 if it was not measured (``PortraitSegmenter/Result/agreement``).
  package var agreement = 1.0
  /// The confidence in a face times the fraction of its box that lies in the matte, 0…1: the largest such product.
  package var face = 0.0
  /// The confidence in a body times the fraction of its outline that lies in the matte, 0…1: the largest such product; 0 if none was
  /// sought, because the face was enough, or no body could have changed the verdict.
  package var body = 0.0

  /// The probability that there is a person, 0…1, if scores were probabilities and the detectors erred independently.
  ///
  /// A face's box does not describe the shape of its object, as a body's outline does; the networks' agreement stands in for it.
  package var probability: Double { 1 - (1 - agreement * face) * (1 - body) }

  package var verdict: Verdict {
    if probability >= Self.enough { return .person }
    return .nobody(coverage > 0 ? .noLikeness : .nothingFound)
  }

  /// The smallest probability for the verdict that there is a person. It is the best threshold for one half of the development pictures,
  /// with crops, dark, blurred and small versions of all of them, and about the best for the other. Unmodified, people reach 0.66 and more,
  /// except for one with a face made unrecognizable. Things reach 0.56, and a bronze bust, which may be either, 0.59 to 0.63.
  package static let enough = 0.6

  /// The minimum weight of a body to reach that probability of a person; negative if all are requested.
  func missingBody(for enough: Double) -> Double {
    enough > 1 ? -1 : 1 - (1 - enough) / (1 - agreement * face)
  }
}
