import Foundation
import TestSupport

/// Another program, to compare results with.
enum Tool {
  /// Whether `name` is on the search path.
  static func isPresent(_ name: String) -> Bool { path(name) != nil }

  private static func path(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program and returns its standard output.
  static func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
    Array(try OutsideTool.run(name, arguments))
  }

  /// The samples of a picture file, decoded by FFmpeg.
  static func ffmpegPixels(_ path: String, _ pixelFormat: String) throws -> [UInt8] {
    try run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", pixelFormat, "-"])
  }
}
