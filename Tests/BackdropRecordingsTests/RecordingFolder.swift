import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropRecordings
import Foundation
import TestSupport
import Testing

/// Creates recordings for the tests to read.
struct RecordingFolder {
  let folder = TemporaryFolder()
  var path: String { folder.path }

  func write(_ name: String, _ text: String) throws {
    try write(name, bytes: Array(text.utf8))
  }

  func write(_ name: String, bytes: [UInt8]) throws {
    let url = URL(fileURLWithPath: folder.file(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// A grey picture whose pixels identify it.
  func color(_ name: String, _ level: UInt8, width: Int = 8, height: Int = 6) throws {
    try write(name, bytes: Picture.encode(Image(gray: Plane(repeating: level, width: width, height: height)), as: .png))
  }

  /// A depth picture of one value, except for a hole in the corner.
  func depth(_ name: String, units: Float, width: Int = 8, height: Int = 6) throws {
    var plane = Plane<Float>(repeating: units, width: width, height: height)
    plane[0, 0] = 0
    try write(name, bytes: PNG.encode(DepthMap(metres: plane).image(unitsPerMetre: 1)))
  }
}

/// A recording's frames, each as `level:metres`.
func recordingSummary(_ recording: inout PictureFolderRecording) throws -> [String] {
  var result: [String] = []
  while let frame = try recording.next() {
    let metres = frame.depth?.metres[1, 1] ?? .nan
    result.append("\(frame.image.row(0)[0]):\((metres * 1000).rounded() / 1000)")
  }
  return result
}
