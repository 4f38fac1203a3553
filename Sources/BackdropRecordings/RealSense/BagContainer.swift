import BackdropDepth
import BackdropImaging

/// Recordings by RealSense Viewer and librealsense, and ROS bags with the same messages.
struct BagContainer: RecordingContainer {
  var fileExtension: String { "bag" }
  var signatures: [[UInt8]] { [Array("#ROSBAG".utf8)] }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try BagRecording(BagFile(path), options: options)
  }
}

/// Recordings by librealsense 2.58 and later: ROS 2 bags in SQLite files.
struct BagDatabaseContainer: RecordingContainer {
  var fileExtension: String { "db3" }
  var signatures: [[UInt8]] { [Array("SQLite format 3".utf8)] }

  func open(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    try BagRecording(BagDatabase(path), options: options)
  }
}
