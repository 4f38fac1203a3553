import Foundation
import TestSupport

@testable import BackdropPhotos

/// ExifTool, as an independent reader.
enum ExifTool {
  static let isPresent = OutsideTool.isPresent("exiftool")

  static func run(_ arguments: [String]) throws -> Data { try OutsideTool.run("exiftool", arguments) }

  /// All tags of a file, as plain numbers and strings.
  static func tags(_ path: String, _ more: [String] = []) throws -> [String: Any] {
    let data = try run(["-j", "-n"] + more + [path])
    let list = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    return list?.first ?? [:]
  }

  /// Extracts an image of the Multi-Picture index, numbered from 2; returns its bytes and tags.
  static func image(_ number: Int, of path: String, in folder: TemporaryFolder) throws -> (
    bytes: [UInt8], tags: [String: Any]
  ) {
    let data = try run(["-b", "-MPImage\(number)", path])
    let file = folder.file("image\(number)-\(UUID().uuidString).jpg")
    try data.write(to: URL(fileURLWithPath: file))
    return ([UInt8](data), try tags(file))
  }
}

extension [String: Any] {
  func number(_ name: String) -> Double? {
    (self[name] as? NSNumber)?.doubleValue ?? (self[name] as? String).flatMap(Double.init)
  }

  func numbers(_ name: String) -> [Double] {
    (self[name] as? [Any] ?? []).compactMap { ($0 as? NSNumber)?.doubleValue ?? ($0 as? String).flatMap(Double.init) }
  }

  func text(_ name: String) -> String? { self[name].map { "\($0)" } }
}
