import BackdropFFmpeg
import BackdropImaging

/// The first line of a YUV4MPEG2 stream (mjpegtools, yuv4mpeg(5)): size, rate, sample layout.
struct Y4MHeader: Equatable {
  enum Layout { case yuv420, yuv422, yuv444, mono }

  /// The longest line to read; real ones have about 60 characters.
  static let limit = 1024
  static let signature = "YUV4MPEG2"

  var width: Int
  var height: Int
  /// `nil` if the stream marks it as unknown.
  var frameRate: Rational?
  var pixelAspect = Rational(1, 1)
  var layout = Layout.yuv420
  /// The given name of the layout, with its chroma position, which is passed on.
  var layoutName = "420jpeg"
  var range = ColorDescription.Range.limited

  var frameByteCount: Int {
    let (w, h) = (width, height)
    return switch layout {
    case .yuv420: w * h + 2 * ((w + 1) / 2) * ((h + 1) / 2)
    case .yuv422: w * h + 2 * ((w + 1) / 2) * h
    case .yuv444: 3 * w * h
    case .mono: w * h
    }
  }

  private mutating func setLayout(_ name: String) throws(BackdropError) {
    switch name {
    case "420", "420jpeg", "420mpeg2", "420paldv": layout = .yuv420
    case "422": layout = .yuv422
    case "444": layout = .yuv444
    case "mono": layout = .mono
    default:
      throw BackdropError(
        .unsupported, "Backdrop does not read the YUV4MPEG2 sample layout \(Self.excerpt(name))",
        hint: "convert it to 8 bits, 4:2:0, with ffmpeg -pix_fmt yuv420p")
    }
    layoutName = name
  }

  private static func number(_ text: Substring, _ field: Substring) throws(BackdropError) -> Int {
    guard let value = Int(text), value > 0, value <= 1 << 24 else {
      throw damaged("expected a size, found \(excerpt(String(field)))")
    }
    return value
  }

  private static func ratio(_ text: Substring, _ field: Substring) throws(BackdropError) -> Rational? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) }
    guard parts.count == 2, let upper = parts[0], let lower = parts[1], upper >= 0, lower >= 0 else {
      throw damaged("expected a ratio, found \(excerpt(String(field)))")
    }
    // 0:0 means unknown.
    return upper > 0 && lower > 0 ? Rational(upper, lower) : nil
  }

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(
      .badData, "Backdrop cannot read the YUV4MPEG2 stream: \(what)",
      hint: "make one with: ffmpeg -i VIDEO -f yuv4mpegpipe -pix_fmt yuv420p -")
  }

  /// The first characters of hostile text, safe to print.
  static func excerpt(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(24).map { $0.value >= 32 && $0.value < 127 ? String($0) : "." }.joined()
    return "“\(shown)\(text.unicodeScalars.count > 24 ? "…" : "")”"
  }

  /// The complete line, without its end.
  var line: String {
    let rate = frameRate.map { "\($0.numerator):\($0.denominator)" } ?? "0:0"
    let aspect = "\(pixelAspect.numerator):\(pixelAspect.denominator)"
    return "\(Self.signature) W\(width) H\(height) F\(rate) Ip A\(aspect) C\(layoutName) "
      + "XCOLORRANGE=\(range == .full ? "FULL" : "LIMITED")"
  }
}

extension Y4MHeader {
  /// Reads the line, without its end.
  init(line: String, limits: ImageLimits) throws(BackdropError) {
    let fields = line.split(separator: " ", omittingEmptySubsequences: true)
    guard fields.first.map(String.init) == Self.signature else {
      throw Self.damaged("expected YUV4MPEG2 at the start, found \(Self.excerpt(line))")
    }
    self.init(width: 0, height: 0)
    for field in fields.dropFirst() {
      let value = field.dropFirst()
      switch field.first {
      case "W": width = try Self.number(value, field)
      case "H": height = try Self.number(value, field)
      case "F": frameRate = try Self.ratio(value, field)
      case "A": pixelAspect = try Self.ratio(value, field) ?? pixelAspect
      case "I":
        guard ["p", "t", "b", "m", "?"].contains(value) else { throw Self.damaged("unknown interlacing \(field)") }
      case "C": try setLayout(String(value))
      case "X" where value == "COLORRANGE=FULL": range = .full
      case "X" where value == "COLORRANGE=LIMITED": range = .limited
      // Other extensions are free text.
      case "X": break
      default: throw Self.damaged("unknown parameter \(Self.excerpt(String(field)))")
      }
    }
    guard width > 0 && height > 0 else { throw Self.damaged("the size is missing in \(Self.excerpt(line))") }
    try limits.check(width: width, height: height)
  }
}
