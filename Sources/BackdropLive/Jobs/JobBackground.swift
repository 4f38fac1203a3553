import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropMedia

/// The background of a job, as a person writes it; a video plays in a loop.
public final class JobBackground {
  /// What the compositor is given before the first frame.
  public let initial: Background
  private let movie: Movie?

  /// Reads `#RRGGBB`, `blur` or `blur:SIGMA`, `bokeh` or `bokeh:RADIUS`, `scene:NAME`, or the name of a picture or video file.
  ///
  /// - Throws: `wrongArgument` for anything else; what is wrong with the file.
  public init(_ text: String, width: Int, height: Int) throws(BackdropError) {
    if text.hasPrefix("#") {
      guard let color = RGBColor(hex: text) else {
        throw BackdropError(.wrongArgument, "'\(text)' is not a colour", hint: "write it as #RRGGBB, such as #204060")
      }
      initial = .color(color)
      movie = nil
      return
    }
    if text == "blur" || text.hasPrefix("blur:") {
      let sigma = text == "blur" ? 20 : Double(text.dropFirst(5)) ?? -1
      guard sigma >= 0.5 && sigma <= 200 else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a blur", hint: "write blur, or blur:R with R from 0.5 to 200 pixels")
      }
      initial = .blur(sigma: sigma)
      movie = nil
      return
    }
    if text == "bokeh" || text.hasPrefix("bokeh:") {
      let radius = text == "bokeh" ? 20 : Double(text.dropFirst(6)) ?? -1
      guard radius >= 0.5 && radius <= 200 else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a blur", hint: "write bokeh, or bokeh:R with R from 0.5 to 200 pixels")
      }
      initial = .bokeh(radius: radius)
      movie = nil
      return
    }
    if text.hasPrefix("scene:") {
      guard let scenery = Scenery(rawValue: String(text.dropFirst(6))) else {
        let known = Scenery.allCases.map { "scene:" + $0.rawValue }.joined(separator: ", ")
        throw BackdropError(.wrongArgument, "there is no background '\(text)'", hint: "there are \(known)")
      }
      initial = .picture(scenery.image(width: width, height: height))
      movie = nil
      return
    }
    guard FileKind(text) != .absent else {
      throw BackdropError(
        .wrongArgument, "no such background", path: text,
        hint: "give a picture, a video, #RRGGBB, blur, bokeh, or one of "
          + Scenery.allCases.map { "scene:" + $0.rawValue }.joined(separator: ", "))
    }
    switch try MediaKind(path: text) {
    case .picture:
      initial = .picture(try Picture.load(text, upright: true))
      movie = nil
    case .video:
      let movie = try Movie(text)
      initial = .picture(movie.image)
      self.movie = movie
    }
  }

  /// The picture to change to for a frame at `seconds`; `nil` if it stays.
  public func picture(at seconds: Double) throws(BackdropError) -> Image? {
    try movie?.picture(at: seconds)
  }
}

/// A video that is played in a loop beside another stream's clock.
private final class Movie {
  private let reader: VideoReader
  private(set) var image: Image
  private var upcoming: VideoFrame?
  /// The stream's time at which the current round began.
  private var offset = 0.0
  private var lastEnd = 0.0
  private var firstTime: Double

  init(_ path: String) throws(BackdropError) {
    reader = try VideoReader(path: path)
    guard let first = try reader.next() else {
      throw BackdropError(.badData, "the video has no frames", path: path)
    }
    image = first.image.upright()
    firstTime = first.seconds
    lastEnd = Movie.end(of: first)
    upcoming = try reader.next()
  }

  func picture(at seconds: Double) throws(BackdropError) -> Image? {
    var changed = false
    // Bounded, so that a video of zero length cannot hold the job up.
    for _ in 0..<10_000 {
      if let frame = upcoming {
        guard frame.seconds - firstTime + offset <= seconds else { break }
        image = frame.image.upright()
        lastEnd = Movie.end(of: frame)
        changed = true
        upcoming = try reader.next()
      } else {
        let length = lastEnd - firstTime
        guard offset + length <= seconds, length > 0 else { break }
        offset += length
        try reader.rewind()
        upcoming = try reader.next()
        guard upcoming != nil else { break }
      }
    }
    return changed ? image : nil
  }

  private static func end(of frame: VideoFrame) -> Double {
    frame.seconds + max(Double(frame.duration) * frame.timeBase.value, 0.001)
  }
}
