import BackdropCodecs
import BackdropImaging
import BackdropSimulation

/// The new background.
///
///     let background = BackgroundChoice.scenery(.dunes)
///     let same: BackgroundChoice = "scene:dunes"
public enum BackgroundChoice: Sendable {
  /// A background in text notation: a colour (`#RRGGBB`, `#RRGGBBAA`, `navy`), `blur` or `blur:SIGMA`, `bokeh` or `bokeh:RADIUS`,
  /// `scene:NAME`, `none`, or the name of a picture or video file. Files are read when the work begins.
  case named(String)
  /// A picture in memory, cropped and scaled to fill the frame.
  case picture(Picture)
  /// Several backgrounds, one after another, during a video.
  case keyframes(BackgroundKeyframes)

  /// Parses a background in the notation of ``named(_:)``, or `BACKGROUND@TIME,BACKGROUND@TIME`.
  ///
  /// - Throws: the errors of ``BackgroundKeyframes`` for a text. Backdrop checks that the background exists when the work begins.
  public init(parsing text: String) throws(BackdropError) {
    // A file whose name looks like keyframes is a file.
    if FileKind(text) == .absent, let keyframes = try BackgroundKeyframes(text) {
      self = .keyframes(keyframes)
    } else {
      self = .named(text)
    }
  }

  /// One colour.
  public static func color(_ color: RGBColor) -> Self { .named(color.hex) }

  /// A drawn scene of the frame's size.
  public static func scenery(_ scenery: Scenery) -> Self { .named("scene:" + scenery.rawValue) }

  /// A picture or a video in a file; a video plays in a loop.
  public static func file(_ path: String) -> Self {
    // A path with a slash matches no other kind of background.
    .named(path.utf8.first == UInt8(ascii: "/") ? path : "./" + path)
  }

  /// The real background, blurred.
  ///
  /// - Parameter sigma: the standard deviation in pixels of the frame, 0.5…200; `nil` for a blur that hides the real background.
  public static func blur(sigma: Double? = nil) -> Self { .named(sigma.map { "blur:\($0)" } ?? "blur") }

  /// The real background, out of focus as through a lens.
  ///
  /// - Parameter radius: the radius of the disc that a point becomes, in pixels of the frame, 0.5…200; `nil` for a disc that hides the real
  ///   background.
  public static func bokeh(radius: Double? = nil) -> Self { .named(radius.map { "bokeh:\($0)" } ?? "bokeh") }

  /// No background: results are transparent there.
  public static let transparent = BackgroundChoice.named(BackgroundSource.none)

  /// Whether the background is left out or is a colour that is not opaque, so that results have alpha.
  public var isTransparent: Bool {
    name == BackgroundSource.none || name.flatMap(ColorText.init).map { $0.opacity < 1 } ?? false
  }

  /// The background's translucent colour, if it is one.
  package var veil: ColorText? { name.flatMap(ColorText.init).flatMap { 0 < $0.opacity && $0.opacity < 1 ? $0 : nil } }

  /// Whether the program computes this background without reading a file. Clients that may not name files may request it.
  package static func isComputed(_ name: String) -> Bool {
    ColorText(name) != nil
      || (name.hasPrefix("scene:") || ["blur", "bokeh"].contains { name == $0 || name.hasPrefix($0 + ":") })
        && FileKind(name) == .absent
  }

  /// The notation; `nil` for a background in memory.
  public var name: String? { if case .named(let text) = self { text } else { nil } }

  /// The notations of all its parts.
  var names: [String] { if case .keyframes(let frames) = self { frames.names } else { [name].compactMap { $0 } } }
}

extension BackgroundChoice: ExpressibleByStringLiteral {
  /// Makes a choice from the notation of ``named(_:)``.
  public init(stringLiteral text: String) { self = .named(text) }
}
