import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Libc

/// A recording of a Kinect, Xtion or Astra camera in the format of OpenNI 1 and 2 (`.oni`), read without their libraries.
///
/// Depth is in units of 1 mm or 0.1 mm, compressed (`16zP`, `16zT`) or not, and colour is JPEG, RGB, YUV or grey. The frames of both
/// streams are matched by time; a frame without a partner is skipped and listed in ``skipped``. Mirrored recordings are unmirrored. The
/// file does not state whether depth is registered to the picture; Backdrop assumes that it is.
package final class OniRecording: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  package private(set) var warnings: [BackdropError] = []

  private let file: OniFile
  private let options: RecordingOptions
  private let color: Stream
  private let depth: Stream
  private let unitsPerMetre: Double
  private var position = (color: 0, depth: 0)
  private var first: Scene?

  /// The header of one of the two streams.
  struct Stream {
    var codec: UInt32
    /// The pixel format, in OpenNI2's numbers.
    var format: Int
    var width: Int
    var height: Int
    var framesPerSecond: Double
    var isMirrored: Bool
    var camera: Intrinsics?
    var frames: [OniFile.Data]
  }

  /// Opens a recording.
  package init(_ path: String, options: RecordingOptions) throws(BackdropError) {
    file = try OniFile(path)
    self.options = options
    do throws(BackdropError) {
      color = try Self.stream(file, OniFile.color, "colour", options)
      depth = try Self.stream(file, OniFile.depth, "depth", options)
      let units: Double
      switch depth.format {
      case OniFormat.millimetres: units = 1000
      case OniFormat.tenths: units = 10_000
      default:
        throw BackdropError(
          .unsupported, "Backdrop does not read depth in OpenNI's format \(depth.format)",
          hint: "record with depth in millimetres")
      }
      unitsPerMetre = options.unitsPerMetre ?? units
      _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
      if !options.allowsAnyAspect {
        try Aspect.check(depth: (depth.width, depth.height), picture: (color.width, color.height))
      }
      info = SourceInfo(
        path, width: color.width, height: color.height, format: options.colorFormat,
        framesPerSecond: depth.framesPerSecond)
      (info.frameCount, info.storedUnitsPerMetre) = (min(color.frames.count, depth.frames.count), unitsPerMetre)
      info.files = [path]
      if let damage = file.damage { warnings.append(damage) }
      first = try next()
      guard first != nil else {
        throw skipped.first.first?.error
          ?? BackdropError(.badData, "no frame has both colour and depth", hint: "copy it again from the original")
      }
    } catch { throw error.at(path) }
  }

  private static func stream(
    _ file: OniFile, _ kind: UInt32, _ word: String, _ options: RecordingOptions
  ) throws(BackdropError) -> Stream {
    let found = file.nodes.sorted { $0.key < $1.key }.map(\.value).filter { $0.kind == kind }
    guard let node = found.first(where: { !$0.frames.isEmpty }) ?? found.first else {
      throw file.damage
        ?? BackdropError(
          .unsupported, "the recording has no \(word)", hint: "give a recording with both colour and depth")
    }
    let codecs = kind == OniFile.depth ? OniFormat.depthCodecs : OniFormat.colorCodecs
    guard codecs.contains(node.codec) else { throw OniFormat.unknown(node.codec, word) }
    guard !node.frames.isEmpty else {
      throw BackdropError(.badData, "the recording's \(word) has no frames", hint: "copy it again from the original")
    }
    guard let mode = node.properties["xnMapOutputMode"], mode.count >= 12 else {
      throw BackdropError(
        .badData, "the recording gives no size for its \(word)", hint: "copy it again from the original")
    }
    let full = (width: Int(mode.word32(0)), height: Int(mode.word32(4)))
    try options.limits.check(width: full.width, height: full.height)
    var crop = (x: 0, y: 0, width: full.width, height: full.height)
    if let value = node.properties["xnCropping"], value.count >= 12, value.word32(0) != 0 {
      crop = (Int(value.word16(4)), Int(value.word16(6)), Int(value.word16(8)), Int(value.word16(10)))
    }
    guard crop.width > 0 && crop.height > 0 && crop.x + crop.width <= full.width && crop.y + crop.height <= full.height
    else {
      throw BackdropError(
        .badData,
        "the recording's \(word) is cropped to \(crop.width)×\(crop.height) at (\(crop.x), \(crop.y)) of \(full.width)×\(full.height), which is not possible",
        hint: "copy it again from the original")
    }
    let rate = Double(mode.word32(8))
    let camera = node.properties["xnFOV"].flatMap { bytes in
      bytes.count < 16
        ? nil
        : Intrinsics(
          across: Double(bitPattern: bytes.word64(0)), down: Double(bitPattern: bytes.word64(8)), width: full.width,
          height: full.height)
    }
    return Stream(
      codec: node.codec, format: try OniFormat.of(node, isDepth: kind == OniFile.depth), width: crop.width,
      height: crop.height, framesPerSecond: rate > 0 && rate <= 1000 ? rate : 30,
      isMirrored: node.integer("xnMirror") == 1,
      camera: camera.map { $0.cropped(x: crop.x, y: crop.y, width: crop.width, height: crop.height) },
      frames: node.frames)
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    let tolerance = options.tolerance(framesPerSecond: framesPerSecond)
    while position.color < color.frames.count && position.depth < depth.frames.count {
      let number = position.color + 1
      let (shown, measured) = (color.frames[position.color], depth.frames[position.depth])
      let seconds = (Double(measured.microseconds) - Double(shown.microseconds)) / 1e6
      if seconds < -tolerance {
        position.depth += 1
        continue
      }
      position.color += 1
      guard seconds <= tolerance else {
        skipped.append(number, BackdropError(.badData, "it has no depth"))
        continue
      }
      position.depth += 1
      do throws(BackdropError) {
        let time = (Double(shown.microseconds) - Double(color.frames[0].microseconds)) / 1e6
        return Scene(image: try picture(shown), depth: try map(measured), time: time)
      } catch {
        skipped.append(number, error)
      }
    }
    return nil
  }

  private func picture(_ data: OniFile.Data) throws(BackdropError) -> Image {
    let bytes = try file.read(data, limit: color.byteLimit)
    var image =
      color.codec == OniFormat.jpeg || color.format == OniFormat.mjpeg
      ? try JPEG.decode(bytes, limits: options.limits) : try OniFormat.image(bytes, color)
    guard image.width == width && image.height == height else {
      throw BackdropError(
        .badData, "the picture is \(image.width)×\(image.height), but the file claims \(width)×\(height)", path: name)
    }
    if color.isMirrored {
      image.orientation = .upMirrored
      image = image.upright()
    }
    return image.converted(to: options.colorFormat)
  }

  private func map(_ data: OniFile.Data) throws(BackdropError) -> DepthMap {
    let bytes = try file.read(data, limit: depth.byteLimit)
    let count = depth.width * depth.height
    let units: [UInt16]
    switch depth.codec {
    case OniFormat.packed, OniFormat.packedWithTable:
      units = try OniDepthCodec.decode(bytes, count: count, hasTable: depth.codec == OniFormat.packedWithTable)
    default:
      guard bytes.count == 2 * count else {
        throw BackdropError(.badData, "a depth frame has \(bytes.count) bytes, not \(2 * count)", path: name)
      }
      units = (0..<count).map { bytes.word16(2 * $0) }
    }
    let map = try DepthMap(
      units: Plane(units, width: depth.width, height: depth.height), unitsPerMetre: unitsPerMetre,
      intrinsics: depth.camera)
    return depth.isMirrored ? map.oriented(.upMirrored) : map
  }
}

extension OniRecording.Stream {
  /// The maximum size of a frame in bytes: over three a pixel if compression enlarges it, and a table of all numbers.
  fileprivate var byteLimit: Int { 4 * width * height + (1 << 18) }
}

extension Intrinsics {
  /// A camera with these fields of view in radians, and its principal point in the middle; `nil` for impossible ones.
  init?(across: Double, down: Double, width: Int, height: Int) {
    guard across > 0.01 && across < 3.1 && down > 0.01 && down < 3.1, width > 0, height > 0 else { return nil }
    let (w, h) = (Double(width), Double(height))
    self.init(
      fx: w / 2 / tan(across / 2), fy: h / 2 / tan(down / 2), cx: w / 2, cy: h / 2, width: width, height: height)
  }
}
