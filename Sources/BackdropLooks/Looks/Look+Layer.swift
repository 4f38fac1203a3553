extension Look {
  /// One layer of a drawing: a picture, its operations, and the area that it covers.
  ///
  /// The order is: another viewpoint, blur, move, grade, light.
  public struct Layer: Codable, Sendable, Equatable {
    /// The source of its picture.
    public var source: Source
    /// Its viewpoint; `nil` for the original one.
    public var view: View?
    /// Its blur; `nil` for none.
    public var blur: Blur?
    /// How to move the area under the matte, together with the matte; `nil` leaves it in place.
    public var transform: Transform?
    /// The colour operations, in order.
    public var grade: [Grade]
    /// Light that falls off round the subject; `nil` for even light.
    public var light: Light?
    /// The opacity where the layer covers, 0…1; it multiplies the matte.
    public var opacity: LookNumber?
    /// The area that it covers.
    public var through: Coverage

    /// Makes a layer.
    public init(
      _ source: Source, view: View? = nil, blur: Blur? = nil, transform: Transform? = nil, grade: [Grade] = [],
      light: Light? = nil, opacity: LookNumber? = nil, through: Coverage = .everything
    ) {
      self.source = source
      self.view = view
      self.blur = blur
      self.transform = transform
      self.grade = grade
      self.light = light
      self.opacity = opacity
      self.through = through
    }

    private enum CodingKeys: String, CodingKey { case source, view, blur, transform, grade, light, opacity, through }

    /// Reads a layer; missing fields have their defaults.
    ///
    /// - Throws: `DecodingError` for other data.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      source = try container.decode(Source.self, forKey: .source)
      view = try container.decodeIfPresent(View.self, forKey: .view)
      blur = try container.decodeIfPresent(Blur.self, forKey: .blur)
      transform = try container.decodeIfPresent(Transform.self, forKey: .transform)
      grade = try container.decodeIfPresent([Grade].self, forKey: .grade) ?? []
      light = try container.decodeIfPresent(Light.self, forKey: .light)
      opacity = try container.decodeIfPresent(LookNumber.self, forKey: .opacity)
      through = try container.decodeIfPresent(Coverage.self, forKey: .through) ?? .everything
    }

    /// Writes the form that ``init(from:)`` reads, without fields at their defaults.
    ///
    /// - Throws: errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(source, forKey: .source)
      try container.encodeIfPresent(view, forKey: .view)
      try container.encodeIfPresent(blur, forKey: .blur)
      try container.encodeIfPresent(transform, forKey: .transform)
      if !grade.isEmpty { try container.encode(grade, forKey: .grade) }
      try container.encodeIfPresent(light, forKey: .light)
      try container.encodeIfPresent(opacity, forKey: .opacity)
      try container.encode(through, forKey: .through)
    }
  }

  /// How to move the area under the matte.
  public enum Transform: Codable, Sendable, Equatable {
    /// Scaled about its base: the middle of its lowest part stays in place. A subject that extends below the picture stands on the
    /// picture's edge, and moves down if its head would leave the picture.
    case scale(by: LookNumber)
    /// Rows of copies behind it, each row with one more and farther away. `count` rows; neighbours in a row `spacing` of the subject's
    /// width apart; each row `scale` times as large as the one before it, on level ground seen from the height of the subject's head. The
    /// farthest row is drawn first, the subject itself last.
    case copies(count: LookNumber, spacing: LookNumber, scale: LookNumber)
  }

  /// The viewpoint of a layer, by the depth of the frame. A shift is how far the nearest part moves against the part that stays in place,
  /// as a fraction of the picture's width; `zero` is the normalized disparity of the part that stays.
  public enum View: Codable, Sendable, Equatable {
    /// From a point on an ellipse round the original viewpoint, half as high as it is wide; `phase` 0…1 is one full turn.
    case orbit(shift: LookNumber, phase: LookNumber, zero: LookNumber)
    /// From two eyes at once, for red and cyan glasses: red from the left eye, green and blue from the right.
    case anaglyph(shift: LookNumber, zero: LookNumber)
    /// From two eyes, side by side, the left one at the left: a picture of twice the width.
    case sideBySide(shift: LookNumber, zero: LookNumber)
  }

  /// Light round the subject: 1 at its centre, falling off like a Gaussian to `floor`.
  public struct Light: Codable, Sendable, Equatable {
    /// The height of the centre, as a fraction of the subject's height from its top.
    public var height: LookNumber
    /// Standard deviations across and down, as fractions of the subject's height.
    public var width: LookNumber, reach: LookNumber
    /// The light that remains far away, as a fraction of the pixels' values.
    public var floor: LookNumber

    /// Makes a light.
    public init(height: LookNumber, width: LookNumber, reach: LookNumber, floor: LookNumber) {
      self.height = height
      self.width = width
      self.reach = reach
      self.floor = floor
    }
  }
}
