import BackdropDepth
import BackdropImaging

/// Recordings of RealSense Viewer and of librealsense, and ROS bags with the same messages.
struct BagContainer: RecordingContainer {
  var ending: String { "bag" }

  func matches(_ path: String, head: [UInt8]) -> Bool {
    head.starts(with: "#ROSBAG".utf8) || FileName(path).ending == ending
  }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try BagRecording.open(path, options: options)
  }
}
