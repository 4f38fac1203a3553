import Foundation
import Testing

/// File names reach the system as bytes, through `FileCalls`: nothing else passes a string to a system call.
@Suite struct FileCallTests {
  /// Calls that take names, and functions that pass on a string's UTF-8. `open` and `stat` have namesakes here, so the pattern looks for
  /// their constants.
  nonisolated(unsafe) private static let calls =  // Compared with, never changed.
    /\b(?:rename|link|unlink|mkdir|rmdir|lstat|opendir|realpath|readlink|mkfifo|truncate|avio_open|avformat_open_input)\(|O_CREAT|contentsOfDirectory\(/
  /// Code that opens kernel files with known names, receives bytes, or uses programs found at installation or the studio's own folders.
  private static let allowed: Set = [
    "BackdropImaging/Files/FileCalls.swift", "BackdropImaging/Files/OutputFile.swift",
    "BackdropImaging/Files/PartialOutput.swift", "BackdropRecordings/Recordings/RecordingWriter.swift",
    "BackdropModels/Runtime/CompiledNetworks.swift", "BackdropModels/Runtime/Network+Reading.swift",
    "BackdropVideo/Video/VideoReader+Opening.swift",
    "BackdropCameras/V4L2/DeviceHolders.swift", "BackdropCameras/Cameras/NetworkCamera.swift",
    "BackdropHTTP/Files/BodyFile.swift", "BackdropHTTP/Files/DropFolder.swift",
    "BackdropStudio/Session/SessionFolder.swift",
    "BackdropStudio/Video/VideoLibrary.swift", "BackdropStudio/Video/PreviewFrames.swift",
  ]

  @Test func namesGoThroughFileCalls() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
      .standardizedFileURL
    let text = try SourceText(in: sources) { _ in true }
    var found: [String] = []
    for (path, content) in text.files.sorted(by: { $0.key < $1.key }) where !Self.allowed.contains(path) {
      for (index, line) in content.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for match in line.matches(of: Self.calls)
        where !line[..<match.range.lowerBound].hasSuffix(".") && !line.contains("func \(match.0)") {
          found.append("\(path):\(index + 1) calls \(match.0)")
        }
      }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }
}
