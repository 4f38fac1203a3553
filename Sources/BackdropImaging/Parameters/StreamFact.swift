/// Something that is so of a stream or a photo, or not, and on which it depends whether a parameter has an effect there.
///
/// It is serialised by its code, as `depth-matte`. Where a parameter has no effect, the code is that of the fact that is
/// missing; ``absence`` is the sentence for it.
public enum StreamFact: String, Sendable, CaseIterable, Codable {
  /// Distances are known.
  case depth
  /// The matte is cut out by depth, alone or joined with the person network.
  case depthMatte = "depth-matte"
  /// A person network makes the matte, alone or joined with depth.
  case network
  /// A screen of one colour is keyed.
  case screen
  /// A face decides where depth ends the foreground.
  case face
  /// None does.
  case noFace = "no-face"
  /// There is a frame after the other, and not a single picture.
  case motion
  /// Somebody is found by the matte, whose light can be measured.
  case subject
  /// A face is seen, or distances are known: what has a shape can be lit.
  case relief
  /// The look shows a background of its own in place of the real one.
  case background

  /// Why a parameter that needs it has no effect, as a part of a sentence.
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
