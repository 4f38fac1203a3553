/// The new background.
///
///     let background = BackgroundChoice.scenery(.dunes)
///     let same: BackgroundChoice = "scene:dunes"
public enum BackgroundChoice: Sendable {
  /// One colour; if it is not opaque, results have alpha there.
  case color(RGBColor, opacity: Double = 1)
  /// The real background, blurred. `sigma` is the standard deviation in pixels of the frame, 0.5…200; `nil` for a blur that hides the real
  /// background.
  case blur(sigma: Double? = nil)
  /// The real background, out of focus as through a lens. `radius` is that of the disc that a point becomes, in pixels of the frame,
  /// 0.5…200; `nil` for a disc that hides the real background.
  case bokeh(radius: Double? = nil)
  /// A picture inside the program.
  case scenery(Scenery)
  /// A picture, a video or a recording in a file, which is read when the work begins. A video plays in a loop.
  case file(String)
  /// A picture in memory, cropped and scaled to fill the frame.
  case picture(Picture)
  case transparent
  case keyframes(BackgroundKeyframes)

  /// Parses a background: a colour (`#RRGGBB`, `#RRGGBBAA`, `navy`), `blur` or `blur:SIGMA`, `bokeh` or `bokeh:RADIUS`, `scene:NAME`,
  /// `none`, the name of a picture or video file, or `BACKGROUND@TIME,BACKGROUND@TIME`.
  ///
  /// - Throws: `wrongArgument` for a text that begins as one of these and is none, and the errors of ``BackgroundKeyframes``. Backdrop checks
  ///   that a file exists when the work begins.
  public init(parsing text: String) throws(BackdropError) {
    // A file whose name looks like keyframes is a file.
    if FileKind(text) == .absent, let keyframes = try BackgroundKeyframes(text) {
      self = .keyframes(keyframes)
    } else {
      try self.init(single: text)
    }
  }

  /// Parses a background that does not change to another one.
  package init(single text: String) throws(BackdropError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch parts.first {
    case _ where text == Self.transparentText: self = .transparent
    case _ where text == "-":
      throw BackdropError(
        .wrongArgument, "a background cannot come from standard input", hint: "save it to a file first")
    case "blur": self = .blur(sigma: try Self.size(parts))
    case "bokeh": self = .bokeh(radius: try Self.size(parts))
    case "scene" where parts.count == 2:
      guard let scenery = Scenery(rawValue: parts[1]) else {
        throw BackdropError(
          .wrongArgument, "there is no background '\(text)'", hint: .known(Self.sceneries, insteadOf: text))
      }
      self = .scenery(scenery)
    default:
      if let read = ColorText(text) {
        self = read.opacity == 0 ? .transparent : .color(read.color, opacity: read.opacity)
      } else if text.hasPrefix("#") {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a colour",
          hint: "write a colour as #RRGGBB, such as #204060, or a file of that name as ./\(text)")
      } else {
        self = .file(text)
      }
    }
  }

  /// The size in `blur:SIZE`; `nil` in `blur`.
  private static func size(_ parts: [String]) throws(BackdropError) -> Double? {
    guard parts.count == 2 else { return nil }
    guard let size = Double(parts[1]), sizes.contains(size) else {
      let text = parts.joined(separator: ":")
      throw BackdropError(
        .wrongArgument, "'\(text)' is not a blur",
        hint: "write \(parts[0]), or \(parts[0]):R with R from 0.5 to 200 pixels")
    }
    return size
  }

  package static let transparentText = "none"
  /// The sizes of blurs, in pixels.
  package static let sizes = 0.5...200.0
  package static let sceneries = Scenery.allCases.map { BackgroundChoice.scenery($0).description }

  /// Whether the background is left out or is a colour that is not opaque, so that results have alpha.
  public var isTransparent: Bool {
    switch self {
    case .transparent: true
    case .color(_, let opacity): opacity < 1
    case .blur, .bokeh, .scenery, .file, .picture, .keyframes: false
    }
  }

  package var isBlur: Bool { blurKind != nil }
  /// The kind of blur of the real background; `nil` for other backgrounds.
  var blurKind: LegibleBlur.Kind? {
    switch self {
    case .blur: .blur
    case .bokeh: .bokeh
    case .color, .scenery, .file, .picture, .transparent, .keyframes: nil
    }
  }

  /// Whether it replaces the real background, so that its light may fall on a person.
  package var isNew: Bool { !isTransparent && !isBlur }

  /// The background's translucent colour, if it is one.
  package var veil: ColorText? {
    guard case .color(let color, let opacity) = self, opacity < 1 else { return nil }
    return ColorText(color, opacity: opacity)
  }

  /// The background for a picture at another scale: a blur is as wide as it looks.
  package func scaled(by scale: Double) -> BackgroundChoice {
    func scaled(_ size: Double?) -> Double? {
      size.map { min(max($0 * scale, Self.sizes.lowerBound), Self.sizes.upperBound) }
    }
    return switch self {
    case .blur(let sigma): .blur(sigma: scaled(sigma))
    case .bokeh(let radius): .bokeh(radius: scaled(radius))
    case .color, .scenery, .file, .picture, .transparent, .keyframes: self
    }
  }

  /// The background of a notation if it needs no file, so that clients that may not name files may request it.
  package init?(computed text: String) {
    do throws(BackdropError) { self = try Self(single: text) } catch { return nil }
    if !files.isEmpty { return nil }
  }

  package var files: [String] {
    switch self {
    case .file(let path): [path]
    case .keyframes(let frames): frames.keys.flatMap(\.value.files)
    case .color, .blur, .bokeh, .scenery, .picture, .transparent: []
    }
  }
}

extension BackgroundChoice: CustomStringConvertible {
  /// The notation that ``init(parsing:)`` reads; of a picture in memory, a description.
  public var description: String {
    switch self {
    case .color(let color, let opacity): ColorText(color, opacity: opacity).description
    case .blur(let sigma): Self.notation("blur", sigma)
    case .bokeh(let radius): Self.notation("bokeh", radius)
    case .scenery(let scenery): "scene:" + scenery.rawValue
    case .file(let path): Self.isFile(path) ? path : "./" + path
    case .picture: "a picture"
    case .transparent: Self.transparentText
    case .keyframes(let frames): frames.keys.map { "\($0.value)@\(brief($0.seconds))" }.joined(separator: ",")
    }
  }

  private static func isFile(_ text: String) -> Bool {
    do throws(BackdropError) {
      if case .file = try Self(parsing: text) { return true }
    } catch {}
    return false
  }

  private static func notation(_ kind: String, _ size: Double?) -> String {
    size.map { "\(kind):\(brief($0))" } ?? kind
  }
}

extension BackgroundChoice: ParameterText {
  package static var form: String { "" }
}

extension BackgroundChoice: ExpressibleByStringLiteral {
  /// Makes a choice from the notation of ``init(parsing:)``; a text that it refuses is the name of a file.
  public init(stringLiteral text: String) {
    do throws(BackdropError) { self = try Self(parsing: text) } catch { self = .file(text) }
  }
}
