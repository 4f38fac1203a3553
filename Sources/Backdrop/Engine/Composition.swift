/// How to compose the subject with another background: picture shape, position, scale, light and colours, shadow.
///
/// A look that shows the real background is only cropped, because nothing lies beyond the frame's edges.
public struct Composition: Sendable, Equatable {
  /// The shape of a picture, as width : height.
  public enum Aspect: String, Sendable, Codable, CaseIterable {
    /// For profile pictures.
    case square = "1:1"
    /// Upright, for prints and social feeds.
    case portrait = "4:5"
    /// Upright, for phones.
    case tall = "9:16"
    /// For screens.
    case wide = "16:9"

    /// Width by height.
    public var ratio: Double {
      switch self {
      case .square: 1
      case .portrait: 4.0 / 5
      case .tall: 9.0 / 16
      case .wide: 16.0 / 9
      }
    }
  }

  /// The picture's shape; `nil` for the frame's own. The crop keeps as much as fits.
  public var aspect: Aspect?
  /// The distance of the frame's centre to the right of the picture's centre, as a fraction of the picture's width, −1…1; `nil` keeps the
  /// subject in view.
  public var x: Double?
  /// The same distance downwards, as a fraction of the picture's height; `nil` keeps the subject's head in view, and its feet on the
  /// ground.
  public var y: Double?
  /// The scale of the frame, 0.1…4; 1 keeps its size.
  public var scale = 1.0
  /// How far the frame's light and colours follow the background, 0…1.
  public var lightMatch = 0.0
  /// The darkness of the shadow that the subject casts on the background at its feet, 0…1.
  public var shadow = 0.0

  /// Changes nothing.
  public init() {}

  /// Whether everything stays in place.
  public var keepsGeometry: Bool { aspect == nil && (x ?? 0) == 0 && (y ?? 0) == 0 && scale == 1 }

  /// The size of the picture for frames of that size. It is even if the frame's size is even, because videos may need that.
  public func size(width: Int, height: Int) -> (width: Int, height: Int) {
    guard let aspect else { return (width, height) }
    func side(_ value: Double, _ whole: Int) -> Int {
      let rounded = whole.isMultiple(of: 2) ? Int((value / 2).rounded()) * 2 : Int(value.rounded())
      return min(max(rounded, min(2, whole)), whole)
    }
    return Double(width) > Double(height) * aspect.ratio
      ? (side(Double(height) * aspect.ratio, width), height) : (width, side(Double(width) / aspect.ratio, height))
  }

  /// The rectangle of a frame of `width` × `height` pixels in the picture, in pixels of the picture.
  ///
  /// - Parameter isFree: whether another background is behind the frame; if not, the frame fills the picture.
  func frame(width: Int, height: Int, subject: SubjectBox?, isFree: Bool) -> Rect {
    let (outer, scale) = (size(width: width, height: height), isFree ? scale : max(1, scale))
    let (inner, whole) = (
      SIMD2(Double(width), Double(height)) * scale, SIMD2(Double(outer.width), Double(outer.height))
    )
    // The subject goes in the middle, with some room above the head. A frame smaller than the picture stands on its lower edge.
    var corner = (whole - inner) / 2
    if let subject {
      corner.x = min(max(whole.x / 2 - (subject.left + subject.right) / 2 * inner.x, whole.x - inner.x), 0)
      corner.y = min(max(0.08 * whole.y - subject.top * inner.y, whole.y - inner.y), 0)
    }
    if inner.x <= whole.x { corner.x = (whole.x - inner.x) / 2 }
    if inner.y <= whole.y { corner.y = whole.y - inner.y }
    if let x { corner.x = (whole.x - inner.x) / 2 + x * whole.x }
    if let y { corner.y = (whole.y - inner.y) / 2 + y * whole.y }
    if !isFree {
      corner = pointwiseMin(pointwiseMax(corner, whole - inner), SIMD2(0, 0))
    }
    return Rect(x: corner.x, y: corner.y, width: inner.x, height: inner.y)
  }
}

extension Composition: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .background: [
      .choice("aspect", "The shape of the result, as width:height", \.aspect, automatic: "the input's").shown(
        in: .photo, .alikePhotos),
      .number(
        "place-x", "Move the frame to the right, in widths of the result", \.x, in: -1...1,
        automatic: "centres the subject"
      ).shown(in: .photo),
      .number(
        "place-y", "Move the frame down, in heights of the result", \.y, in: -1...1,
        automatic: "keeps the head in view, or the subject on the ground"
      ).shown(in: .photo),
      .number("place-scale", "Scale the frame", \.scale, in: 0.1...4, unit: "times").shown(in: .photo),
      .number(
        "match-light", "Match the subject's light and colour to the background", \.lightMatch, in: 0...1
      ).titled("Match light and colour").shown(in: .photo, .photoBackground, .alikePhotos).needing(.background),
      .number(
        "shadow", "Darkness of the subject's shadow on the ground", \.shadow, in: 0...1
      ).shown(in: .photo, .photoBackground, .alikePhotos).needing(.background),
    ]
  ]
}

extension Composition.Aspect: ParameterChoice {
  package var summary: String {
    switch self {
    case .square: "a square"
    case .portrait: "upright, for prints and feeds"
    case .tall: "upright, like a phone"
    case .wide: "wide, like a screen"
    }
  }
}
