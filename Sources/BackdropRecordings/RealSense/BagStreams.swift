import BackdropDepth
import BackdropImaging

/// The colour and depth streams chosen from a bag, and its data about their cameras.
struct BagStreams {
  let color: UInt32
  let depth: UInt32
  private(set) var depthCamera: CameraModel?
  private var colorCamera: CameraModel?
  private var depthExtrinsics: (group: Substring, value: Extrinsics)?
  private var colorExtrinsics: (group: Substring, value: Extrinsics)?
  /// Metres per unit, from the sensor's option; in newer recordings each frame contains it.
  private(set) var depthUnit: Double?
  private(set) var framesPerSecond: Double?
  private(set) var unreadParts: [String] = []
  private(set) var isRegistered = false

  /// Whether Backdrop uses a topic: pictures, and data that exists once per stream.
  static func wants(_ topic: BagFile.Topic) -> Bool {
    switch topic.type {
    case _ where BagImage.types.contains(topic.type):
      isDepth(topic.name) || isColor(topic.name) || isInfrared(topic.name)
    // Data for which librealsense has no ROS 2 message.
    case "std_msgs/msg/String":
      ["/camera_info", "/info", "/image/metadata", "/option/Depth_Units/value"].contains { topic.name.hasSuffix($0) }
        || topic.name.contains("/tf/")
    case "sensor_msgs/CameraInfo", "realsense_msgs/StreamInfo": true
    case "geometry_msgs/Transform": topic.name.contains("/tf/")
    case "std_msgs/Float32": topic.name.hasSuffix("/option/Depth_Units/value")
    default: false
    }
  }

  // The names come from librealsense (`/device_0/sensor_0/Depth_0/image/data`) or its ROS nodes
  // (`/camera/depth/image_rect_raw`).
  private static func isDepth(_ name: String) -> Bool { name.lowercased().contains("depth") }
  private static func isColor(_ name: String) -> Bool {
    let lower = name.lowercased()
    return !isDepth(name) && (lower.contains("color") || lower.contains("/rgb"))
  }
  private static func isInfrared(_ name: String) -> Bool { !isDepth(name) && name.lowercased().contains("infra") }

  init(_ file: any BagSource, _ warnings: inout [BackdropError]) throws(BackdropError) {
    let pictures = file.topics.filter {
      BagImage.types.contains($0.value.type) && file.messages[$0.key]?.isEmpty == false
    }
    // Aligned depth comes first, then names in order.
    func rank(_ name: String) -> String { (name.contains("aligned_depth_to_color") ? "0" : "1") + name }
    func first(_ isMeant: (String) -> Bool) -> UInt32? {
      pictures.filter { isMeant($0.value.name) }.min { rank($0.value.name) < rank($1.value.name) }?.key
    }
    guard let depth = first(Self.isDepth) else {
      if var damage = file.damage {
        damage.hint = Hint("copy it again from where it came")
        throw damage
      }
      throw BackdropError(
        .unsupported, "this bag has no depth", hint: "record with depth, and colour or infrared pictures")
    }
    guard let color = first(Self.isColor) ?? first(Self.isInfrared) else {
      throw BackdropError(.unsupported, "this bag has depth but no pictures", hint: "record with colour or infrared")
    }
    (self.depth, self.color) = (depth, color)
    let names = (depth: file.topics[depth]?.name ?? "", color: file.topics[color]?.name ?? "")
    if Self.isInfrared(names.color) {
      warnings.append(
        BackdropError(.badData, "the bag has no colour; Backdrop uses the infrared pictures", path: file.path))
    } else if pictures.contains(where: { Self.isInfrared($0.value.name) }) {
      unreadParts.append("infrared pictures")
    }
    if file.topics.contains(where: {
      ["sensor_msgs/Imu", "geometry_msgs/Twist", "sensor_msgs/msg/Imu"].contains($0.value.type)
    }) {
      unreadParts.append("motion")
    }
    for (key, topic) in file.topics.sorted(by: { $0.key < $1.key }) {
      guard let message = file.messages[key]?.first, !pictures.keys.contains(key) else { continue }
      do throws(BackdropError) {
        try read(topic, try file.read(message, limit: 1 << 20), names)
      } catch { warnings.append(error.at(file.path)) }
    }
    finish(names, file, &warnings)
  }

  /// Both cameras, if the recording describes them completely.
  var cameras: CameraPair? {
    guard let depthCamera, let colorCamera, let depthExtrinsics, let colorExtrinsics,
      depthExtrinsics.group == colorExtrinsics.group
    else {
      return nil
    }
    return CameraPair(
      depth: depthCamera, color: colorCamera,
      extrinsics: depthExtrinsics.value.inverted.followed(by: colorExtrinsics.value))
  }

  private mutating func read(
    _ topic: BagFile.Topic, _ message: [UInt8], _ names: (depth: String, color: String)
  ) throws(BackdropError) {
    let isDepth = Self.belongs(topic.name, names.depth), isColor = Self.belongs(topic.name, names.color)
    switch topic.type {
    case "sensor_msgs/CameraInfo" where isDepth: depthCamera = try BagCamera.read(message)
    case "sensor_msgs/CameraInfo" where isColor: colorCamera = try BagCamera.read(message)
    case "geometry_msgs/Transform" where isDepth || isColor:
      keep(try BagCamera.extrinsics(message), of: topic, isDepth: isDepth)
    case "realsense_msgs/StreamInfo" where isDepth:
      var reader = BagMessageReader(message)
      let rate = Double(try reader.word())
      if rate > 0 && rate <= 1000 { framesPerSecond = rate }
    case "std_msgs/msg/String": try readText(topic, message, isDepth: isDepth, isColor: isColor)
    case "std_msgs/Float32":
      var reader = BagMessageReader(message)
      let unit = try reader.float()
      if unit > 0 && unit < 1 { depthUnit = unit }
    default: break
    }
  }

  private mutating func readText(
    _ topic: BagFile.Topic, _ message: [UInt8], isDepth: Bool, isColor: Bool
  ) throws(BackdropError) {
    if topic.name.hasSuffix("/option/Depth_Units/value") {
      let unit = try BagText.number(message) ?? 0
      if unit > 0 && unit < 1 { depthUnit = unit }
    } else if topic.name.hasSuffix("/camera_info") {
      if isDepth { depthCamera = try BagText.camera(message) }
      if isColor { colorCamera = try BagText.camera(message) }
    } else if topic.name.contains("/tf/"), isDepth || isColor {
      keep(try BagText.extrinsics(message), of: topic, isDepth: isDepth)
    } else if isDepth, topic.name.hasSuffix("/info"), let rate = Double(try BagText.values(message)["fps"] ?? "") {
      if rate > 0 && rate <= 1000 { framesPerSecond = rate }
    }
  }

  private mutating func keep(_ extrinsics: Extrinsics?, of topic: BagFile.Topic, isDepth: Bool) {
    guard let extrinsics else { return }
    let group = topic.name.split(separator: "/").last ?? ""
    if isDepth { depthExtrinsics = (group, extrinsics) } else { colorExtrinsics = (group, extrinsics) }
  }

  /// Whether a topic describes a stream: their names are equal up to the part `image`.
  private static func belongs(_ topic: String, _ stream: String) -> Bool {
    let parts = stream.split(separator: "/")
    let stem = "/" + parts.prefix { !$0.hasPrefix("image") }.joined(separator: "/") + "/"
    return topic.hasPrefix(stem)
  }

  private mutating func finish(
    _ names: (depth: String, color: String), _ file: any BagSource, _ warnings: inout [BackdropError]
  ) {
    if framesPerSecond == nil, let times = file.messages[depth]?.map(\.time), times.count > 1 {
      let seconds = Double(times[times.count - 1] - times[0]) / 1e9
      if seconds > 0 { framesPerSecond = min(max(Double(times.count - 1) / seconds, 0.01), 1000) }
    }
    isRegistered =
      names.depth.contains("aligned_depth_to_color")
      || (cameras.map { $0.extrinsics == .identity && $0.depth == $0.color } ?? false)
    if cameras == nil && !isRegistered {
      warnings.append(
        BackdropError(
          .badData, "the bag does not give its cameras' positions, so depth and pictures are some pixels apart",
          path: file.path))
    }
  }
}

extension Extrinsics {
  func followed(by next: Extrinsics) -> Extrinsics {
    let (a, b) = (rotation, next.rotation)
    var result = Extrinsics(rotation: [Double](repeating: 0, count: 9), translation: next.translation)
    for row in 0..<3 {
      for column in 0..<3 {
        for k in 0..<3 { result.rotation[3 * row + column] += b[3 * row + k] * a[3 * k + column] }
        result.translation[row] += b[3 * row + column] * translation[column]
      }
    }
    return result
  }
}
