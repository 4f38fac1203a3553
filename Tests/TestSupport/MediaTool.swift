import Foundation

/// FFmpeg's programs, for creating clips and as independent readers. Arguments in one text are separated by spaces.
public enum MediaTool {
  /// Whether FFmpeg is installed.
  public static let isPresent = OutsideTool.isPresent("ffmpeg")

  /// Whether FFmpeg has an encoder.
  public static func hasEncoder(_ name: String) -> Bool {
    ((try? OutsideTool.text("ffmpeg", ["-v", "error", "-h", "encoder=\(name)"])) ?? "").contains("Encoder \(name)")
  }

  private static func words(_ arguments: String) -> [String] { arguments.split(separator: " ").map(String.init) }

  /// Creates a clip; `arguments` does not include the program's name and the common switches.
  public static func make(_ arguments: String, _ path: String) throws { try make(words(arguments), path) }

  /// The same, for arguments that contain spaces.
  public static func make(_ arguments: [String], _ path: String) throws {
    try OutsideTool.run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + marked(arguments) + [path])
  }

  /// The filter's names of curves that encoders call otherwise.
  private static let filterNames = ["gamma22": "bt470m", "gamma28": "bt470bg"]

  /// Adds a filter that marks the frames as the encoder's options say: since version 7, FFmpeg follows frames alone.
  private static func marked(_ arguments: [String]) -> [String] {
    func value(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
    }
    let marks = ["colorspace", "color_primaries", "color_trc", "color_range"].compactMap { name in
      value("-" + name).map { (name == "color_range" ? "range" : name) + "=" + (filterNames[$0] ?? $0) }
    }
    guard !marks.isEmpty, value("-c") != "copy", value("-filter_complex") == nil else { return arguments }
    // After the conversion to the encoder's format, which would follow the marks.
    let filter = (value("-pix_fmt").map { "format=\($0)," } ?? "") + "setparams=" + marks.joined(separator: ":")
    guard let own = arguments.firstIndex(of: "-vf") else { return arguments + ["-vf", filter] }
    var result = arguments
    result[own + 1] += "," + filter
    return result
  }

  /// Copies a video and states that players turn it counterclockwise.
  public static func turn(_ source: String, degrees: Int, _ path: String) throws {
    let isOld = try OutsideTool.text("ffmpeg", ["-version"]).contains(/ffmpeg version n?[0-5]\./)
    try make(
      isOld
        ? "-i \(source) -c copy -metadata:s:v:0 rotate=\(degrees)"
        : "-display_rotation:v:0 \(degrees) -i \(source) -c copy", path)
  }

  /// What FFmpeg prints for a file, with `before` in front of the file's name and `arguments` after it.
  public static func output(_ path: String, _ arguments: String, before: String = "") throws -> Data {
    try OutsideTool.run(
      "ffmpeg", ["-v", "error", "-nostdin"] + words(before) + ["-i", path] + words(arguments) + ["-"])
  }

  /// The same as text.
  public static func text(_ path: String, _ arguments: String) throws -> String {
    String(decoding: try output(path, arguments), as: UTF8.self)
  }

  /// The samples of a picture or of a video's frames, in one of FFmpeg's pixel formats.
  public static func pixels(
    _ path: String, _ format: String, _ arguments: String = "", before: String = ""
  ) throws -> [UInt8] {
    [UInt8](try output(path, arguments + " -f rawvideo -pix_fmt " + format, before: before))
  }

  /// Rows of comma-separated values from ffprobe.
  public static func probe(_ path: String, _ arguments: String) throws -> [String] {
    try OutsideTool.text("ffprobe", ["-v", "error", "-of", "csv=p=0"] + words(arguments) + [path])
      .split(whereSeparator: \.isNewline).map(String.init)
  }

  /// The display time of every frame of the video in seconds, according to ffprobe.
  public static func frameTimes(_ path: String) throws -> [String] {
    try probe(path, "-select_streams v:0 -show_entries frame=best_effort_timestamp_time").map {
      String($0.prefix { $0 != "," })
    }
  }

  /// Every packet of some streams: the named ffprobe fields, joined.
  public static func packets(
    _ path: String, _ streams: String, _ fields: [String] = ["pts_time", "duration_time", "data_hash"]
  ) throws -> [String] {
    // JSON, because side data breaks rows in other formats.
    let data = try OutsideTool.run(
      "ffprobe",
      ["-v", "error", "-of", "json", "-select_streams", streams, "-show_data_hash", "md5", "-show_packets", path])
    let root = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let packets = root?["packets"] as? [[String: Any]] ?? []
    return packets.map { packet in fields.map { packet[$0] as? String ?? "" }.joined(separator: " ") }
  }

  /// Only the MD5 of every packet of some streams.
  public static func packetHashes(_ path: String, _ streams: String) throws -> [String] {
    try packets(path, streams, ["data_hash"])
  }

  /// Only the time of every packet of some streams.
  public static func packetTimes(_ path: String, _ streams: String) throws -> [String] {
    try packets(path, streams, ["pts_time"])
  }

  /// One value of the first video stream.
  public static func videoField(_ path: String, _ field: String) throws -> String {
    try probe(path, "-select_streams v:0 -show_entries stream=\(field)").first ?? ""
  }

  /// All fields of the first video stream, by name.
  public static func video(_ path: String) throws -> [String: String] {
    let text = try OutsideTool.text(
      "ffprobe",
      ["-v", "error", "-count_frames", "-select_streams", "v:0", "-of", "default=nw=1", "-show_streams", path])
    let fields = text.split(separator: "\n").map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    return Dictionary(fields.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
  }
}
