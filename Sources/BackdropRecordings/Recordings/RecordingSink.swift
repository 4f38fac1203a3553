import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// Something that frames with depth are written to; nothing is to be seen of it under its name before ``finish()``.
///
/// Where it grows (``BackdropImaging/OutputFile``), an error of ``write(_:)`` leaves what was written before, and ``finish()`` can be
/// called all the same.
package protocol RecordingSink: AnyObject {
  /// Where it is to be, or is.
  var path: String { get }
  /// Whether it is there by now, also where an error ended it.
  var isInPlace: Bool { get }
  /// The parts that the format does not keep, in words.
  var losses: [String] { get }

  /// How many frames it makes ready side by side.
  var framesAtOnce: Int { get }

  /// Adds a frame, later than the one before.
  func write(_ frame: Scene) throws(BackdropError)
  /// Adds frames, each later than the one before; those before one that fails stay.
  func write(_ frames: [Scene]) throws(BackdropError)
  /// Completes the recording and moves it into place.
  func finish() throws(BackdropError)
  /// Removes what was written so far.
  func discard()
}

extension RecordingSink {
  package var framesAtOnce: Int { 1 }

  package func write(_ frames: [Scene]) throws(BackdropError) {
    for frame in frames { try write(frame) }
  }
}

extension RecordingWriter: RecordingSink {
  package var losses: [String] { [] }
  /// No more, since as many again are read meanwhile, and as many wait.
  package var framesAtOnce: Int { min(WorkerPool.processorCount, 4) }
  package func finish() throws(BackdropError) { try commit() }
}

/// Writes a recording as one Matroska file.
package final class MatroskaRecordingWriter: RecordingSink {
  private let writer: RGBDVideoWriter
  private let unitsPerMetre: Double
  private var lastTime: Int64?

  package let losses = [
    "the recording compresses colours (H.264, 4:2:0)", "the recording rounds times to milliseconds",
  ]
  package var path: String { writer.path }
  package var isInPlace: Bool { writer.isInPlace }

  private init(_ writer: RGBDVideoWriter, unitsPerMetre: Double) {
    self.writer = writer
    self.unitsPerMetre = unitsPerMetre
  }

  /// Opens a file for frames like `first`.
  package static func open(
    _ file: OutputFile, like first: Scene, unitsPerMetre: Double, framesPerSecond: Double, quality: Double?,
    threads: Int
  ) throws(BackdropError) -> MatroskaRecordingWriter {
    let image = first.image.upright()
    guard let depth = first.depth?.oriented(first.image.orientation) else {
      throw BackdropError(.badData, "the first frame has no depth", path: file.path)
    }
    var description = RecordingDescription(
      unitsPerMetre: unitsPerMetre,
      depthCoversPicture: !Aspect.agree(image.width, image.height, depth.width, depth.height),
      intrinsics: depth.intrinsics)
    (description.pictureWidth, description.pictureHeight) = (image.width, image.height)
    var settings = RGBDVideoWriter.Settings(
      width: image.width, height: image.height, depthWidth: depth.width, depthHeight: depth.height,
      frameRate: Rational(approximating: framesPerSecond))
    settings.quality = quality
    settings.threads = threads
    return MatroskaRecordingWriter(
      try RGBDVideoWriter.open(file, settings: settings, description: try description.encoded()),
      unitsPerMetre: unitsPerMetre)
  }

  package func write(_ frame: Scene) throws(BackdropError) {
    guard abs(frame.time) < 1e9 else {
      throw BackdropError(
        .badData, "the recording has a frame at \(frame.time) s",
        hint: "the recording's times are damaged; record it again")
    }
    // Frames closer than a millisecond keep their order.
    let time = max(Int64((frame.time * 1000).rounded()), lastTime.map { $0 + 1 } ?? .min)
    lastTime = time
    let image = frame.image.upright()
    let map = try frame.depth?.oriented(frame.image.orientation).image(unitsPerMetre: unitsPerMetre)
    try writer.write(image.converted(to: .i420, color: .video), depth: map, milliseconds: time)
  }

  package func finish() throws(BackdropError) { try writer.finish() }
  package func discard() { writer.discard() }
}
