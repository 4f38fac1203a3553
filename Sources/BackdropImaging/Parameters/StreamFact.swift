/// A fact about a stream or a photo that determines whether a parameter has an effect.
///
/// It is serialised by its code, as `depth-matte`. For a parameter without effect, the code is that of the missing fact; ``absence`` is the
/// sentence for it.
public enum StreamFact: String, Sendable, CaseIterable, Codable {
  /// Distances are known.
  case depth
  /// Depth cuts out the matte, alone or joined with the person network.
  case depthMatte = "depth-matte"
  /// A person network makes the matte, alone or joined with depth.
  case network
  /// A single-colour screen is keyed.
  case screen
  /// A face sets the depth at which the foreground ends.
  case face
  /// No face sets that depth.
  case noFace = "no-face"
  /// It has consecutive frames, not a single picture.
  case motion
  /// The matte shows a person, whose light can be measured.
  case subject
  /// A face is visible, or distances are known, so that a shape can be lit.
  case relief
  /// The look shows another background in place of the real one.
  case background

  /// The reason why a parameter that needs it has no effect, as a part of a sentence.
  public var absence: String {
    switch self {
    case .depth: "there is no depth"
    case .depthMatte: "the matte does not come from depth"
    case .network: "the matte does not come from a person network"
    case .screen: "the matte does not come from a screen's colour"
    case .face: "no face sets the cutoff"
    case .noFace: "a face sets the cutoff"
    case .motion: "the input is a single picture"
    case .subject: "Backdrop found nobody"
    case .relief: "the input has neither a face nor depth"
    case .background: "the look does not replace the background"
    }
  }
}
