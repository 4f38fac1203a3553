import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// One unread frame of a recording.
package struct RecordingEntry: Sendable {
  /// The frame's number, from 1.
  var number: Int
  /// Seconds since the recording's start.
  var time: Double
  /// The paths of the two files.
  package var color, depth: String
  /// The path of the file with ARKit's confidence.
  var confidence: String?
  var depthForm = DepthForm.byName
  var facts = FrameFacts.none

  package init(number: Int, time: Double, color: String, depth: String) {
    (self.number, self.time, self.color, self.depth) = (number, time, color, depth)
  }

  /// Reads all files; `note` receives the errors of optional parts.
  ///
  /// A picture stored rotated is turned upright, and so is its depth, unless its aspect shows that it is already upright. A camera of size
  /// 0 takes the size of the picture.
  func load(
    _ options: RecordingOptions, unitsPerMetre: Double, camera: Intrinsics?, note: (BackdropError) -> Void
  ) throws(BackdropError) -> Scene {
    try scene(try loadColor(options), options, unitsPerMetre: unitsPerMetre, camera: camera, note: note)
  }

  /// Completes a frame whose picture is already read.
  func scene(
    _ picture: Image, _ options: RecordingOptions, unitsPerMetre: Double, camera: Intrinsics?,
    note: (BackdropError) -> Void
  ) throws(BackdropError) -> Scene {
    var image = picture
    var (own, pose): (Intrinsics?, Extrinsics?)
    do throws(BackdropError) { (own, pose) = try facts.read() } catch { note(error) }
    var camera = own ?? camera
    if camera?.width == 0 {
      camera?.width = image.width
      camera?.height = image.height
    }
    var map = try loadDepth(options, unitsPerMetre: unitsPerMetre, camera: camera)
    if confidence != nil {
      do throws(BackdropError) {
        map = try map.withConfidence(loadConfidence(map, options), least: options.minimumConfidence)
      } catch { note(error) }
    }
    let orientation = image.orientation
    image = image.upright()
    map = RecordingEntry.turned(map, with: orientation, width: image.width, height: image.height)
    var scene = Scene(image: image, depth: map, time: time)
    // For a rotated picture, the pose would be that of a rotated camera.
    scene.pose = orientation == .up ? pose : nil
    return scene
  }

  /// The depth of a picture that was stored rotated and is now upright, of `width × height`: rotated as well, unless its aspect shows that
  /// it is already upright.
  package static func turned(_ map: DepthMap, with orientation: Orientation, width: Int, height: Int) -> DepthMap {
    let isUpright =
      orientation.swapsSides && !Aspect.agree(height, width, map.width, map.height)
      && Aspect.agree(width, height, map.width, map.height)
    return orientation == .up || isUpright ? map : map.oriented(orientation)
  }

  package func checkAspect(
    of map: DepthMap?, width: Int, height: Int, _ options: RecordingOptions
  ) throws(BackdropError) {
    guard let map, !options.allowsAnyAspect else { return }
    try Aspect.check(depth: (map.width, map.height), picture: (width, height), path: depth)
  }

  private func loadColor(_ options: RecordingOptions) throws(BackdropError) -> Image {
    if !Self.isRaw(color, options) { return try Picture.load(color, as: options.colorFormat, limits: options.limits) }
    let raw = try Self.layout(of: color, options)
    do throws(BackdropError) {
      try options.limits.check(width: raw.width, height: raw.height)
      let bytes = try InputFile.read(color)
      let image = try Image(raw.color, width: raw.width, height: raw.height, packed: bytes.span)
      return image.converted(to: options.colorFormat)
    } catch { throw error.at(color) }
  }

  static func layout(of path: String, _ options: RecordingOptions) throws(BackdropError) -> RawFrameLayout {
    guard let raw = options.raw else {
      throw BackdropError(.wrongArgument, "a raw file does not contain its size", path: path, hint: .giveRawLayout)
    }
    return raw
  }

  static let rawExtensions: Set<String> = ["bin", "raw", "f32", "f16", "u16", "bgra", "rgba", "yuv"]
  static let pictureExtensions = Set(PictureFormat.all.flatMap { $0.codec.fileExtensions })

  /// Whether a file has no header, by its extension; with a layout for raw files, any extension but a picture's.
  package static func isRaw(_ path: String, _ options: RecordingOptions) -> Bool {
    let fileExtension = FileName(path).fileExtension
    return rawExtensions.contains(fileExtension) || (options.raw != nil && !pictureExtensions.contains(fileExtension))
  }
}

enum Aspect {
  /// Whether both sizes have the same aspect within 2 %.
  static func agree(_ width: Int, _ height: Int, _ otherWidth: Int, _ otherHeight: Int) -> Bool {
    let a = Double(width) * Double(otherHeight)
    let b = Double(otherWidth) * Double(height)
    return abs(a - b) <= 0.02 * max(a, b)
  }

  static func check(
    depth: (width: Int, height: Int), picture: (width: Int, height: Int), path: String? = nil
  ) throws(BackdropError) {
    guard agree(picture.width, picture.height, depth.width, depth.height) else {
      throw BackdropError(
        .badData,
        "the depth (\(depth.width)×\(depth.height)) and the picture (\(picture.width)×\(picture.height)) have different aspect ratios",
        path: path, hint: .allowAnyAspect)
    }
  }
}
