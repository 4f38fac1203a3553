import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// Writes a recording in the Record3D app's format (`.r3d`): JPEG pictures, lossless depth in metres as Float32, and confidence as
/// ARKit's level nearest to the map's, or 2 if unknown; 0 for a hole.
///
/// Depth goes into LZFSE streams of stored blocks, which do not shrink it but which every program can read.
package final class Record3DWriter: RecordingSink {
  private let archive: ZipWriter
  private let size: (width: Int, height: Int, depthWidth: Int, depthHeight: Int)
  private let framesPerSecond: Double
  private var cameras: [[Double]] = []
  private var times: [Double] = []

  package let losses = ["the recording compresses colours (JPEG, 4:2:0)"]

  package var path: String { archive.path }
  package var isInPlace: Bool { archive.isInPlace }

  /// Opens a file for frames like `first`.
  ///
  /// - Throws: `badData` if these have no intrinsics, which the format needs.
  package init(_ file: OutputFile, like first: Scene, framesPerSecond: Double) throws(BackdropError) {
    let image = first.image.upright()
    guard let depth = first.depth?.oriented(first.image.orientation), depth.intrinsics != nil else {
      throw BackdropError(
        .badData, "a Record3D recording needs intrinsics, and the input has none", path: file.path,
        hint: "write .mkv or a folder, or put a camera_intrinsic.json beside the input")
    }
    archive = try ZipWriter.open(file)
    size = (image.width, image.height, depth.width, depth.height)
    self.framesPerSecond = framesPerSecond
  }

  package func write(_ frame: Scene) throws(BackdropError) {
    let count = archive.count
    do throws(BackdropError) {
      try add(frame)
    } catch {
      // A frame without all of its files is not kept.
      archive.cut(to: count)
      throw error
    }
  }

  private func add(_ frame: Scene) throws(BackdropError) {
    let image = frame.image.upright()
    guard let depth = frame.depth?.oriented(frame.image.orientation), let camera = depth.intrinsics,
      (image.width, image.height, depth.width, depth.height) == size
    else {
      throw BackdropError(
        .badData, "frame \(times.count + 1) has no intrinsics, or another size than the frames before it", path: path,
        hint: "give frames of one size")
    }
    let scaled = camera.scaled(toWidth: image.width, height: image.height)
    let coefficients = [scaled.fx, scaled.fy, scaled.cx, scaled.cy]
    let number = times.count
    if number == 0 && archive.isGrowing {
      // The directory and the metadata come at the end; a reader of an unfinished file uses this draft instead.
      try archive.addDraft(Self.draftName, try encoded(metadata([coefficients], times: [], cameras: [])))
    }
    try archive.add("rgbd/\(number).jpg", try JPEG.encode(image, quality: Picture.standardQuality))
    let metres = depth.metres
    let known = depth.confidence
    var bytes = [UInt8](repeating: 0, count: 4 * depth.width * depth.height)
    var confidence = [UInt8](repeating: 0, count: depth.width * depth.height)
    bytes.withUnsafeMutableBytes { bytes in
      for y in 0..<depth.height {
        let row = metres.row(y)
        for x in row.indices {
          let index = y * depth.width + x
          bytes.storeBytes(of: row[x].bitPattern.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
          confidence[index] = row[x].isNaN ? 0 : known.map { Record3DMetadata.level($0.values[x, y]) } ?? 2
        }
      }
    }
    try archive.add("rgbd/\(number).depth", LZFSE.stored(bytes))
    try archive.add("rgbd/\(number).conf", LZFSE.stored(confidence))
    cameras.append(coefficients)
    times.append(frame.time)
  }

  static let metadataName = "metadata"
  /// The name of the first file in a growing archive, which no other program uses.
  static let draftName = "metadata.draft"

  private func metadata(_ all: [[Double]], times: [Double], cameras: [[Double]]) -> Record3DMetadata {
    let camera = all[0]
    return Record3DMetadata(
      w: size.width, h: size.height, dw: size.depthWidth, dh: size.depthHeight, fps: framesPerSecond,
      K: [camera[0], 0, 0, 0, camera[1], 0, camera[2], camera[3], 1], frameTimestamps: times,
      perFrameIntrinsicCoeffs: cameras,
      // The camera is static and looks along its axis.
      poses: Array(repeating: [0, 0, 0, 1, 0, 0, 0], count: times.count))
  }

  private func encoded(_ metadata: Record3DMetadata) throws(BackdropError) -> [UInt8] {
    do {
      return try JSONWriter().encode(metadata)
    } catch {
      throw BackdropError(.badData, "Backdrop cannot describe the recording: its intrinsics are not finite", path: path)
    }
  }

  package func keepEarlier() { archive.keepEarlier() }

  package func finish() throws(BackdropError) {
    guard !times.isEmpty else { throw BackdropError(.wrongArgument, "the recording has no frames", path: path) }
    let (all, count) = (archive.byteCount, times.count)
    var failure: BackdropError?
    while archive.isOpen {
      do throws(BackdropError) {
        try archive.add(Self.metadataName, try encoded(metadata(cameras, times: times, cameras: cameras)))
        try archive.finish()
      } catch {
        guard archive.isGrowing && archive.isOpen && error.kind == .system else { throw failure ?? error }
        failure = failure ?? error
        archive.keepEarlier()
        guard times.count > 1 && all - archive.byteCount < count * Self.directoryBytesPerFrame else {
          // More space would not help. The draft makes the part readable, but only for Backdrop.
          archive.leave()
          break
        }
        // Dropping the last frame makes space for the directory; the recording is then incomplete.
        times.removeLast()
        cameras.removeLast()
        archive.cut(to: times.count * Self.filesPerFrame)
      }
    }
    if let failure { throw failure }
  }

  /// More than a frame adds to the metadata and to the directory.
  private static let directoryBytesPerFrame = 1000
  private static let filesPerFrame = 3

  package func discard() { archive.cancel() }
}
