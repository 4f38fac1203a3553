import BackdropDepth
import BackdropImaging

/// A file format for pictures and their depth.
///
/// To add a format, write such a type in a separate file and list it in ``RecordingFormats/containers``. If Backdrop can also write it,
/// make it a ``WritableRecordingContainer``.
package protocol RecordingContainer: Sendable {
  /// The extension of its files, in lower case.
  var fileExtension: String { get }
  /// The first bytes of its files, in each form.
  var signatures: [[UInt8]] { get }

  /// Whether a file has, or claims to have, this format: by default, by its head (16 bytes, or all of a shorter file) or its extension.
  func matches(_ path: String, head: [UInt8]) throws(BackdropError) -> Bool
  /// Opens a file.
  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource
}

extension RecordingContainer {
  package var signatures: [[UInt8]] { [] }

  package func matches(_ path: String, head: [UInt8]) throws(BackdropError) -> Bool {
    signatures.contains { head.starts(with: $0) } || FileName(path).fileExtension == fileExtension
  }
}

package protocol WritableRecordingContainer: RecordingContainer {
  /// A description of its fixed form, with exact depth and no options; `nil` if the depth's units and the pictures' quality can be chosen.
  var fixedForm: String? { get }
  var keepsConfidence: Bool { get }

  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink
}

package struct RecordingForm: Sendable {
  package var unitsPerMetre: Double
  /// Frames per second, on average.
  package var framesPerSecond: Double
  /// The encoder's constant-quality value; `nil` for the default.
  package var quality: Double?
  /// Encoder threads; with 0 the encoder chooses.
  package var threads: Int

  package init(unitsPerMetre: Double, framesPerSecond: Double, quality: Double? = nil, threads: Int = 0) {
    (self.unitsPerMetre, self.framesPerSecond, self.quality) = (unitsPerMetre, framesPerSecond, quality)
    self.threads = threads
  }
}
