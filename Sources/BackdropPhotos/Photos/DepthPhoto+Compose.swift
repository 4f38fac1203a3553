import BackdropDepth
import BackdropImaging

extension DepthPhoto {
  /// A picture with depth and mattes from elsewhere, which lie as the picture is seen: upright.
  ///
  /// They are turned to lie as the picture is stored.
  /// - Parameters:
  ///   - photo: the picture; what it has of these kinds already is replaced.
  ///   - depth: the meaning of its values; `nil` for pictures that are not depth.
  ///   - mattes: grey images, white is what is marked.
  /// - Throws: `wrongArgument` if one has an aspect that differs from the picture's by more than 2 %.
  public init(
    _ photo: DepthPhoto, depth: PhotoDepth? = nil, mattes: [MatteKind: Image] = [:]
  ) throws(BackdropError) {
    self = photo
    let back = photo.orientation.inverse
    if let depth {
      try Self.checkAspect("depth", depth.width, depth.height, width, height, .wrongArgument)
      set(depth.oriented(back).auxiliary)
    }
    for (kind, image) in mattes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try Self.checkAspect("\(kind.rawValue) matte", image.width, image.height, width, height, .wrongArgument)
      var turned = image.converted(to: image.format == .gray16 ? .gray16 : .gray8)
      turned.orientation = back
      set(AuxiliaryImage(.matte(kind), DecodedPicture(turned.upright())))
    }
  }

  /// - Throws: an error of a kind if the aspects of an image and of the picture differ by more than 2 %, and by more than
  ///   the rounding of a side.
  static func checkAspect(
    _ name: String, _ width: Int, _ height: Int, _ pictureWidth: Int, _ pictureHeight: Int, _ kind: BackdropError.Kind
  ) throws(BackdropError) {
    let (one, other) = (Double(width) * Double(pictureHeight), Double(height) * Double(pictureWidth))
    let slack = max(0.02 * max(one, other), Double(max(pictureWidth, pictureHeight)))
    guard abs(one - other) <= slack else {
      throw BackdropError(
        kind,
        "the \(name) (\(width)×\(height)) and the picture (\(pictureWidth)×\(pictureHeight)) have different aspect ratios",
        hint: "crop one of them so that both show the same view")
    }
  }
}

extension Orientation {
  /// The inverse.
  var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }
}
