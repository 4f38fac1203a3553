import BackdropCodecs
import BackdropImaging
import BackdropModels

/// The clean plate of a stream, as a person names it.
public enum CleanPlate: Sendable, Hashable {
  /// Learned for videos at the live quality, else none.
  case automatic
  /// None.
  case off
  /// Learned on the way.
  case learn
  /// A clean shot in a file; see ``PlateJob``.
  case file(String)

  /// `off`, `learn`, or the name of a picture.
  public init(_ text: String) {
    self =
      switch text {
      case "off": .off
      case "learn": .learn
      default: .file(text)
      }
  }

  /// What ``init(_:)`` reads; `nil` for `automatic`.
  var name: String? {
    switch self {
    case .automatic: nil
    case .off: "off"
    case .learn: "learn"
    case .file(let path): path
    }
  }

  /// Loads what is named.
  ///
  /// - Parameters:
  ///   - isLearnedByDefault: what `automatic` means.
  ///   - limits: the largest picture of a file.
  /// - Throws: what is wrong with the file; `wrongArgument` if its aspect differs by more than 1 % from the input's.
  func choice(width: Int, height: Int, isLearnedByDefault: Bool, limits: ImageLimits) throws(BackdropError)
    -> PlateChoice
  {
    switch self {
    case .off: return .off
    case .learn: return .learn
    case .automatic: return isLearnedByDefault ? .learn : .off
    case .file(let path):
      guard FileKind(path) != .absent else {
        throw BackdropError(
          .wrongArgument, "no such plate", path: path, hint: .givePlate)
      }
      let picture = try SceneInput.picture(path, limits: limits).image
      let (wide, high) = (Double(picture.width * height), Double(picture.height * width))
      guard abs(wide - high) <= 0.01 * max(wide, high) else {
        throw BackdropError(
          .wrongArgument,
          "the plate is \(picture.width)×\(picture.height), of another aspect than the input's \(width)×\(height)",
          path: path, hint: .retakePlate)
      }
      return .picture(picture)
    }
  }
}
