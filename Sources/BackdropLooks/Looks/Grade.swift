import BackdropImaging

/// One step of a layer's grade: an operation on colours with one number, as in `{"exposure": -1.5}`.
///
/// Steps follow each other on R′G′B′ of 0…1. Their names are those of the Core Image filters with the same effect (Core Image Filter
/// Reference), and they have the same meaning if that is documented; each says if the definition is ours.
public struct Grade: Sendable, Equatable {
  /// The operation.
  public enum Operation: String, Sendable, CaseIterable, Codable {
    /// Light is multiplied by 2^amount (`CIExposureAdjust`: rgb · pow(2, ev)), in stops of −10…10: on linear light, so through the curve of
    /// sRGB and back. Values brighter than white become white.
    case exposure
    /// Stretched about mid-grey by the amount, 0…4, 1 unchanged (`CIColorControls`): (in − 0.5) · amount + 0.5.
    case contrast
    /// The amount, −1…1, is added to each channel (`CIColorControls`).
    case brightness
    /// Strength of colours, 0 grey … 1 unchanged … 4 (`CIColorControls`): luma + amount · (in − luma), with the luma of
    /// BT.709.
    case saturation
    /// Strengthens dull colours more than strong ones, −1…1 (`CIVibrance`, whose numbers are not documented; ours): luma + (1 + amount · (1
    /// − s)) · (in − luma), with s the largest channel minus the smallest.
    case vibrance
    /// Each channel is raised to the amount, 0.05…20 (`CIGammaAdjust`): above 1 darkens.
    case gamma
    /// Grey, 0 for none … 1 fully (`CIPhotoEffectMono`, whose numbers are not documented; ours): saturation 1 − amount.
    case mono
    /// The grey of film noir, 0 for none … 1 fully (`CIPhotoEffectNoir`, whose numbers are not documented; ours): grey of 40 % red, 50 %
    /// green and 10 % blue, which makes skin glow, with an S of 0.6 as in ``curve``.
    case noir
    /// The contrast of an S-curve, 0 none … 1: it darkens shadows and brightens lights without clipping (ours): a blend with 3x² − 2x³.
    case curve
  }

  /// The operation.
  public var operation: Operation
  /// The strength of the operation.
  public var amount: LookNumber

  /// Makes a step.
  public init(_ operation: Operation, _ amount: LookNumber) {
    self.operation = operation
    self.amount = amount
  }

  var range: ClosedRange<Double> {
    switch operation {
    case .exposure: -10...10
    case .contrast, .saturation: 0...4
    case .brightness, .vibrance: -1...1
    case .gamma: 0.05...20
    case .mono, .noir, .curve: 0...1
    }
  }
}

extension Grade: Codable {
  /// Reads an object with one key, the operation's name.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    guard container.allKeys.count == 1, let key = container.allKeys.first,
      let operation = Operation(rawValue: key.stringValue)
    else {
      let known = Operation.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "expected an object with one of \(known)"))
    }
    self.init(operation, try container.decode(LookNumber.self, forKey: key))
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(amount, forKey: AnyKey(stringValue: operation.rawValue))
  }
}
