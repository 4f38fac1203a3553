import BackdropDepth
import BackdropImaging

struct Record3DContainer: WritableRecordingContainer {
  var fileExtension: String { "r3d" }
  var fixedForm: String? { "depth in metres and JPEG pictures" }
  var keepsConfidence: Bool { true }

  func matches(_ path: String, head: [UInt8]) -> Bool {
    // ZIP archives, including empty ones.
    head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6])
      || FileName(path).fileExtension == fileExtension
  }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try Record3DRecording.open(path, options: options)
  }

  func begin(_ file: OutputFile, like first: Scene, _ form: RecordingForm) throws(BackdropError) -> any RecordingSink {
    try Record3DWriter(file, like: first, framesPerSecond: form.framesPerSecond)
  }
}
