import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// A recording of the Record3D app: a ZIP archive (`.r3d`) of JPEG pictures, depth in metres as LZFSE-compressed Float32, and ARKit's
/// confidence in each distance.
///
/// Depth and picture cover the same view, each at its size. Distances below ``RecordingOptions/minimumConfidence``, by default ARKit's low
/// confidence, become holes. A missing or damaged frame is skipped and listed in ``skipped``.
package struct Record3DRecording: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  package private(set) var warnings: [BackdropError] = []

  private let archive: ZipArchive
  private let metadata: Record3DMetadata
  private let options: RecordingOptions
  /// The numbers, from 0, of frames with colour and depth.
  private let frames: [Int]
  private var depthSize: (width: Int, height: Int)?
  private var position = 0
  private var first: Scene?
  /// Whether any frame's confidence was unreadable.
  private var lacksConfidence = false

  /// Opens a recording and reads its first good frame.
  package static func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> Record3DRecording {
    let archive: ZipArchive
    var isUnfinished = false
    do throws(BackdropError) {
      archive = try ZipArchive.open(path)
    } catch {
      // If the recording process was killed, the archive begins with a draft.
      guard error.kind == .badData,
        let found = try ZipArchive.openUnfinished(path, beginningWith: Record3DWriter.draftName)
      else { throw error }
      archive = found
      isUnfinished = true
    }
    let draft = isUnfinished ? archive.entries[Record3DWriter.draftName] : nil
    guard let entry = archive.entries[Record3DWriter.metadataName] ?? draft else {
      throw BackdropError(
        .badData, "the archive is not a Record3D recording: it has no metadata", path: path,
        hint: "export the recording from Record3D as .r3d, or unpack another kind of archive first")
    }
    let files = FrameFiles(archive)
    let bytes = try archive.read(entry, limit: Record3DMetadata.byteLimit(frames: files.count))
    let metadata = try Record3DMetadata.read(bytes, frames: files.count, path: path, limits: options.limits)
    var result = Record3DRecording(archive, files, metadata, options)
    if isUnfinished {
      result.warnings.append(
        BackdropError(
          .badData,
          "the recording was not finished; Backdrop reads its \(result.frames.count) complete frames at a constant rate",
          path: path))
    }
    try result.findFirst()
    return result
  }

  /// The maximum frame number: a day at 100 frames per second.
  private static let numberLimit = 8_640_000

  /// The numbers of the frames that have a picture, and of those that have depth.
  private struct FrameFiles {
    var colors: Set<Int> = [], depths: Set<Int> = []

    init(_ archive: ZipArchive) {
      for path in archive.entries.keys where path.hasPrefix("rgbd/") {
        let file = FileName(path)
        guard let number = Int(file.stem), (0..<numberLimit).contains(number), String(number) == file.stem else {
          continue
        }
        switch file.fileExtension {
        case "jpg": colors.insert(number)
        case "depth": depths.insert(number)
        default: break
        }
      }
    }

    /// The maximum number of frames that can be complete.
    var count: Int { max(colors.count, depths.count) }
  }

  private init(_ archive: ZipArchive, _ files: FrameFiles, _ metadata: Record3DMetadata, _ options: RecordingOptions) {
    (self.archive, self.metadata, self.options) = (archive, metadata, options)
    let rate = metadata.fps ?? options.framesPerSecond
    info = SourceInfo(archive.path, format: options.colorFormat, framesPerSecond: rate > 0 && rate <= 1000 ? rate : 30)
    if let dw = metadata.dw, let dh = metadata.dh { depthSize = (dw, dh) }
    let (colors, depths) = (files.colors, files.depths)
    frames = colors.intersection(depths).sorted()
    (info.frameCount, info.files) = (frames.count, [archive.path])
    if archive.entries.keys.contains(where: { $0.hasSuffix(".m4a") || $0.hasSuffix(".wav") }) {
      info.unreadParts.append("sound")
    }
    if metadata.poses?.isEmpty == false { info.unreadParts.append("camera poses") }
    if let all = metadata.perFrameIntrinsicCoeffs, all.contains(where: { $0 != all.first }) {
      info.unreadParts.append("the intrinsics of all frames but the first")
    }
    let announced = metadata.frameTimestamps?.count ?? 0
    // Gaps between existing files count too, unless over half of all numbers are missing.
    let last = colors.union(depths).max().map { $0 + 1 } ?? 0
    let end = max(announced, last <= 2 * frames.count + 1000 ? last : 0)
    for number in 0..<end where !(colors.contains(number) && depths.contains(number)) {
      let lacks =
        colors.contains(number)
        ? "the depth is missing" : depths.contains(number) ? "the colour picture is missing" : "the frame is missing"
      skipped.append(number + 1, BackdropError(.badData, lacks))
    }
  }

  private mutating func findFirst() throws(BackdropError) {
    guard !frames.isEmpty else {
      throw BackdropError(
        .badData, "the recording has no frame with colour and depth", path: name,
        hint: "export it again from Record3D, as .r3d")
    }
    // Damaged frames alone explain why there is no first frame.
    let missing = skipped
    skipped = FaultTally()
    first = try next()
    let damaged = skipped
    skipped = missing + damaged
    guard let first else {
      var error = damaged.first[0].error
      if frames.count > 1 {
        error.message = "Backdrop can use none of the \(frames.count) frames; the first: \(error.message)"
      }
      error.hint = error.hint ?? Hint("export it again from Record3D, as .r3d")
      throw error.at(name)
    }
    (info.width, info.height) = (first.image.width, first.image.height)
  }

  package mutating func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    while position < frames.count {
      let number = frames[position]
      position += 1
      do throws(BackdropError) { return try load(number) } catch { skipped.append(number + 1, error) }
    }
    return nil
  }

  private mutating func load(_ number: Int) throws(BackdropError) -> Scene {
    var image = try JPEG.decode(
      try read("jpg", number, pixels: metadata.w * metadata.h), as: options.colorFormat, limits: options.limits)
    let orientation = image.orientation
    image = image.upright()
    try checkSize(of: image, path: name)
    guard Aspect.agree(image.width, image.height, metadata.w, metadata.h) else {
      throw BackdropError(
        .badData, "the picture is \(image.width)×\(image.height), but the metadata claims \(metadata.w)×\(metadata.h)",
        path: name)
    }
    var map = try loadDepth(number)
    map.intrinsics = try metadata.camera(of: number, name)
    map = RecordingEntry.turned(map, with: orientation, width: image.width, height: image.height)
    var scene = Scene(image: image, depth: map, time: metadata.time(of: number, framesPerSecond: framesPerSecond))
    scene.pose = orientation == .up ? metadata.pose(of: number) : nil
    return scene
  }

  private mutating func loadDepth(_ number: Int) throws(BackdropError) -> DepthMap {
    let packed = try read("depth", number, pixels: candidates.map { $0.width * $0.height }.max() ?? 0)
    var (size, bytes): ((width: Int, height: Int)?, [UInt8]) = (nil, [])
    var failure: BackdropError?
    for candidate in candidates where size == nil {
      do throws(BackdropError) {
        bytes = try unpack(packed, count: candidate.width * candidate.height * 4, "depth", number)
        size = candidate
      } catch {
        failure = failure ?? error
      }
    }
    guard let size else {
      throw failure ?? BackdropError(.badData, "the recording gives no size for its depth", path: name)
    }
    depthSize = size
    let encoding = DepthEncoding(.float32)
    let map = DepthMap(
      metres: try encoding.decode(bytes.span, width: size.width, height: size.height, limits: options.limits))
    guard let levels = levels(of: number, count: size.width * size.height) else { return map }
    return map.withConfidence(Plane(levels, width: size.width, height: size.height), least: options.minimumConfidence)
  }

  /// ARKit's confidence in each distance; `nil` if the frame has none. Its errors do not affect the depth, and cause one warning.
  private mutating func levels(of number: Int, count: Int) -> [UInt8]? {
    guard archive.entries["rgbd/\(number).conf"] != nil else { return nil }
    do throws(BackdropError) {
      return try unpack(try read("conf", number, pixels: count), count: count, "conf", number)
    } catch {
      if !lacksConfidence {
        lacksConfidence = true
        warnings.append(
          BackdropError(
            .badData,
            "Backdrop cannot read the confidence of some frames and uses their depth without it: \(error.message)",
            path: name))
      }
      return nil
    }
  }

  /// The size of depth, or those that the app used without writing them: the picture's, and those of the two sensors.
  private var candidates: [(width: Int, height: Int)] {
    depthSize.map { [$0] } ?? [(metadata.w, metadata.h), (192, 256), (256, 192), (480, 640), (640, 480)]
  }

  private func unpack(_ packed: [UInt8], count: Int, _ fileExtension: String, _ number: Int) throws(BackdropError)
    -> [UInt8]
  {
    do throws(BackdropError) {
      return try LZFSE.decodeIfPacked(packed.span, count: count)
    } catch {
      var named = error
      named.message = "\(error.message), in the archive's rgbd/\(number).\(fileExtension)"
      throw named.at(name)
    }
  }

  /// Reads a file of a frame, of at most five bytes per pixel plus a header.
  private func read(_ fileExtension: String, _ number: Int, pixels: Int) throws(BackdropError) -> [UInt8] {
    guard let entry = archive.entries["rgbd/\(number).\(fileExtension)"] else {
      throw BackdropError(.badData, "the file rgbd/\(number).\(fileExtension) is missing from the archive", path: name)
    }
    return try archive.read(entry, limit: 5 * pixels + 1 << 20)
  }
}
