import Foundation

/// A ROS bag under construction, according to wiki.ros.org/Bags/Format/2.0 and librealsense's ros_writer.cpp.
struct MadeBag {
  enum Packing: String, CaseIterable { case none, lz4, bz2 }

  private(set) var bytes = Array("#ROSBAG V2.0\n".utf8)
  private var topics: [(name: String, type: String)] = []
  private var told: Set<Int> = []
  private var chunk: [UInt8] = []
  private var index: [Int: [(time: UInt64, offset: Int)]] = [:]
  private let isFinished: Bool

  /// - Parameter isFinished: whether `close()` writes the list of chunks at the end.
  init(isFinished: Bool = true) {
    self.isFinished = isFinished
    bytes += Self.record([("op", [3]), ("index_pos", Self.number(0, 8)), ("conn_count", Self.number(0))], [])
  }

  static func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func text(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }
  static func double(_ value: Double) -> [UInt8] {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { [UInt8]($0) }
  }

  static func record(_ fields: [(String, [UInt8])], _ data: [UInt8]) -> [UInt8] {
    var head: [UInt8] = []
    for (name, value) in fields {
      let field = Array((name + "=").utf8) + value
      head += number(field.count) + field
    }
    return number(head.count) + head + number(data.count) + data
  }

  /// An LZ4 frame of one uncompressed block.
  static func lz4(_ bytes: [UInt8]) -> [UInt8] {
    [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82] + number(bytes.count | 1 << 31) + bytes + number(0)
  }

  private func topicRecord(_ topic: Int) -> [UInt8] {
    let (name, type) = topics[topic]
    let data = Self.record([("topic", Array(name.utf8)), ("type", Array(type.utf8))], [])
    let count = Int(data[0]) | Int(data[1]) << 8
    return Self.record(
      [("op", [7]), ("conn", Self.number(topic)), ("topic", Array(name.utf8))], Array(data[4..<4 + count]))
  }

  /// Adds a message at a time in seconds.
  mutating func message(_ name: String, _ type: String, _ seconds: Double, _ data: [UInt8]) {
    let topic = topics.firstIndex { $0.name == name } ?? topics.count
    if topic == topics.count { topics.append((name, type)) }
    if told.insert(topic).inserted { chunk += topicRecord(topic) }
    let nanoseconds = UInt64((seconds * 1e9).rounded())
    index[topic, default: []].append((nanoseconds, chunk.count))
    let time = Self.number(Int(nanoseconds / 1_000_000_000)) + Self.number(Int(nanoseconds % 1_000_000_000))
    chunk += Self.record([("op", [2]), ("conn", Self.number(topic)), ("time", time)], data)
  }

  /// Ends a chunk.
  mutating func endChunk(_ packing: Packing = .none, pack: ([UInt8]) throws -> [UInt8] = { $0 }) rethrows {
    bytes += Self.record(
      [("op", [5]), ("compression", Array(packing.rawValue.utf8)), ("size", Self.number(chunk.count))], try pack(chunk))
    if isFinished {
      for (topic, entries) in index.sorted(by: { $0.key < $1.key }) {
        let data = entries.flatMap {
          Self.number(Int($0.time / 1_000_000_000)) + Self.number(Int($0.time % 1_000_000_000)) + Self.number($0.offset)
        }
        bytes += Self.record(
          [("op", [4]), ("ver", Self.number(1)), ("conn", Self.number(topic)), ("count", Self.number(entries.count))],
          data)
      }
    }
    (chunk, index) = ([], [:])
  }

  /// The whole file.
  mutating func close() -> [UInt8] {
    if !chunk.isEmpty { endChunk { $0 } }
    guard isFinished else { return bytes }
    let listStart = bytes.count
    for topic in topics.indices { bytes += topicRecord(topic) }
    // The first record's position: after its length, op=3 and the name.
    let at = 13 + 4 + 4 + 4 + 4 + "index_pos=".utf8.count
    bytes.replaceSubrange(at..<at + 8, with: Self.number(listStart, 8))
    return bytes
  }

  static func header(_ seconds: Double, _ name: String = "1") -> [UInt8] {
    let nanoseconds = Int((seconds * 1e9).rounded())
    return number(7) + number(nanoseconds / 1_000_000_000) + number(nanoseconds % 1_000_000_000) + text(name)
  }

  static func image(
    _ seconds: Double, _ width: Int, _ height: Int, _ encoding: String, step: Int, _ samples: [UInt8],
    unit: Float? = 0.001
  ) -> [UInt8] {
    let head = header(seconds, unit == nil ? "camera" : "1") + number(height) + number(width) + text(encoding)
    let end = unit.map { number(Int($0.bitPattern)) } ?? []
    return head + [0] + number(step) + number(samples.count) + samples + end
  }

  static func camera(_ width: Int, _ height: Int, _ k: [Double], model: String = "None", d: [Double] = [0, 0, 0, 0, 0])
    -> [UInt8]
  {
    let matrix = [k[0], 0, k[2], 0, k[1], k[3], 0, 0, 1]
    let head = header(0) + number(height) + number(width) + text(model) + number(d.count)
    return head + d.flatMap(double) + matrix.flatMap(double) + [UInt8](repeating: 0, count: 9 * 8 + 12 * 8 + 8 + 17)
  }

  static let depth = "/device_0/sensor_0/Depth_0", color = "/device_0/sensor_1/Color_0"

  /// A recording of grey pictures and uniform depth: levels of 10, 20 … and 1 m, 2 m …
  static func small(
    isFinished: Bool = true, packing: Packing = .none, pack: ([UInt8]) throws -> [UInt8] = { $0 }, frames: Int = 3,
    colorName: String = color, encoding: String = "rgb8"
  ) rethrows -> [UInt8] {
    var bag = MadeBag(isFinished: isFinished)
    bag.message("/file_version", "std_msgs/UInt32", 1e-9, number(4))
    bag.message(depth + "/info", "realsense_msgs/StreamInfo", 1e-9, number(30) + text("mono16") + [1])
    bag.message(depth + "/info/camera_info", "sensor_msgs/CameraInfo", 1e-9, camera(4, 3, [5, 6, 1.5, 1]))
    bag.message(colorName + "/info/camera_info", "sensor_msgs/CameraInfo", 1e-9, camera(4, 3, [5, 6, 1.5, 1]))
    for name in [depth, colorName] {
      let transform = [0, 0, 0, 0, 0, 0, 1].flatMap { double($0) }
      bag.message(name + "/tf/0", "geometry_msgs/Transform", 1e-9, transform)
    }
    for index in 0..<frames {
      let seconds = 0.25 + Double(index) / 32
      let units: [UInt8] = (0..<12).flatMap { $0 == 5 ? [255, 255] : number(1000 * (index + 1) + $0, 2) }
      let size = encoding == "rgb8" ? 3 : 1
      bag.message(
        depth + "/image/data", "sensor_msgs/Image", seconds, image(100 + seconds, 4, 3, "mono16", step: 8, units))
      bag.message(
        colorName + "/image/data", "sensor_msgs/Image", seconds + 0.001,
        image(
          100.002 + seconds, 4, 3, encoding, step: 4 * size,
          [UInt8](repeating: UInt8(10 * (index + 1)), count: 12 * size)))
      try bag.endChunk(packing, pack: pack)
    }
    return bag.close()
  }
}
