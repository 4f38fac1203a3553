import BackdropDepth
import BackdropImaging

/// Frames with depth from files: a folder of pictures, or one pair.
///
/// It reads these folders:
/// - the layout of the TUM RGB-D benchmark: `rgb.txt` and `depth.txt` with timestamps, depth with 5000 units per metre;
/// - a folder `rgb` or `color` (`colour`, `image`, `frame`…) and a folder `depth`, files matched by name, as Open3D and
///   the RealSense tools write them, with `camera_intrinsic.json`;
/// - all in one folder, as `17.jpg` and `17_depth.png`, or `rgb_17.png` and `depth_17.png`;
/// - 7-Scenes, ScanNet, Polycam, Record3D's exports, pictures of librealsense's tools.
///
/// Depth is 16-bit grey PNG, OpenEXR or raw numbers (`.bin`, `.raw`, `.f32`, `.f16`, `.u16`). A missing or damaged frame is skipped and
/// listed in ``skipped``.
///
///     var recording = try PictureFolderRecording(folder: "freiburg1_desk")
///     while let frame = try recording.next() { … }
package struct PictureFolderRecording: SceneSource, Sendable {
  /// The facts about it. Its name is that of the folder, or of the picture of a single pair.
  package private(set) var info: SourceInfo
  /// Frames without a partner and unreadable frames, in the order of discovery.
  package private(set) var skipped: FaultTally<SkippedFrame>
  /// Other errors, such as that of an invalid camera file, which is ignored.
  package private(set) var warnings: [BackdropError]
  /// The camera of the depth maps, if a file gives it.
  package let intrinsics: Intrinsics?
  package let unitsPerMetre: Double

  private let options: RecordingOptions
  /// The camera as the file gives it: of size 0 if the file has no size.
  private let camera: Intrinsics?
  private let entries: [RecordingEntry]
  private var position: Int
  /// The frame read to determine the size.
  private var first: Scene?

  /// Opens a folder and reads its first good frame.
  package init(folder: String, options: RecordingOptions = RecordingOptions()) throws(BackdropError) {
    try self.init(RecordingLayout(folder: folder, options), folder: folder, options: options)
  }

  /// Reads the first good frame of a folder with a given layout.
  package init(_ layout: RecordingLayout, folder: String, options: RecordingOptions) throws(BackdropError) {
    guard layout.video == nil else {
      throw BackdropError(
        .unsupported, "this recording stores its pictures as a video", path: folder,
        hint: "give the recording itself, not its folder of pictures")
    }
    var (layout, options) = (layout, options)
    let description = try layout.readCamera(folder)
    options.allowsAnyAspect =
      options.allowsAnyAspect || description?.depthCoversPicture == true || layout.cameras != nil
    layout.unitsPerMetre = options.unitsPerMetre ?? layout.unitsPerMetre
    try self.init(layout, name: folder, isStill: false, options: options)
  }

  /// Opens one picture and its depth.
  package init(
    color: String, depth: String, intrinsics: Intrinsics? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(BackdropError) {
    var layout = RecordingLayout()
    layout.entries = [RecordingEntry(number: 1, time: 0, color: color, depth: depth)]
    layout.camera = intrinsics
    layout.unitsPerMetre = options.unitsPerMetre ?? 1000
    try self.init(layout, name: color, isStill: true, options: options)
  }

  private init(
    _ layout: RecordingLayout, name: String, isStill: Bool, options: RecordingOptions
  ) throws(BackdropError) {
    (entries, skipped, warnings) = (layout.entries, layout.skipped, layout.warnings)
    (camera, unitsPerMetre) = (layout.camera, layout.unitsPerMetre)
    info = SourceInfo(
      name, format: options.colorFormat, framesPerSecond: layout.framesPerSecond ?? options.framesPerSecond)
    if layout.hasPoses { info.unreadParts = ["camera poses"] }
    (info.frameCount, info.isStill, info.cameras) = (layout.entries.count, isStill, layout.cameras)
    info.files = layout.entries.flatMap { [$0.color, $0.depth] }
    if options.raw == nil { info.storedUnitsPerMetre = layout.unitsPerMetre }
    self.options = options
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    position = 0
    var (found, notes): (Scene?, [BackdropError]) = (nil, [])
    var firstError: BackdropError?
    while found == nil && position < entries.count {
      let entry = entries[position]
      position += 1
      do throws(BackdropError) {
        found = try entry.load(options, unitsPerMetre: unitsPerMetre, camera: camera) { notes.append($0) }
      } catch {
        // An argument that the caller must add is missing for every frame.
        if error.kind == .wrongArgument && options.raw == nil && RecordingEntry.isRaw(error.path ?? "", options) {
          throw error
        }
        firstError = firstError ?? error
        self.skipped.append(entry.number, error)
      }
    }
    guard let found else {
      var error = firstError ?? BackdropError(.badData, "the recording has no frames", path: name)
      if entries.count > 1 {
        error.message = "Backdrop can use none of the \(entries.count) frames; the first: \(error.message)"
      }
      throw error
    }
    for fault in notes { warnings.note(fault) }
    try entries[position - 1].checkAspect(
      of: found.depth, width: found.image.width, height: found.image.height, options)
    intrinsics = camera.map { $0.width > 0 } == true ? camera : found.depth?.intrinsics
    first = found
    (info.width, info.height) = (found.image.width, found.image.height)
  }

  /// The next frame with complete files of the right size; `nil` at the end.
  ///
  /// - Throws: nothing; a frame's errors go to ``skipped``.
  package mutating func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    while position < entries.count {
      let entry = entries[position]
      position += 1
      do throws(BackdropError) {
        var notes: [BackdropError] = []
        let frame = try entry.load(options, unitsPerMetre: unitsPerMetre, camera: camera) { notes.append($0) }
        for fault in notes { warnings.note(fault) }
        try checkSize(of: frame.image, path: entry.color)
        try entry.checkAspect(of: frame.depth, width: width, height: height, options)
        return frame
      } catch {
        skipped.append(entry.number, error)
      }
    }
    return nil
  }
}

extension [BackdropError] {
  /// Adds a warning about an optional part, once for each message.
  mutating func note(_ fault: BackdropError) {
    if count < 100, !contains(where: { $0.message == fault.message }) { append(fault) }
  }
}

extension RecordingLayout {
  /// Adopts the camera and units from a file beside the frames; its errors become warnings.
  ///
  /// - Throws: `system` for a description that cannot be read, because the units are then unknown.
  fileprivate mutating func readCamera(_ folder: String) throws(BackdropError) -> RecordingDescription? {
    guard looksForCamera else { return nil }
    do throws(BackdropError) {
      if let description = try RecordingDescription(folder: folder) {
        unitsPerMetre = description.unitsPerMetre
        camera = description.intrinsics
        return description
      }
      camera = try CameraFile.find(in: folder, firstStem: entries.first.map { FileName($0.color).stem }) ?? camera
    } catch {
      if error.kind == .system { throw error }
      warnings.append(error)
    }
    return nil
  }
}
