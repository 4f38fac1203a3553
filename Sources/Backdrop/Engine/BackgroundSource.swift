/// A background at the size of scenes; a video plays in a loop.
package final class BackgroundSource {
  /// The compositor's background before the first frame.
  package let initial: Background
  /// A blur of the real background that leaves writing legible; `nil` if the background is hidden.
  package let legibleBlur: LegibleBlur?
  private let movie: Movie?
  private let fade: BackgroundFade?
  var now: Background
  /// Whether light of the background can fall on the person: false for the blurred real background.
  var isPictureOrColor: Bool {
    switch initial {
    case .blur, .bokeh: false
    case .color, .picture: true
    }
  }

  /// The default size of `blur` and `bokeh`, in pixels, if it hides the real background.
  private static let usualBlur = 20.0

  /// Prepares a background for scenes of `width` × `height` pixels; `limits` are those of a file's pictures.
  package init(
    _ choice: BackgroundChoice, width: Int, height: Int, limits: ImageLimits = .standard
  ) throws(BackdropError) {
    var (movie, fade, legibleBlur): (Movie?, BackgroundFade?, LegibleBlur?) = (nil, nil, nil)
    switch choice {
    case .color(let color, let opacity):
      guard opacity == 1 else {
        throw BackdropError(
          .wrongArgument, "'\(choice)' is transparent, but this output is opaque",
          hint: "write it as #RRGGBB, such as #204060")
      }
      initial = .color(color)
    case .transparent:
      throw BackdropError(
        .wrongArgument, "this output needs a background", hint: "give a picture, a video, a colour or a blur")
    case .blur(let sigma):
      initial = .blur(sigma: sigma ?? max(Self.usualBlur, LegibleBlur.least(.blur, width: width, height: height)))
      legibleBlur = LegibleBlur(initial, width: width, height: height)
    case .bokeh(let radius):
      initial = .bokeh(radius: radius ?? max(Self.usualBlur, LegibleBlur.least(.bokeh, width: width, height: height)))
      legibleBlur = LegibleBlur(initial, width: width, height: height)
    case .scenery(let scenery):
      let image = try FittedPictures.scenes.picture(choice.description, width: width, height: height) {
        () throws(BackdropError) in
        try Self.fitted(scenery.image(), width: width, height: height)
      }
      guard let image else { preconditionFailure("a scene is a picture") }
      initial = .picture(image)
    case .file(let path):
      (initial, movie) = try Self.read(path, width: width, height: height, limits: limits)
    case .picture(let picture):
      initial = .picture(try Self.fitted(picture.image, width: width, height: height))
    case .keyframes(let keyframes):
      let made = try BackgroundFade(keyframes, width: width, height: height, limits: limits)
      (initial, fade, legibleBlur) = (made.initial, made, made.legibleBlur)
    }
    (self.movie, self.fade, self.legibleBlur, now) = (movie, fade, legibleBlur, initial)
  }

  private static func read(
    _ path: String, width: Int, height: Int, limits: ImageLimits
  ) throws(BackdropError) -> (initial: Background, movie: Movie?) {
    guard FileKind(path) != .absent else {
      throw BackdropError(
        .wrongArgument, "no such background", path: path,
        hint: "give a picture, a video, a colour, blur, bokeh, none, or one of "
          + BackgroundChoice.sceneries.joined(separator: ", "))
    }
    var options = SceneInput.Options()
    options.limits = limits
    let source: SceneInput
    do throws(BackdropError) {
      source = try SceneInput.open(path, options: options)
    } catch {
      guard FileKind(path) == .folder else { throw error }
      throw BackdropError(
        .wrongArgument, "this folder is not a recording", path: path, hint: "give a picture, a video or a recording")
    }
    if let photo = source.photo {
      return (.picture(try fitted(try photo.picture().flattened, width: width, height: height)), nil)
    }
    let movie = try Movie(source, options)
    return (.picture(movie.image), movie)
  }

  /// The picture at the size that the compositor needs, which saves keeping the original too.
  private static func fitted(_ image: Image, width: Int, height: Int) throws(BackdropError) -> Image {
    var image = image.flattened().upright()
    if (image.width, image.height) != (width, height) { image = try image.filling(width: width, height: height) }
    // Still pictures can be drawn directly on a picture without alpha.
    return image.format.hasAlpha ? image.converted(to: .rgb8) : image
  }

  var isMoving: Bool { movie != nil || fade != nil }

  /// The background for a frame at `seconds` from the result's first frame; `nil` if it stays the same.
  package func background(at seconds: Double) throws(BackdropError) -> Background? {
    if let fade { return try fade.background(at: seconds) }
    return try movie?.picture(at: seconds).map { .picture($0) }
  }
}

/// Plays a video in a loop by another stream's clock, each frame at its own time.
private final class Movie {
  private var source: SceneInput
  private let options: SceneInput.Options
  private(set) var image: Image
  private var upcoming: Scene?
  /// The stream's time at the start of this round.
  private var offset = 0.0
  private var lastEnd = 0.0
  private let firstTime: Double
  private let isStill: Bool
  private var latest = -Double.infinity

  init(_ source: SceneInput, _ options: SceneInput.Options) throws(BackdropError) {
    (self.source, self.options) = (source, options)
    guard let first = try self.source.next() else {
      throw BackdropError(.badData, "the video has no frames", path: source.name)
    }
    image = first.flattened
    firstTime = first.time
    upcoming = try self.source.next()
    isStill = upcoming == nil
    lastEnd = end(of: first)
  }

  func picture(at seconds: Double) throws(BackdropError) -> Image? {
    guard !isStill else { return nil }
    let seconds = max(0, seconds)
    // Seeking backwards in the foreground video rewinds this one too.
    if seconds < latest {
      try rewind()
      offset = 0
    }
    latest = seconds
    var due: Scene?
    while true {
      if let scene = upcoming {
        guard scene.time - firstTime + offset <= seconds else { break }
        due = scene
        lastEnd = end(of: scene)
        upcoming = try source.next()
      } else {
        let length = lastEnd - firstTime
        // Skip whole rounds at once: with a clock that starts late, a short video has thousands of them to skip.
        let rounds = ((seconds - offset) / length).rounded(.down)
        guard rounds >= 1 && rounds.isFinite else { break }
        offset += rounds * length
        try rewind()
        // Rounding could place the start of the new round after `seconds`.
        guard upcoming != nil, offset <= seconds else { break }
      }
    }
    guard let due else { return nil }
    image = due.flattened
    return image
  }

  private func rewind() throws(BackdropError) {
    if let video = source.video {
      try video.rewind()
    } else {
      source = try SceneInput.open(source.name, options: options)
    }
    upcoming = try source.next()
  }

  private func end(of scene: Scene) -> Double { scene.time + source.duration(of: scene) }
}
