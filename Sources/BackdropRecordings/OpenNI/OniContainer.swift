import BackdropDepth
import BackdropImaging

struct OniContainer: RecordingContainer {
  var fileExtension: String { "oni" }
  var signatures: [[UInt8]] { [Array("NI10".utf8)] }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try OniRecording(path, options: options)
  }
}
