import BackdropDepth
import BackdropImaging

/// How to read a recording, where its files do not determine it.
public struct RecordingOptions: Sendable {
  /// Units per metre of a depth picture; `nil` for the recording's own value, or 5000 with TUM lists and 1000 (millimetres) without.
  public var unitsPerMetre: Double?
  /// Size and sample format of files without a header: raw colour and raw depth.
  public var raw: RawFrameLayout?
  /// The maximum time difference in seconds between a colour and a depth picture of a TUM recording.
  public var timeTolerance = 0.02
  /// Frames per second of recordings without timestamps.
  public var framesPerSecond = 30.0
  /// Whether depth of a different aspect covers the whole picture, with x and y scaled independently. If not, aspects may differ by 2 %.
  public var allowsAnyAspect = false
  /// How to bring unregistered depth and pictures into one view; `nil` if they are registered. With it, aspects may differ.
  public var alignment: RecordingAlignment?
  /// The view of the frames, if a recording has both of its cameras; `nil` for the colour camera's.
  public var view: RecordingAlignment.View?
  /// The pixel format of the pictures.
  public var colorFormat = PixelFormat.rgba8
  /// The minimum confidence of a distance, if a recording has it: ARKit's 0 (low), 1 (medium) or 2 (high). Other distances become holes.
  public var minimumConfidence: UInt8 = 1
  /// Decoder threads; with 0 the decoders choose.
  public var threads = 0
  /// The largest accepted picture and depth map.
  public var limits = ImageLimits.standard

  /// The defaults.
  public init() {}

  /// The maximum time difference in seconds between the two pictures of a frame from streams of this rate: a little more than half a frame.
  func tolerance(framesPerSecond: Double) -> Double { max(timeTolerance, 0.6 / framesPerSecond) }
}

/// The size and sample format of raw frames, which have no header.
public struct RawFrameLayout: Sendable, Equatable {
  /// Size of the colour picture.
  public var width, height: Int
  /// Pixel format of the colour picture, planes tightly packed.
  public var color: PixelFormat
  /// Size of the depth map.
  public var depthWidth, depthHeight: Int
  package var depth: DepthEncoding

  /// Makes a layout; by default the depth map has the picture's size.
  package init(
    width: Int, height: Int, color: PixelFormat = .bgra8, depthWidth: Int? = nil, depthHeight: Int? = nil,
    depth: DepthEncoding = DepthEncoding(.float32)
  ) {
    (self.width, self.height, self.color) = (width, height, color)
    self.depthWidth = depthWidth ?? width
    self.depthHeight = depthHeight ?? height
    self.depth = depth
  }
}
