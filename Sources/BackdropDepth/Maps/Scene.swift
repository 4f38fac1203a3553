import BackdropImaging

/// One moment, from anywhere: the colour picture and all that its source knows about it.
///
/// What the source does not know is `nil`; what it usually knows, but lost for this moment, is said by ``depthFault``.
public struct Scene: Sendable {
  /// The colour picture, upright, with square pixels, progressive and opaque.
  public var image: Image
  /// How much of each pixel is to be seen, 0…255, at the picture's size; `nil` where all is. What it hides is never shown.
  public var alpha: Plane<UInt8>?
  /// The picture in its own high dynamic range, where that was asked for.
  public var deep: DeepFrame?
  /// Distances in metres, at their own resolution; they cover the whole picture.
  public var depth: DepthMap?
  /// Why there is no depth, where the source brings some; `nil` where it has none to bring.
  public var depthFault: BackdropError?
  /// Inverse distances on a scale of the camera's own, as phones with two lenses measure them.
  public var disparity: DisparityMap?
  /// The mattes that the camera made, each at its own resolution.
  public var mattes: [MatteKind: Matte]
  /// Faces in the colour picture, largest first; `nil` where nobody looked for them.
  public var faces: [Rect]?
  /// Seconds since the stream began.
  public var time: Double
  /// The exact time, where the source counts in ticks.
  public var ticks: SceneTicks?
  /// Where the camera was: from its axes (x right, y down, z forwards) to those of the recording's world, in metres; `nil` where
  /// nobody knows.
  public var pose: Extrinsics?

  /// Makes a scene. Alpha of the picture, which is upright, becomes the scene's.
  public init(
    image: Image, alpha: Plane<UInt8>? = nil, depth: DepthMap? = nil, depthFault: BackdropError? = nil,
    disparity: DisparityMap? = nil,
    mattes: [MatteKind: Matte] = [:], faces: [Rect]? = nil, time: Double = 0, ticks: SceneTicks? = nil
  ) {
    var image = image
    let own = image.takeAlpha()
    self.image = image
    self.alpha = alpha ?? own
    self.depth = depth
    self.depthFault = depthFault
    self.disparity = disparity
    self.mattes = mattes
    self.faces = faces
    self.time = time
    self.ticks = ticks
  }
}

/// When a scene is shown and for how long, in ticks of its source's time base.
public struct SceneTicks: Sendable, Equatable {
  /// When it is shown.
  public var time: Int64
  /// How long; 0 if unknown.
  public var duration: Int64

  /// Makes a time.
  public init(time: Int64, duration: Int64) {
    self.time = time
    self.duration = duration
  }
}
