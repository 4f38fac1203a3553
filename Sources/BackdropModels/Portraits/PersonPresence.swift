/// Whether there is somebody in what a person network took for people, and what speaks for it.
///
/// Small networks take glasses, globes and saddles for people, and agree about it with themselves and with each other. So
/// they are not believed alone: a detector of another kind has to find a face or a body in the same place.
/// Each counts as far as it is sure, and as far as what it saw lies in the matte; there is nobody only if both are wrong.
///
/// A face is a face: a bust, a doll or a portrait on a poster counts, and so does a drawn one, if it is drawn well.
public struct PersonPresence: Sendable, Equatable {
  /// The statement about a picture.
  public enum Verdict: Sendable, Equatable {
    /// There is somebody.
    case person
    /// There is nobody, and why.
    case nobody(Reason)
  }

  /// Why there is nobody.
  public enum Reason: String, Sendable, Codable {
    /// The matte is empty: nothing was taken for a person.
    case nothingFound
    /// Something was taken for a person, but it has neither a face nor a body.
    case noLikeness
  }

  /// The part of the picture that was taken for people, 0…1.
  public var coverage: Double
  /// How well the networks agreed on it, 0…1; 1 where they were not asked (``PortraitSegmenter/Result/agreement``).
  public var agreement: Double
  /// How surely a face was seen, times the part of its box that lies in the matte, 0…1: the largest such product.
  public var face: Double
  /// How surely a body was seen, times the part of its outline that lies in the matte, 0…1: the largest such product; 0 if
  /// none was looked for, since the face was sure enough, or none could have made a difference.
  public var body: Double

  /// Makes evidence.
  public init(coverage: Double, agreement: Double = 1, face: Double = 0, body: Double = 0) {
    self.coverage = coverage
    self.agreement = agreement
    self.face = face
    self.body = body
  }

  /// The probability that there is somebody, 0…1, if scores were probabilities and the detectors erred independently.
  ///
  /// The box of a face says nothing of the shape of what it is on, which a body's outline does: there the agreement of the
  /// networks stands in.
  public var probability: Double { 1 - (1 - agreement * face) * (1 - body) }

  /// The result.
  public var verdict: Verdict {
    if probability >= Self.enough { return .person }
    return .nobody(coverage > 0 ? .noLikeness : .nothingFound)
  }

  /// From here on there is somebody. It is the best threshold for one half of the development pictures, with crops, dark, blurred
  /// and small versions of all of them, and about the best for the other. As they are, people reach 0.66 and more, but for one
  /// whose face was made unrecognisable; things reach 0.56, and a bronze bust, which may be either, 0.59 to 0.63.
  static let enough = 0.6
  /// What a body has to weigh, at least, so that it is as likely as that that there is somebody; below 0 where all are to be asked.
  func missingBody(for enough: Double) -> Double {
    enough > 1 ? -1 : 1 - (1 - enough) / (1 - agreement * face)
  }
}
