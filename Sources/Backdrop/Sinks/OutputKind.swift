/// A kind of output that a name stands for: a picture, a video, and so on. ``OutputTarget/kinds`` lists them; nothing else enumerates them.
protocol OutputKind: Sendable {
  /// The kind for a name; `nil` if the name belongs to another one.
  ///
  /// - Throws: `wrongArgument` for a name that is almost of this kind.
  static func named(_ path: String) throws(BackdropError) -> Self?
  /// Its extensions and their use, as part of a sentence: `.gif for an animation`; `nil` for names that have none of their own.
  static var fileExtensions: String? { get }

  var files: OutputFiles { get }
  /// Whether it is complete after one picture.
  var isPicture: Bool { get }
  /// Whether it is a video file, which takes every frame, and sound.
  var isVideo: Bool { get }
  /// The kind for a moving source.
  var moving: any OutputKind { get }
  /// The pictures of a film of a photo; `nil` for outputs that show no film.
  var film: FilmFormat? { get }

  /// Whether the output shows a photo as a film, with a look that can move.
  func makesFilm(of look: Look) -> Bool

  /// Refuses what could not be written, as far as name and options show. It creates nothing.
  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError)

  /// The maximum bytes per pixel of a job with a picture of this kind, and the picture's title in sentences; `nil` if memory does not limit
  /// its size.
  func memory(isLossless: Bool) -> (bytesPerPixel: Int, title: String)?

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter
}

extension OutputKind {
  static var fileExtensions: String? { nil }
  var isPicture: Bool { false }
  var isVideo: Bool { false }
  var moving: any OutputKind { self }
  var film: FilmFormat? { nil }
  func makesFilm(of look: Look) -> Bool { false }
  func memory(isLossless: Bool) -> (bytesPerPixel: Int, title: String)? { nil }
}

/// The pictures of a film of a photo.
struct FilmFormat {
  /// The longer side, in pixels.
  var side: Int
  /// Pictures per second: for a moving look, and for a sweep, which plays more slowly so that viewers can compare its pictures.
  var motionRate: Rational, sweepRate: Rational
}

/// Writes the pictures of one output. Nothing appears under the output's name before ``commit()``.
protocol FrameWriter: AnyObject {
  var isFull: Bool { get }
  /// Whether it is a pipe whose reader has closed it.
  var readerIsGone: Bool { get }
  var notes: [String] { get }
  var videoFile: OutputFile? { get }

  /// Adds a picture; times are in the stream's ticks.
  func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) throws(BackdropError)
  /// Adds sound to a video's own track.
  func write(sound samples: [Float]) throws(BackdropError)
  /// Writes all remaining data, so that only the move into place remains.
  func complete() throws(BackdropError)
  /// Completes the output and moves it into place.
  func commit() throws(BackdropError)
}

extension FrameWriter {
  var isFull: Bool { false }
  var readerIsGone: Bool { false }
  var notes: [String] { [] }
  var videoFile: OutputFile? { nil }
  func write(sound samples: [Float]) throws(BackdropError) {}
}

/// No file: a job's observer sees the drawings.
struct NoOutput: OutputKind {
  private final class Writer: FrameWriter {
    func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) {}
    func complete() {}
    func commit() {}
  }

  static func named(_ path: String) -> NoOutput? { nil }

  var files: OutputFiles { .none }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) {}
  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) -> any FrameWriter { Writer() }
}
