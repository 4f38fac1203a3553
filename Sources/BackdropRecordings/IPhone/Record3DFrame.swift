import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// One undecoded frame of Record3D's live stream: sizes, the camera, and the ranges of JPEG picture, depth and confidence.
///
/// There is no published format; the layouts are those of the public client (github.com/marek-simonik/record3d, 2021 to 2024): 32-bit words
/// and floats, little-endian.
struct Record3DFrame: Sendable {
  enum Sensor: String, Sendable { case trueDepth = "TrueDepth", lidar = "LiDAR" }

  struct Size: Sendable, Equatable { var width: Int, height: Int }

  /// The layouts of the app's versions.
  private enum Layout: CaseIterable {
    /// From 1.10 on (2024): with confidence and more.
    case current
    /// From 1.7.2 on (2022): with the camera's pose.
    case posed
    /// From 1.6 on (2021).
    case plain

    var wordCount: Int { self == .current ? 11 : 7 }
    /// Words, four numbers for the camera, seven for its pose.
    var byteCount: Int { 4 * (wordCount + 4 + (self == .plain ? 0 : 7)) }
  }

  /// The largest accepted pictures; the app sends up to 1440×1920.
  static let limits = ImageLimits(side: 4096, pixels: 1 << 23)

  let sensor: Sensor
  let color: Size, depth: Size
  /// The intrinsics of the stored colour picture.
  let camera: Intrinsics
  private let body: [UInt8]
  private let colorBytes: Range<Int>, depthBytes: Range<Int>, confidenceBytes: Range<Int>
  /// Whether the app sent confidence, at the size of depth.
  private let hasConfidence: Bool

  /// Reads the header of a message's body.
  init(_ body: [UInt8]) throws(BackdropError) {
    func word(_ index: Int) -> UInt32 { body.word32(4 * index) }
    /// Whether the announced parts fit after a header of that layout, with a JPEG picture at their start; `isExact` forbids additional
    /// data.
    func fits(_ layout: Layout, isExact: Bool) -> Bool {
      let head = layout.byteCount
      guard body.count >= head + 2 else { return false }
      let parts = layout == .current ? [6, 7, 8, 9] : [4, 5]
      let end = parts.reduce(head) { $0 + Int(word($1)) }
      return (isExact ? end == body.count : end <= body.count) && body[head] == 0xFF && body[head + 1] == 0xD8
    }
    guard
      let layout = Layout.allCases.first(where: { fits($0, isExact: true) })
        ?? Layout.allCases.first(where: { fits($0, isExact: false) })
    else {
      throw BackdropError(
        .badData, "the phone sent \(body.count) bytes that are not a Record3D frame", hint: Self.updateApp)
    }
    let isCurrent = layout == .current
    let sizes = isCurrent ? 6 : 4
    color = Size(width: Int(word(0)), height: Int(word(1)))
    depth = Size(width: Int(word(2)), height: Int(word(3)))
    let confidence = isCurrent ? Size(width: Int(word(4)), height: Int(word(5))) : Size(width: 0, height: 0)
    hasConfidence = confidence == depth
    try Self.limits.check(width: color.width, height: color.height)
    try Self.limits.check(width: depth.width, height: depth.height)
    sensor = word(layout.wordCount - 1) == 0 ? .trueDepth : .lidar
    let k = (0..<4).map { Double(Float(bitPattern: word(layout.wordCount + $0))) }
    camera = try CameraFile.checked(
      Intrinsics(fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: color.width, height: color.height))
    let start = layout.byteCount
    colorBytes = start..<(start + Int(word(sizes)))
    depthBytes = colorBytes.upperBound..<(colorBytes.upperBound + Int(word(sizes + 1)))
    confidenceBytes = depthBytes.upperBound..<(depthBytes.upperBound + (isCurrent ? Int(word(sizes + 2)) : 0))
    self.body = body
  }

  /// The hint for old apps and other programs.
  static let updateApp: Hint = "update Record3D in the App Store, and switch on its USB streaming"

  /// Decodes all parts. Depth and picture cover the same view, each at its size, with x and y scaled independently, according to the app's
  /// author (issue 18 of the client); a picture stored rotated is turned upright, together with its depth.
  func scene(_ options: RecordingOptions) throws(BackdropError) -> Scene {
    var image = try PictureFormat.jpeg.decode(
      body.span.extracting(colorBytes), as: options.colorFormat, limits: Self.limits)
    guard image.width == color.width && image.height == color.height else {
      throw BackdropError(
        .badData, "the picture is \(image.width)×\(image.height), but its header claims \(color.width)×\(color.height)")
    }
    guard (color.width > color.height) == (depth.width > depth.height) else {
      throw BackdropError(
        .badData,
        "the depth of \(depth.width)×\(depth.height) lies across the picture of \(color.width)×\(color.height)")
    }
    let count = depth.width * depth.height
    let metres = try unpack(depthBytes, count: 4 * count)
    var map = DepthMap(
      metres: try DepthEncoding(.float32).decode(
        metres.span, width: depth.width, height: depth.height, limits: Self.limits))
    if let levels = levels(count: count) {
      map = map.withConfidence(
        Plane(levels, width: depth.width, height: depth.height), least: options.minimumConfidence)
    }
    map.intrinsics = camera
    let orientation = image.orientation
    image = image.upright()
    map = RecordingEntry.turned(map, with: orientation, width: image.width, height: image.height)
    return Scene(image: image, depth: map)
  }

  /// ARKit's confidence in each distance; `nil` if the app sends none or it is damaged, because depth is useful without it.
  private func levels(count: Int) -> [UInt8]? {
    guard hasConfidence && !confidenceBytes.isEmpty else { return nil }
    do throws(BackdropError) { return try unpack(confidenceBytes, count: count) } catch { return nil }
  }

  /// Decompresses an LZFSE stream; its errors carry no hint.
  private func unpack(_ range: Range<Int>, count: Int) throws(BackdropError) -> [UInt8] {
    do throws(BackdropError) {
      return try LZFSE.decodeIfPacked(body.span.extracting(range), count: count)
    } catch {
      throw BackdropError(error.kind, error.message)
    }
  }
}
