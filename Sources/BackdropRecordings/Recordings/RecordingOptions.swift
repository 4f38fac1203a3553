import BackdropDepth
import BackdropImaging

/// How to read a recording, where its files leave that open.
public struct RecordingOptions: Sendable {
  /// Units of a depth picture per metre; `nil` for what the recording says of itself, else 5000 with TUM lists and 1000
  /// (millimetres) without.
  public var unitsPerMetre: Double?
  /// Size and sample format of files that do not say: raw colour and raw depth.
  public var raw: RawFrameLayout?
  /// How far apart in seconds a colour and a depth picture of a TUM recording may be to belong together.
  public var timeTolerance = 0.02
  /// Frames a second of recordings without timestamps.
  public var framesPerSecond = 30.0
  /// Whether depth of another aspect than the picture's is taken to cover the whole picture, x and y scaled
  /// independently. Otherwise aspects may differ by 2 %.
  public var allowsAnyAspect = false
  /// How depth and pictures are brought together that are not registered; `nil` where they are. Then aspects may differ.
  public var alignment: RecordingAlignment?
  /// Whose view frames are of, where a recording brings both of its cameras; `nil` for the colour camera's.
  public var view: RecordingAlignment.View?
  /// The pixel format of the pictures.
  public var colorFormat = PixelFormat.rgba8
  /// The least confidence with which a distance counts, where a recording tells it: of ARKit's 0 (low), 1 (medium) and
  /// 2 (high). What has less is a hole.
  public var minimumConfidence: UInt8 = 1
  /// Decoder threads; 0 leaves it to the decoders.
  public var threads = 0
  /// Largest picture and map.
  public var limits = ImageLimits.standard

  /// The defaults.
  public init() {}
}

/// The size and sample format of raw frames, which no header tells.
public struct RawFrameLayout: Sendable, Equatable {
  /// Size of the colour picture.
  public var width, height: Int
  /// Pixel format of the colour picture, planes tightly packed.
  public var color: PixelFormat
  /// Size of the depth map.
  public var depthWidth, depthHeight: Int
  /// The numbers of the depth map.
  public var depth: DepthEncoding

  /// Makes a layout; the depth map has the picture's size unless another is given.
  public init(
    width: Int, height: Int, color: PixelFormat = .bgra8, depthWidth: Int? = nil, depthHeight: Int? = nil,
    depth: DepthEncoding = DepthEncoding(.float32)
  ) {
    self.width = width
    self.height = height
    self.color = color
    self.depthWidth = depthWidth ?? width
    self.depthHeight = depthHeight ?? height
    self.depth = depth
  }
}
