import BackdropImaging

/// How a coarse matte is drawn to the edges of its picture.
public struct MatteRefinement: Sendable, Equatable {
  /// How much the picture decides, 0…1; at 0 the matte is only scaled and sharpened.
  public var strength: Double
  /// Half the side of the windows in which opacity is taken for a linear function of colour, in samples of the working
  /// size; 1…16.
  public var radius: Int
  /// What colours that vary less than this (variance, with samples in 0…1) do not decide; above 0.
  public var epsilon: Double
  /// Slope of opacity round ``threshold``: 1 leaves it, more hardens the edge that the filter has softened.
  public var sharpness: Double
  /// The opacity that becomes one half, 0…1.
  public var threshold: Double
  /// The longer side of the working size in samples; `nil` works at the size of the matte.
  public var workingSide: Int?

  /// Makes a refinement; what is out of range is brought into it when used.
  public init(
    strength: Double = 1, radius: Int = 4, epsilon: Double = 1e-4, sharpness: Double = 1.75, threshold: Double = 0.5,
    workingSide: Int? = nil
  ) {
    self.strength = strength
    self.radius = radius
    self.epsilon = epsilon
    self.sharpness = sharpness
    self.threshold = threshold
    self.workingSide = workingSide
  }

  /// For every frame of a video: at the size of the network's output.
  public static let live = MatteRefinement()
  /// For pictures: finer.
  public static let best = MatteRefinement(sharpness: 1.5, workingSide: 640)
}

extension Matte {
  /// Hardens edges round the threshold, as a refinement does, without drawing them to any picture's; `output` is reused if
  /// it has this matte's size.
  public func sharpen(_ settings: MatteRefinement, into output: inout Matte) {
    if output.width != width || output.height != height {
      output.q15 = Plane(uninitializedWidth: width, height: height)
    }
    let slope = Float(min(max(settings.sharpness, 0.1), 100))
    let middle = Float(min(max(settings.threshold, 0.01), 0.99)) * 32768
    for y in 0..<height {
      let from = q15.row(y)
      var to = output.q15.mutableRow(y)
      for x in from.indices {
        let value = (Float(min(from[x], Matte.one)) - middle) * slope + 16384
        to[x] = UInt16((value > 0 ? min(value, 32768) : 0) + 0.5)
      }
    }
  }
}
