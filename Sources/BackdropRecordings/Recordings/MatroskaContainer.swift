import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropVideo

/// Matroska files with a track of depth.
struct MatroskaContainer: WritableRecordingContainer {
  var fileExtension: String { "mkv" }
  var fixedForm: String? { nil }
  var keepsConfidence: Bool { false }

  func matches(_ path: String, head: [UInt8]) throws(BackdropError) -> Bool {
    guard case .video("a Matroska or WebM video") = FileContent(head.span) else { return false }
    return try RGBDVideoReader.isRecording(path)
  }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try MatroskaRecording(path, options: options)
  }

  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink {
    try MatroskaRecordingWriter(file, like: first, form)
  }
}
