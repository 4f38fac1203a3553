import BackdropDepth
import BackdropImaging

extension DepthPhoto {
  /// Makes a photo from a picture, and from depth and mattes of another source that match the upright picture.
  ///
  /// Turns the depth and the mattes to match the stored picture.
  /// - Parameters:
  ///   - photo: the picture; its own images of these kinds are replaced.
  ///   - depth: the depth; `nil` to keep the photo's own.
  ///   - mattes: grey images, white for the marked area.
  /// - Throws: `wrongArgument` if one has an aspect that differs from the picture's by more than 2 %.
  public init(_ photo: DepthPhoto, depth: PhotoDepth? = nil, mattes: [MatteKind: Image] = [:]) throws(BackdropError) {
    self = photo
    let back = photo.orientation.inverse
    if let depth {
      try Self.checkAspect("depth", (depth.width, depth.height), picture: (width, height), .wrongArgument)
      set(depth.oriented(back).auxiliary)
    }
    for (kind, image) in mattes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try Self.checkAspect(
        "\(kind.rawValue) matte", (image.width, image.height), picture: (width, height), .wrongArgument)
      var turned = image.converted(to: image.format == .gray16 ? .gray16 : .gray8)
      turned.orientation = back
      set(AuxiliaryImage(.matte(kind), DecodedPicture(turned.upright())))
    }
  }

  /// - Throws: an error of `kind` if the aspect ratios of an image and of the picture differ by more than 2 %, and by more than the
  ///   rounding of a side.
  static func checkAspect(
    _ name: String, _ size: (width: Int, height: Int), picture: (width: Int, height: Int), _ kind: BackdropError.Kind
  ) throws(BackdropError) {
    let (one, other) = (Double(size.width) * Double(picture.height), Double(size.height) * Double(picture.width))
    let slack = max(0.02 * max(one, other), Double(max(picture.width, picture.height)))
    guard abs(one - other) <= slack else {
      throw BackdropError(
        kind,
        "the \(name) (\(size.width)×\(size.height)) and the picture (\(picture.width)×\(picture.height)) have different aspect ratios",
        hint: "crop one of them so that both show the same view")
    }
  }
}

extension Orientation {
  var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }
}
