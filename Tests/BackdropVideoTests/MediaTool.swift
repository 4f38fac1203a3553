import BackdropImaging
import Foundation
import TestSupport

@testable import BackdropVideo

/// FFmpeg's programs, for creating clips and as independent readers.
enum MediaTool {
  /// Creates a clip; `arguments` does not include the program's name and the common switches.
  static func make(_ arguments: String, _ path: String) throws {
    try OutsideTool.run(
      "ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments.split(separator: " ").map(String.init) + [path])
  }

  /// Rows of comma-separated values from ffprobe.
  static func probe(_ path: String, _ arguments: String) throws -> [String] {
    try OutsideTool.text(
      "ffprobe", ["-v", "error", "-of", "csv=p=0"] + arguments.split(separator: " ").map(String.init) + [path]
    )
    .split(whereSeparator: \.isNewline).map(String.init)
  }

  /// The display time of every frame of the video in seconds, according to ffprobe.
  static func frameTimes(_ path: String) throws -> [String] {
    try probe(path, "-select_streams v:0 -show_entries frame=best_effort_timestamp_time").map {
      String($0.prefix { $0 != "," })
    }
  }

  /// Every packet of some streams: the named ffprobe fields, joined.
  static func packets(_ path: String, _ streams: String, fields: [String] = ["pts_time", "duration_time", "data_hash"])
    throws -> [String]
  {
    // JSON, because side data breaks rows in other formats.
    let text = try OutsideTool.text(
      "ffprobe",
      ["-v", "error", "-of", "json", "-select_streams", streams, "-show_data_hash", "md5", "-show_packets", path])
    let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let packets = root?["packets"] as? [[String: Any]] ?? []
    return packets.map { packet in fields.map { packet[$0] as? String ?? "" }.joined(separator: " ") }
  }

  /// Only the MD5 of every packet of some streams.
  static func packetHashes(_ path: String, _ streams: String) throws -> [String] {
    try packets(path, streams, fields: ["data_hash"])
  }

  /// Only the time of every packet of some streams.
  static func packetTimes(_ path: String, _ streams: String) throws -> [String] {
    try packets(path, streams, fields: ["pts_time"])
  }

  /// One value of the first video stream.
  static func videoField(_ path: String, _ field: String) throws -> String {
    try probe(path, "-select_streams v:0 -show_entries stream=\(field)").first ?? ""
  }

  static func hasEncoder(_ name: String) -> Bool {
    ((try? OutsideTool.text("ffmpeg", ["-v", "error", "-h", "encoder=\(name)"])) ?? "").contains("Encoder \(name)")
  }
}

/// Reads `source` and writes everything unchanged to `target`.
@discardableResult
func passThrough(
  _ source: String, _ target: String, codec: VideoSettings.Codec? = nil,
  change: (inout VideoSettings) -> Void = { _ in }
) throws -> (reader: VideoReader, writer: VideoWriter) {
  let reader = try VideoReader(path: source)
  var settings = VideoSettings(codec: try codec ?? VideoSettings.codec(forPath: target), like: reader)
  change(&settings)
  let writer = try VideoWriter(
    OutputFile(target, overwrite: false), settings: settings, source: reader)
  while let frame = try reader.next() { try writer.write(frame.image, like: frame) }
  try writer.finish()
  return (reader, writer)
}

extension VideoSettings {
  /// Settings for pictures with the size, times, colours and orientation of `reader`'s.
  init(codec: Codec = .h264, like reader: VideoReader) {
    self.init(
      codec: codec, width: reader.width, height: reader.height, frameRate: reader.frameRate ?? Rational(25, 1),
      color: reader.color)
    timeBase = reader.timeBase
    frameRate = reader.frameRate
    orientation = reader.orientation
  }
}

extension VideoWriter {
  /// Adds a picture at the time of a frame that has the settings' time base.
  func write(_ image: Image, like frame: VideoFrame) throws {
    try write(image, time: frame.time, duration: frame.duration)
  }
}
