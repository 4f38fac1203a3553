import BackdropDepth
import BackdropImaging

/// Frames with depth from files: a folder of pictures, or one pair.
///
/// These folders are understood:
/// - the layout of the TUM RGB-D benchmark: `rgb.txt` and `depth.txt` with timestamps, depth with 5000 units a metre;
/// - a folder `rgb` or `color` (`colour`, `image`, `frame`…) and a folder `depth`, files matched by name, as Open3D and
///   the RealSense tools write them, with `camera_intrinsic.json`;
/// - all in one folder, as `17.jpg` and `17_depth.png`, or `rgb_17.png` and `depth_17.png`.
///
/// Depth is 16-bit grey PNG or raw numbers (`.bin`, `.raw`, `.f32`, `.f16`, `.u16`). A frame that is missing or damaged
/// is passed over and listed in ``skipped``.
///
///     var recording = try RGBDRecording(folder: "freiburg1_desk")
///     while let frame = try recording.next() { … }
public struct RGBDRecording: SceneSource, Sendable {
  /// The folder, or the picture of a single pair.
  public let name: String
  /// Size of the colour pictures.
  public let width: Int
  /// Size of the colour pictures.
  public let height: Int
  /// Frames that have no partner or could not be read, in the order in which that was found.
  public private(set) var skipped: FaultTally<SkippedFrame>
  /// Something wrong beside the frames, such as a camera file that was not understood and left aside.
  public let warnings: [BackdropError]
  /// The camera of the depth maps, where a file beside them tells.
  public let intrinsics: Intrinsics?
  /// Units of the depth pictures per metre.
  public let unitsPerMetre: Double

  private let options: RecordingOptions
  /// The same, as the file has it: without a size if it does not tell one.
  private let camera: Intrinsics?
  private let entries: [RecordingEntry]
  private var position: Int
  /// The frame that was read to learn the size.
  private var first: Scene?

  /// Frames that have both files, damaged or not.
  public var frameCount: Int? { entries.count }

  /// The pixel format of the pictures.
  public var format: PixelFormat { options.colorFormat }
  /// What the options say, for recordings without timestamps.
  public var framesPerSecond: Double { options.framesPerSecond }
  /// As ``unitsPerMetre``, where depth is pictures.
  public var storedUnitsPerMetre: Double? { options.raw == nil ? unitsPerMetre : nil }

  /// Whether it is one pair.
  public let isStill: Bool
  /// The files of all frames.
  public var files: [String] { entries.flatMap { [$0.color, $0.depth] } }

  /// Opens a folder and reads its first good frame.
  ///
  /// - Throws: `wrongArgument` if there is no such folder or a raw file comes without ``RecordingOptions/raw``,
  ///   `badData` if no frame can be used or depth and picture differ in aspect.
  public init(folder: String, options: RecordingOptions = RecordingOptions()) throws(BackdropError) {
    var options = options
    let layout = try RecordingLayout(folder: folder, options)
    var warnings: [BackdropError] = []
    var camera: Intrinsics?
    var units = layout.isTUM ? 5000.0 : 1000
    do throws(BackdropError) {
      if let description = try RecordingDescription(folder: folder) {
        units = description.unitsPerMetre
        camera = description.intrinsics
        options.allowsAnyAspect = options.allowsAnyAspect || description.depthCoversPicture
      } else {
        camera = try CameraFile.find(in: folder, firstStem: layout.entries.first.map { FileName($0.color).stem })
      }
    } catch {
      warnings.append(error)
    }
    try self.init(
      name: folder, entries: layout.entries, skipped: layout.skipped, camera: camera,
      unitsPerMetre: options.unitsPerMetre ?? units, warnings: warnings, options: options)
  }

  /// Opens one picture and the depth that belongs to it.
  ///
  /// - Throws: what is wrong with either file; `badData` if they differ in aspect.
  public init(
    color: String, depth: String, intrinsics: Intrinsics? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(BackdropError) {
    try self.init(
      name: color, entries: [RecordingEntry(number: 1, time: 0, color: color, depth: depth)], skipped: FaultTally(),
      camera: intrinsics, unitsPerMetre: options.unitsPerMetre ?? 1000, warnings: [], isStill: true, options: options)
  }

  private init(
    name: String, entries: [RecordingEntry], skipped: FaultTally<SkippedFrame>, camera: Intrinsics?,
    unitsPerMetre: Double,
    warnings: [BackdropError], isStill: Bool = false, options: RecordingOptions
  ) throws(BackdropError) {
    self.name = name
    self.entries = entries
    self.skipped = skipped
    self.options = options
    self.warnings = warnings
    self.isStill = isStill
    self.unitsPerMetre = unitsPerMetre
    self.camera = camera
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    position = 0
    var found: Scene?
    var firstError: BackdropError?
    while found == nil && position < entries.count {
      let entry = entries[position]
      position += 1
      do throws(BackdropError) {
        found = try entry.load(options, unitsPerMetre: unitsPerMetre, camera: camera)
      } catch {
        // What the caller must decide is the same for every frame.
        if error.kind == .wrongArgument && options.raw == nil && RecordingEntry.isRaw(error.path ?? "", options) {
          throw error
        }
        firstError = firstError ?? error
        self.skipped.append(SkippedFrame(number: entry.number, error: error))
      }
    }
    guard let found else {
      var error = firstError ?? BackdropError(.badData, "the recording has no frames", path: name)
      if entries.count > 1 {
        error.message = "Backdrop can use none of the \(entries.count) frames; the first: \(error.message)"
      }
      throw error
    }
    try entries[position - 1].checkAspect(
      of: found.depth, width: found.image.width, height: found.image.height, options)
    intrinsics = camera?.width == 0 ? found.depth?.intrinsics : camera
    first = found
    width = found.image.width
    height = found.image.height
  }

  /// The next frame whose files are whole and of the right size; `nil` at the end.
  ///
  /// It never throws: what is wrong with a frame goes to ``skipped``.
  ///
  /// - Throws: nothing: what is wrong with a frame goes to ``skipped``.
  public mutating func next() throws(BackdropError) -> Scene? {
    if let frame = first {
      first = nil
      return frame
    }
    while position < entries.count {
      let entry = entries[position]
      position += 1
      do throws(BackdropError) {
        let frame = try entry.load(options, unitsPerMetre: unitsPerMetre, camera: camera)
        guard frame.image.width == width && frame.image.height == height else {
          throw BackdropError(
            .badData,
            "the picture is \(frame.image.width)×\(frame.image.height), but those before it are \(width)×\(height)",
            path: entry.color)
        }
        try entry.checkAspect(of: frame.depth, width: width, height: height, options)
        return frame
      } catch {
        skipped.append(SkippedFrame(number: entry.number, error: error))
      }
    }
    return nil
  }
}
