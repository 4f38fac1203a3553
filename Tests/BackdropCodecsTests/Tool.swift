import Foundation

/// Another program, asked for a second opinion.
enum Tool {
  /// Whether `name` is on the search path.
  static func isPresent(_ name: String) -> Bool { path(name) != nil }

  private static func path(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program with a file as its last input and gives what it writes to standard output.
  static func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
    struct Failure: Error { var text: String }
    guard let path = path(name) else { throw Failure(text: "no \(name)") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "\(name) ended with \(process.terminationStatus)") }
    return Array(bytes)
  }

  /// The samples of a picture file as FFmpeg decodes it.
  static func ffmpegPixels(_ path: String, _ pixelFormat: String) throws -> [UInt8] {
    try run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", pixelFormat, "-"])
  }
}
