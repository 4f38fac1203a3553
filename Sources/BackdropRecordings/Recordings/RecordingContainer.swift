import BackdropDepth
import BackdropImaging

/// A kind of file with pictures and their depth in it.
///
/// To add one, write such a type in a file of its own and list it in ``RecordingFile/containers``. Make it a
/// ``WritableRecordingContainer`` if recordings are written as such files too.
package protocol RecordingContainer: Sendable {
  /// The extension of its files, in lower case.
  var ending: String { get }

  /// Whether a file is of this kind, or is meant to be.
  ///
  /// - Parameter head: its first 16 bytes, if it has as many.
  func matches(_ path: String, head: [UInt8]) throws(BackdropError) -> Bool
  /// Opens a file.
  ///
  /// - Throws: errors in it.
  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource
}

/// A kind of file that recordings are written as.
package protocol WritableRecordingContainer: RecordingContainer {
  /// What it stores, where nobody can choose that, and depth is kept exactly; `nil` where depth has units and pictures a
  /// quality.
  var fixedForm: String? { get }
  /// Whether it keeps confidence.
  var keepsConfidence: Bool { get }

  /// Begins a file for frames like `first`.
  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink
}

/// How a recording is written.
package struct RecordingForm: Sendable {
  /// Units of the depth per metre.
  package var unitsPerMetre: Double
  /// Frames a second, on average.
  package var framesPerSecond: Double
  /// The constant-quality number of coded pictures; `nil` for the usual one.
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
