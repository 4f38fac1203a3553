import BackdropDepth
import BackdropImaging

struct OniContainer: RecordingContainer {
  var fileExtension: String { "oni" }

  func matches(_ path: String, head: [UInt8]) -> Bool {
    head.starts(with: "NI10".utf8) || FileName(path).fileExtension == fileExtension
  }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try OniRecording(path, options: options)
  }
}
