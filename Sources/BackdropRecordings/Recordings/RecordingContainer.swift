import BackdropDepth
import BackdropImaging

/// A kind of file with pictures and their depth.
///
/// To add one, write such a type in a separate file and list it in ``RecordingFormats/containers``. Make it a ``WritableRecordingContainer``
/// if it can also be written.
package protocol RecordingContainer: Sendable {
  /// The extension of its files, in lower case.
  var ending: String { get }

  /// Whether a file is, or is meant to be, of this kind.
  ///
  /// - Parameter head: its first 16 bytes, if it has as many.
  func matches(_ path: String, head: [UInt8]) throws(BackdropError) -> Bool
  /// Opens a file.
  ///
  /// - Throws: errors in it.
  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource
}

/// A kind of file for writing recordings.
package protocol WritableRecordingContainer: RecordingContainer {
  /// Its fixed storage form, with exact depth and no choices; `nil` if depth has units and pictures a quality.
  var fixedForm: String? { get }
  /// Whether it keeps confidence.
  var keepsConfidence: Bool { get }

  /// Begins a file for frames like `first`.
  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink
}

/// The form of a written recording.
package struct RecordingForm: Sendable {
  /// Units of the depth per metre.
  package var unitsPerMetre: Double
  /// Frames a second, on average.
  package var framesPerSecond: Double
  /// The constant-quality number of coded pictures; `nil` for the default.
  package var quality: Double?
  /// Encoder threads; 0 leaves it to the encoder.
  package var threads: Int

  package init(unitsPerMetre: Double, framesPerSecond: Double, quality: Double? = nil, threads: Int = 0) {
    self.unitsPerMetre = unitsPerMetre
    self.framesPerSecond = framesPerSecond
    self.quality = quality
    self.threads = threads
  }
}
