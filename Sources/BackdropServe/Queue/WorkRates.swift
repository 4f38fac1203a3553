import Backdrop
import BackdropHTTP
import Synchronization

/// How long pictures take on this machine, by their pixels and settings. A picture that the deadline cannot allow is refused before it costs
/// anything.
///
/// All rates are the best that were seen, so that a busy moment refuses nothing.
final class WorkRates: Sendable {
  /// The settings that a picture's time depends on.
  struct Kind: Hashable, Sendable {
    var operation: MediaRequest.Operation
    var look: String
    /// The extension of the result's name.
    var format: String
  }

  /// Seconds per pixel.
  private struct State {
    var ofKinds: [Kind: Double] = [:]
    /// Those of a plain replacement, as a lower bound for other kinds of the same format.
    var ofFormats: [String: Double] = [:]
  }

  private let state = Mutex(State())
  /// The number of pixels from which a picture's own time tells the rate.
  private static let leastPixels = 2_000_000
  /// The sides of the pictures that are measured at the start. The first loads what the format needs, and the difference of the others leaves
  /// out what every picture costs.
  private static let sides = [512, 512, 1448]

  func add(_ kind: Kind, pixels: Int, seconds: Double) {
    guard pixels >= Self.leastPixels else { return }
    let rate = seconds / Double(pixels)
    state.withLock { $0.ofKinds[kind] = min($0.ofKinds[kind] ?? .infinity, rate) }
  }

  /// Sets the least time of a format.
  func set(_ format: String, secondsPerPixel rate: Double) {
    state.withLock { $0.ofFormats[format] = min($0.ofFormats[format] ?? .infinity, max(0, rate)) }
  }

  var formats: Set<String> { state.withLock { Set($0.ofFormats.keys) } }

  /// - Throws: `overLimit` if the picture takes longer than the seconds that are left.
  func check(_ kind: Kind, pixels: Int, left: Double) throws(BackdropError) {
    let rate = state.withLock { state in
      state.ofKinds[kind] ?? (kind.operation == .matte ? nil : state.ofFormats[kind.format]) ?? 0
    }
    let seconds = rate * Double(pixels)
    guard seconds > left else { return }
    throw BackdropError(
      .overLimit,
      "a picture of \(brief((Double(pixels) / 100_000).rounded() / 10)) megapixels takes \(brief(seconds.rounded(.up))) s or more here, and \(brief(max(0, left).rounded(.down))) s are left",
      hint: "send a smaller picture, choose another format, or send it to /v1/jobs as a video")
  }

  /// Measures every format with drawn pictures, which need no network.
  func measure(
    _ folder: DropFolder, threads: Int, _ sandbox: () -> DecoderSandbox?, isOver: () -> Bool
  ) throws(BackdropError) {
    for format in MediaType.pictureFormats {
      var seconds: [Double] = []
      for side in Self.sides {
        if isOver() { return }
        let bytes = try Picture.encode(Self.picture(side), as: .jpeg)
        let file = try BodyFile(in: folder, of: "", bytes)
        let request = MediaRequest(
          .replace, SentFile(body: file, range: 0..<bytes.count, fileExtension: ""),
          options: [("matte", "chroma"), ("background", "navy")], format: format)
        let work = MediaWork(
          request: request, folder: folder, limits: .standard, threads: threads, isVideo: false, sandbox: sandbox())
        let start = ContinuousClock.now
        _ = try MediaWork.draw(try work.open().opened, ModelCache(), isInterrupted: { false })
        seconds.append((ContinuousClock.now - start) / .seconds(1))
      }
      let pixels = Self.sides.map { Double($0 * $0) }
      set(format, secondsPerPixel: (seconds[2] - seconds[1]) / (pixels[2] - pixels[1]))
    }
  }

  /// A grey block in front of a green screen.
  private static func picture(_ side: Int) -> Image {
    var image = Image(.rgb8, width: side, height: side)
    for y in 0..<side {
      var row = image.mutableRow(y)
      for x in 0..<side {
        let color: (UInt8, UInt8, UInt8) = abs(2 * x - side) < side / 2 ? (120, 120, 120) : (26, 179, 64)
        (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = color
      }
    }
    return image
  }
}
