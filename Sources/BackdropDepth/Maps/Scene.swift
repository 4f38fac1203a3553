import BackdropImaging

/// One moment from any source: the colour picture, and all other data of the source about it.
///
/// A value that the source does not have is `nil`; ``depthFault`` is the reason if depth is missing for this moment only.
public struct Scene: Sendable {
  /// The colour picture, upright, with square pixels, progressive and opaque.
  public var image: Image
  /// The visible part of each pixel, 0…255, at the picture's size; `nil` if all is visible. Hidden parts are never shown.
  public var alpha: Plane<UInt8>?
  /// The picture in its own high dynamic range, if requested.
  package var deep: DeepFrame?
  /// Distances in metres, at their own resolution; they cover the whole picture.
  public var depth: DepthMap?
  /// The reason why a source with depth has none for this moment; `nil` for a source without depth.
  public var depthFault: BackdropError?
  /// Inverse distances on the camera's own scale, as phones with two lenses measure them.
  public var disparity: DisparityMap?
  /// The camera's mattes, each at its own resolution.
  public var mattes: [MatteKind: Matte]
  /// Faces in the colour picture, largest first; `nil` if none were looked for.
  public var faces: [Rect]?
  /// Seconds since the stream began.
  public var time: Double
  /// The exact time, if the source counts in ticks.
  public var ticks: SceneTicks?
  /// The camera's pose: from its axes (x right, y down, z forwards) to those of the recording's world, in metres; `nil` if unknown.
  public var pose: Extrinsics?

  /// Makes a scene. The alpha of the upright picture becomes the scene's.
  public init(
    image: Image, alpha: Plane<UInt8>? = nil, depth: DepthMap? = nil, depthFault: BackdropError? = nil,
    disparity: DisparityMap? = nil,
    mattes: [MatteKind: Matte] = [:], faces: [Rect]? = nil, time: Double = 0, ticks: SceneTicks? = nil
  ) {
    var image = image
    let own = image.removeAlpha()
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

/// A scene's time and duration, in ticks of its source's time base.
public struct SceneTicks: Sendable, Equatable {
  /// The time at which it is shown.
  public var time: Int64
  /// The duration; 0 if unknown.
  public var duration: Int64

  /// Makes a time.
  public init(time: Int64, duration: Int64) {
    self.time = time
    self.duration = duration
  }
}
