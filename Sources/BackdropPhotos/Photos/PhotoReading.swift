import BackdropImaging

/// Chooses one of a photo's pictures, if it has several.
public struct PhotoReading: Sendable, Equatable {
  /// The eye whose picture of a stereo pair is used; `nil` for the file's main picture.
  public var eye: StereoEye?
  /// The layout of a picture that shows both side by side; `nil` for a picture of one eye, unless the file says otherwise.
  public var layout: StereoLayout?

  /// The main picture.
  public init() {}

  /// The photo with the requested picture.
  ///
  /// - Throws: `wrongArgument` if it is not a stereo photo.
  public func applied(to photo: DepthPhoto) throws(BackdropError) -> DepthPhoto {
    var photo = photo
    if let layout { photo = try photo.split(layout) }
    guard let eye else { return photo }
    return try photo.seen(by: eye)
  }
}

extension StereoEye: ParameterChoice {
  /// A description of the eye's picture.
  public var summary: String {
    switch self {
    case .left: "the left eye's picture"
    case .right: "the right eye's picture"
    }
  }
}

extension PhotoReading: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .part: [
      .choice(
        "eye", "Choose a picture of a spatial photo or another stereo pair", \.eye, automatic: "the file's main one"),
      .choice(
        "side-by-side", "The layout of a picture that shows the pictures of both eyes side by side", \.layout,
        automatic: "as the file says"),
    ]
  ]
}
