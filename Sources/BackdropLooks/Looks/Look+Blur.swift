import BackdropImaging

extension Look {
  /// The blur of a layer.
  ///
  /// In JSON a number, or `"$name"`, is a Gaussian in pixels of the frame; all others are objects such as `{"disc": {"radius": "$blur"}}`,
  /// with radii in pixels of a 12 MP photo, whose longer side has 4032. The blur is proportional to the picture's size, so that it looks
  /// the same.
  public enum Blur: Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// A Gaussian; the standard deviation in pixels of the frame.
    case pixels(LookNumber)
    /// A Gaussian; the standard deviation in pixels of a 12 MP photo.
    case gaussian(sigma: LookNumber)
    /// Like a lens out of focus: each point becomes a disc of light.
    case disc(radius: LookNumber)
    /// A Gaussian whose standard deviation follows the inverted matte: none where the matte is 1.
    case masked(sigma: LookNumber)
    /// Like a lens focused where the matte is 1: each point becomes the image of the aperture, with a radius that follows the inverted
    /// matte, and sharp parts do not bleed into blurred ones. For looks with a matte by focus. `aperture` is the f-number, as on a lens:
    /// the largest radius is 112 pixels of a 12 MP photo divided by it. `blades` is the number of the aperture's edges, below 3 a disc;
    /// `bloom` is how much brighter highlights are than the picture can show, 0…1.
    case lens(aperture: LookNumber, blades: LookNumber, bloom: LookNumber)

    /// A Gaussian in pixels of the frame.
    public init(floatLiteral value: Double) { self = .pixels(.fixed(value)) }
    /// A Gaussian in pixels of the frame.
    public init(integerLiteral value: Int) { self = .pixels(.fixed(Double(value))) }
  }

  /// The radius of the strongest blur of a lens at f/1, in pixels of a 12 MP photo: at f/2.8 it is 40.
  package static let lensRadius = 112.0

  /// The longer side of a 12 MP photo, in which radii are given.
  package static let referenceSide = 4032.0
}

extension Look.Blur: Codable {
  private enum Named: Codable {
    case gaussian(sigma: LookNumber)
    case disc(radius: LookNumber)
    case masked(sigma: LookNumber)
    case lens(aperture: LookNumber, blades: LookNumber, bloom: LookNumber)
  }

  /// Reads a number, `"$name"` or an object.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
      switch try Named(from: decoder) {
      case .gaussian(let sigma): self = .gaussian(sigma: sigma)
      case .disc(let radius): self = .disc(radius: radius)
      case .masked(let sigma): self = .masked(sigma: sigma)
      case .lens(let aperture, let blades, let bloom): self = .lens(aperture: aperture, blades: blades, bloom: bloom)
      }
    } else {
      self = .pixels(try LookNumber(from: decoder))
    }
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .pixels(let sigma): try sigma.encode(to: encoder)
    case .gaussian(let sigma): try Named.gaussian(sigma: sigma).encode(to: encoder)
    case .disc(let radius): try Named.disc(radius: radius).encode(to: encoder)
    case .masked(let sigma): try Named.masked(sigma: sigma).encode(to: encoder)
    case .lens(let aperture, let blades, let bloom):
      try Named.lens(aperture: aperture, blades: blades, bloom: bloom).encode(to: encoder)
    }
  }
}
