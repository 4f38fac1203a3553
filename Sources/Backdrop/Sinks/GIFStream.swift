import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging

/// A GIF of a video: its pictures made smaller, and as many a second as a GIF can have without growing out of hand.
final class GIFStream {
  /// How long each picture is shown, in hundredths of a second.
  static let hundredths = 8
  /// The longer side at most: GIFs are large for what they show.
  static let side = 640
  /// Pictures at most, since a GIF is put together in memory: two minutes.
  static let maximumCount = 1500

  private let file: OutputFile
  private let timeBase: Rational
  private var writer: GIFWriter?
  /// What is seen until the next picture comes, and when that time is over, in seconds.
  private var shown: Image?, end = 0.0
  private var first: Int64?

  init(_ file: OutputFile, timeBase: Rational) { (self.file, self.timeBase) = (file, timeBase) }

  /// Takes what is shown from a time on; times are in ticks.
  ///
  /// - Throws: `overLimit` for a video that is too long.
  func append(_ image: Image, time: Int64, duration: Int64) throws(BackdropError) {
    let begin = Double(time &- (first ?? time)) * timeBase.value
    if first == nil { first = time }
    try fill(until: begin)
    (shown, end) = (image, begin + Double(max(0, duration)) * timeBase.value)
  }

  /// Shows the last picture up to a time in seconds.
  private func fill(until seconds: Double) throws(BackdropError) {
    guard let shown else { return }
    while Double(writer?.count ?? 0) * Double(Self.hundredths) / 100 < seconds - 1e-6 { try add(shown) }
  }

  private func add(_ image: Image) throws(BackdropError) {
    guard (writer?.count ?? 0) < Self.maximumCount else {
      throw BackdropError(
        .overLimit, "a GIF has at most \(Self.maximumCount * Self.hundredths / 100) s", path: file.path,
        hint: "take a shorter part, or name the output .mp4 or .webm")
    }
    let scale = min(1, Double(Self.side) / Double(max(image.width, image.height)))
    let (width, height) = (
      max(1, Int((Double(image.width) * scale).rounded())), max(1, Int((Double(image.height) * scale).rounded()))
    )
    let small = image.width == width ? image : try image.scaled(toWidth: width, height: height)
    var next =
      if let writer { writer } else { try GIFWriter(width: width, height: height, hundredths: Self.hundredths) }
    // Held twice it would be copied.
    writer = nil
    try next.append(small)
    writer = next
  }

  /// Writes all of it, so that nothing but moving it into place is left.
  func complete() throws(BackdropError) {
    guard let shown else {
      throw BackdropError(.wrongArgument, "a GIF needs at least one picture", path: file.path)
    }
    try fill(until: end)
    if writer == nil { try add(shown) }
    guard var whole = writer.take() else { return }
    let bytes = whole.finish()
    try file.stage(bytes.span)
  }

  func commit() throws(BackdropError) { try file.commit() }
}
