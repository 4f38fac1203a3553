import Libc

struct AnimationOutput: OutputKind {
  let path: String
  let kind: AnimationKind

  static func named(_ path: String) -> AnimationOutput? {
    AnimationKind(fileExtension: FileName(path).fileExtension).map { AnimationOutput(path: path, kind: $0) }
  }

  static var fileExtensions: String? {
    AnimationKind.allCases.map { "." + $0.fileExtension }.listed("or") + " for an animation"
  }

  var files: OutputFiles { .one(path) }
  /// The pictures are small, because the files are large.
  var film: FilmFormat? { FilmFormat(side: 640, motionRate: Rational(100, 8), sweepRate: Rational(100, 8)) }

  func makesFilm(of look: Look) -> Bool { true }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    if options.photoIsLossless && !kind.canBeLossless { throw PictureOutput.losing("GIF", path) }
    try PictureOutput.refuseCodec(options, path)
    try files.check(overwrite: options.overwrite)
  }

  func memory(isLossless: Bool) -> (bytesPerPixel: Int, title: String)? {
    (kind.jobBytesPerPixel(isLossless: isLossless), kind.title)
  }

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter {
    AnimationFrames(try OutputFile(path, overwrite: options.overwrite), kind, for: stream, options)
  }
}

/// Writes an animation's file, picture by picture.
///
/// Each picture has its own duration. If pictures come faster than the format can show well, the stream leaves some out, and each of the
/// others shows the scene of its time.
private final class AnimationFrames: FrameWriter {
  private let file: OutputFile
  private let kind: AnimationKind
  private let timeBase: Rational
  private let options: StreamOutput.Options
  private let keepsAlpha: Bool
  private let plays: Int
  /// The minimum number of seconds between two pictures, and the duration of a picture whose duration is unknown.
  private let shortest: Double, usual: Double
  /// Times in the file use the source's ticks if they can be exact, else microseconds.
  private let fileBase: Rational
  private var writer: (any AnimationWriter)?
  /// The time of the first picture.
  private var first: Int64?
  private var latest: (image: Image, start: Int64, end: Int64)?
  /// The picture before it in the file, whose end is still open, and the earliest time for the next.
  private var placed: (image: Image, start: Int64)?
  private var free = Int64.min

  /// Begins an animation of pictures with times in ticks of `stream`.
  init(_ file: OutputFile, _ kind: AnimationKind, for stream: StreamOutput.Stream, _ options: StreamOutput.Options) {
    (self.file, self.kind, keepsAlpha, self.options) = (file, kind, stream.keepsAlpha, options)
    timeBase = stream.timeBase
    fileBase = kind == .apng ? stream.timeBase : Rational(1, 1_000_000)
    let isAnimation = ["gif", "apng"].contains(stream.video?.containerName)
    // Viewers slow down pictures shorter than two hundredths of a second.
    shortest = isAnimation ? (kind == .gif ? 0.02 : 0) : kind.usualRate > 0 ? 1 / kind.usualRate : 0
    usual = stream.frameRate.isPositive ? stream.frameRate.inverse.value : 0.1
    plays = isAnimation ? stream.video.map(Self.plays) ?? 0 : 0
  }

  private static func plays(_ video: any StreamSource) -> Int {
    // The source was readable so far, and the number of repetitions is not worth an error.
    do throws(BackdropError) { return AnimationPlays.count(in: try InputFile.head(video.path)) ?? 0 } catch { return 0 }
  }

  /// Adds a picture that starts at a time; times are in ticks.
  func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) throws(BackdropError) {
    let start = own(time &- (first ?? time))
    if first == nil { first = time }
    try put(until: start)
    let length = own(max(0, duration))
    latest = (image, start, start + (length > 0 ? length : Int64(usual / fileBase.value)))
  }

  /// Writes everything, so that only the move into place remains.
  func complete() throws(BackdropError) {
    guard let latest else {
      throw BackdropError(.wrongArgument, "\(kind.title) needs at least one picture", path: file.path)
    }
    try put(until: latest.end)
    if let placed { try add(placed.image, from: placed.start, to: max(latest.end, placed.start + 1)) }
    guard var writer else { return }
    let changes = writer.finish()
    try send(writer.drain())
    for (offset, bytes) in changes {
      guard lseek(try file.begin().number, off_t(offset), SEEK_SET) >= 0 else { throw file.failure(errno) }
      try send(bytes)
    }
    try file.checkName()
  }

  func commit() throws(BackdropError) { try file.commit() }

  /// A time in the file's ticks.
  private func own(_ time: Int64) -> Int64 {
    guard fileBase != timeBase else { return time }
    return Int64(max(-1e17, min(1e17, (Double(time) * timeBase.value / fileBase.value).rounded())))
  }

  /// Puts the last picture into the file if it is visible at the next free time, before `end`.
  private func put(until end: Int64) throws(BackdropError) {
    guard let latest else { return }
    let start = max(latest.start, free)
    guard start < end || placed == nil else { return }
    if let placed { try add(placed.image, from: placed.start, to: start) }
    placed = (try latest.image.reduced(toSide: kind.usualSide), start)
    // Rounded down, so that a picture at exactly this moment is in time.
    free = start + Int64(shortest / fileBase.value)
  }

  private func add(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError) {
    var next: any AnimationWriter
    if let writer {
      next = writer
    } else {
      var settings = AnimationSettings(width: image.width, height: image.height, timeBase: fileBase)
      (settings.plays, settings.keepsAlpha) = (plays, keepsAlpha)
      (settings.quality, settings.isLossless) = (options.photoQuality, options.photoIsLossless)
      do { next = try kind.writer(settings) } catch { throw error.at(file.path) }
    }
    // A second reference would cause a copy.
    writer = nil
    do { try next.append(image, from: start, to: end) } catch { throw error.at(file.path) }
    let bytes = next.drain()
    writer = next
    try send(bytes)
  }

  private func send(_ bytes: [UInt8]) throws(BackdropError) {
    let code = try file.begin().write(bytes.span)
    guard code == 0 else { throw file.failure(code) }
  }
}
