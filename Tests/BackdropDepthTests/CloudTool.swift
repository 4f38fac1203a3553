import Foundation

/// Independent readers of clouds.
enum CloudTool {
  struct Failure: Error { var text: String }

  /// `BACKDROP_PYTHON`, a Python with trimesh and Open3D, or the system's.
  private static let python = ProcessInfo.processInfo.environment["BACKDROP_PYTHON"] ?? "python3"

  static let hasTrimesh = (try? run(["-c", "import trimesh, numpy"])) != nil
  static let hasOpen3D = (try? run(["-c", "import open3d, numpy"])) != nil
  static let hasGLTF = (try? run(["-c", "import pygltflib, numpy, PIL"])) != nil

  /// Runs Python; the numbers that it prints, all of them.
  static func numbers(_ script: String, _ path: String) throws -> [Double] {
    try run(["-c", script, path]).split(whereSeparator: \.isWhitespace).map {
      guard let number = Double($0) else { throw Failure(text: "not a number: \($0)") }
      return number
    }
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "Python ended with \(process.terminationStatus)") }
    return String(decoding: data, as: UTF8.self)
  }
}
