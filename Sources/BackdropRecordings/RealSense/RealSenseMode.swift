import BackdropImaging

struct RealSenseMode: Equatable {
  /// The streams in use, with librealsense2's numbers.
  enum Stream: Int32 {
    case depth = 1
    case color = 2
    case infrared = 3
  }

  var stream: Stream
  /// The format in lower case: `z16`, `yuyv`.
  var format: String
  var width: Int, height: Int
  /// Frames per second.
  var rate: Int
  var isDefault = false

  /// The wanted size and rate of the pictures and the size of the depth.
  struct Request {
    var width = 1280, height = 720
    var rate = 30.0
    var depth: (width: Int, height: Int)?
  }

  /// Picture formats that ``BagImage`` supports, the cheapest first.
  static let formats = ["yuyv", "uyvy", "rgb8", "bgr8", "rgba8", "bgra8", "mjpeg"]

  /// Chooses a mode for the pictures and one for depth, both with the same rate.
  ///
  /// The rate is the lowest that reaches the wanted one. The picture is the smallest that covers the wanted size. The depth is the camera's
  /// default, or its largest at that rate. Without colour, the left infrared picture takes its place, in the size of the depth.
  static func choose(
    of modes: [RealSenseMode], for request: Request
  ) throws(BackdropError) -> (picture: RealSenseMode, depth: RealSenseMode) {
    let depths = modes.filter { $0.stream == .depth && $0.format == "z16" }
    let colors = modes.filter { $0.stream == .color && formats.contains($0.format) }
    let pictures = colors.isEmpty ? modes.filter { $0.stream == .infrared && $0.format == "y8" } : colors
    let rates = Set(depths.map(\.rate)).intersection(pictures.map(\.rate))
    let wanted = (request.width, request.height)
    guard let rate = rates.filter({ Double($0) >= request.rate - 0.5 }).min() ?? rates.max(),
      let picture = pictures.filter({ $0.rate == rate }).min(by: { $0.isBetter(than: $1, for: wanted) })
    else {
      throw BackdropError(
        .unsupported, "the camera has no depth together with pictures",
        hint: "use a depth camera of the series D400 or L500")
    }
    let fitting = depths.filter {
      $0.rate == rate && (picture.stream == .color || ($0.width, $0.height) == (picture.width, picture.height))
    }
    let chosen = fitting.filter { mode in request.depth.map { $0 == (mode.width, mode.height) } ?? true }
    guard let depth = chosen.max(by: { ($0.isDefault ? 1 : 0, $0.area) < ($1.isDefault ? 1 : 0, $1.area) }) else {
      let sizes = Set(fitting.map { "\($0.width)x\($0.height)" }).sorted { FileName.isBefore($0, $1) }
      throw BackdropError(
        .unsupported,
        "the camera has no depth of \(request.depth.map { "\($0.width)×\($0.height)" } ?? "that size") at \(rate)/s",
        hint: sizes.isEmpty ? "use another camera" : Hint("give one of: \(sizes.joined(separator: ", "))"))
    }
    return (picture, depth)
  }

  private var area: Int { width * height }

  private func isBetter(than other: RealSenseMode, for wanted: (width: Int, height: Int)) -> Bool {
    func covers(_ mode: RealSenseMode) -> Bool { mode.width >= wanted.width && mode.height >= wanted.height }
    if covers(self) != covers(other) { return covers(self) }
    if area != other.area { return covers(self) ? area < other.area : area > other.area }
    return (Self.formats.firstIndex(of: format) ?? 0) < (Self.formats.firstIndex(of: other.format) ?? 0)
  }
}
