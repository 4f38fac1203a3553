import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// Writes frames with depth; nothing appears at its path before ``finish()``.
///
/// If the output grows (``BackdropImaging/OutputFile``), the frames before an error of ``write(_:)`` stay, and ``finish()`` can still
/// be called.
package protocol RecordingSink: AnyObject {
  /// The path of the recording; after ``finish()``, its actual path.
  var path: String { get }
  /// Whether the recording exists at its path, even after an error.
  var isInPlace: Bool { get }
  /// The parts that the format does not keep, in words.
  var losses: [String] { get }

  /// The number of frames that it prepares in parallel.
  var framesAtOnce: Int { get }

  /// Adds a frame, later than the previous one.
  func write(_ frame: Scene) throws(BackdropError)
  /// Adds frames, each later than the previous one; frames before a failing one stay.
  func write(_ frames: [Scene]) throws(BackdropError)
  /// Keeps an earlier recording of that name, because this one was interrupted: this one gets a number.
  func keepEarlier()
  /// Completes the recording and moves it into place.
  func finish() throws(BackdropError)
  /// Removes everything written.
  func discard()
}

extension RecordingSink {
  package var framesAtOnce: Int { 1 }

  package func write(_ frames: [Scene]) throws(BackdropError) { for frame in frames { try write(frame) } }
}

extension RecordingWriter: RecordingSink {
  package var losses: [String] { [] }
  /// At most four, because as many are read at the same time and as many wait.
  package var framesAtOnce: Int { min(WorkerPool.processorCount, 4) }
  package func finish() throws(BackdropError) { try commit() }
}

package final class MatroskaRecordingWriter: RecordingSink {
  private let writer: RGBDVideoWriter
  private let unitsPerMetre: Double
  private var lastTime: Int64?

  package let losses = [
    "the recording compresses colours (H.264, 4:2:0)", "the recording rounds times to milliseconds",
  ]
  package var path: String { writer.path }
  package var isInPlace: Bool { writer.isInPlace }

  package init(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) {
    let image = first.image.upright()
    guard let depth = first.depth?.oriented(first.image.orientation) else {
      throw BackdropError(.badData, "the first frame has no depth", path: file.path)
    }
    let description = RecordingDescription(
      unitsPerMetre: form.unitsPerMetre,
      depthCoversPicture: !Aspect.agree(image.width, image.height, depth.width, depth.height),
      intrinsics: depth.intrinsics, pictureWidth: image.width, pictureHeight: image.height)
    var settings = RGBDVideoWriter.Settings(
      width: image.width, height: image.height, depthWidth: depth.width, depthHeight: depth.height,
      frameRate: Rational(approximating: form.framesPerSecond))
    settings.quality = form.quality
    settings.threads = form.threads
    writer = try RGBDVideoWriter(file, settings: settings, description: try description.encoded())
    unitsPerMetre = form.unitsPerMetre
  }

  package func write(_ frame: Scene) throws(BackdropError) {
    guard abs(frame.time) < 1e9 else {
      throw BackdropError(
        .badData, "the recording has a frame at \(frame.time) s",
        hint: "the recording's times are damaged; record it again")
    }
    // Frames less than a millisecond apart keep their order.
    let time = max(Int64((frame.time * 1000).rounded()), lastTime.map { $0 + 1 } ?? .min)
    lastTime = time
    let image = frame.image.upright()
    let map = try frame.depth?.oriented(frame.image.orientation).image(unitsPerMetre: unitsPerMetre)
    try writer.write(image.converted(to: .i420, color: .video), depth: map, milliseconds: time)
  }

  package func keepEarlier() { writer.keepEarlier() }
  package func finish() throws(BackdropError) { try writer.finish() }
  package func discard() { writer.discard() }
}
