import BackdropDepth
import BackdropImaging

struct Record3DContainer: WritableRecordingContainer {
  var fileExtension: String { "r3d" }
  /// Those of ZIP archives, also of empty ones.
  var signatures: [[UInt8]] { [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]] }
  var fixedForm: String? { "depth in metres and JPEG pictures" }
  var keepsConfidence: Bool { true }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try Record3DRecording.open(path, options: options)
  }

  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink {
    try Record3DWriter(file, like: first, framesPerSecond: form.framesPerSecond)
  }
}
