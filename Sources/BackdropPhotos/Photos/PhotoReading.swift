import BackdropImaging

/// Which picture of a photo is taken, where it has several.
public struct PhotoReading: Sendable, Equatable {
  /// Whose picture of a stereo pair; `nil` for the file's main one.
  public var eye: StereoEye?
  /// Where both are in a picture that shows them side by side; `nil` for a picture of one eye, unless the file says otherwise.
  public var layout: StereoLayout?

  /// The main picture.
  public init() {}

  /// The photo with the picture that was asked for.
  ///
  /// - Throws: `wrongArgument` if it is none that was taken for both eyes.
  public func applied(to photo: DepthPhoto) throws(BackdropError) -> DepthPhoto {
    var photo = photo
    if let layout { photo = try photo.split(layout) }
    guard let eye else { return photo }
    return try photo.seen(by: eye)
  }
}

extension StereoEye: ParameterChoice {
  /// The pixels.
  public var summary: String {
    switch self {
    case .left: "the left eye's picture"
    case .right: "the right eye's picture"
    }
  }
}

extension PhotoReading: Parameterized {
  /// Its parameters.
  package static let parameters: ParameterTable<Self> = [
    .part: [
      .choice(
        "eye", "Choose a picture of a spatial photo or another stereo pair", \.eye,
        automatic: "the file's main one"),
      .choice(
        "side-by-side", "The layout of a picture that shows the pictures of both eyes side by side", \.layout,
        automatic: "as the file says"),
    ]
  ]
}
