import BackdropImaging

/// The kinds of files that show pictures one after the other, without sound, wherever pictures are shown.
public enum AnimationKind: String, Sendable, CaseIterable {
  /// GIF: 255 colours a picture, hundredths of a second; a pixel is there or not.
  case gif
  /// Animated PNG: exact, with alpha; times as fractions.
  case apng
  /// Animated WebP: small, lossy or exact, with alpha; milliseconds.
  case webp

  /// The extension of its files.
  package var ending: String { rawValue }

  /// As in a sentence.
  package var title: String {
    switch self {
    case .gif: "a GIF"
    case .apng: "an animated PNG"
    case .webp: "an animated WebP"
    }
  }

  /// The kind that a file name asks for; a WebP may be a single picture too.
  package init?(ending: String) {
    guard let kind = Self.allCases.first(where: { $0.ending == ending }) else { return nil }
    self = kind
  }

  /// Whether every pixel is kept, or is where that is asked for.
  package var canBeLossless: Bool { self != .gif }

  /// The longer side in pixels that pictures are made smaller to: GIFs are large for what they show.
  package var usualSide: Int { self == .gif ? 640 : .max }

  /// Pictures in a second that a video is shown with at most; 0 for all of its own.
  package var usualRate: Double { self == .gif ? 12.5 : 0 }

  /// Bytes a pixel that a job takes at most, beside those for the program, whose result is written so.
  package func jobBytesPerPixel(isLossless: Bool) -> Int {
    switch self {
    case .gif, .apng: 24
    case .webp: PictureKind.webp.jobBytesPerPixel(isLossless: isLossless) + 8
    }
  }

  /// Begins a file.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for a size that the kind does not have.
  package func writer(_ settings: AnimationSettings) throws(BackdropError) -> any AnimationWriter {
    switch self {
    case .gif: try GIFWriter(settings)
    case .apng: try APNGWriter(settings)
    case .webp: try WebPAnimationWriter(settings)
    }
  }
}
