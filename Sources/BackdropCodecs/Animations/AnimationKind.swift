import BackdropImaging

/// The formats that show pictures one after the other, without sound, in any picture viewer.
package enum AnimationKind: String, Sendable, CaseIterable {
  /// GIF: 255 colours per picture, hundredths of a second; a pixel is either opaque or transparent.
  case gif
  /// Animated PNG: exact, with alpha; times as fractions.
  case apng
  /// Animated WebP: small, lossy or exact, with alpha; milliseconds.
  case webp

  package var fileExtension: String { rawValue }

  /// The name with an article, for sentences.
  package var title: String {
    switch self {
    case .gif: "a GIF"
    case .apng: "an animated PNG"
    case .webp: "an animated WebP"
    }
  }

  /// The kind for a file name's extension; a WebP may also be a single picture.
  package init?(fileExtension: String) { self.init(rawValue: fileExtension) }

  package var canBeLossless: Bool { self != .gif }

  /// The longer side in pixels to which pictures are reduced, because GIFs are large files.
  package var usualSide: Int { self == .gif ? 640 : .max }

  /// The maximum pictures per second for a video; 0 for no limit.
  package var usualRate: Double { self == .gif ? 12.5 : 0 }

  /// The maximum bytes per pixel of a job with this result, without those of the program.
  package func jobBytesPerPixel(isLossless: Bool) -> Int {
    switch self {
    case .gif, .apng: 24
    case .webp: WebP.jobBytesPerPixel(isLossless: isLossless) + 8
    }
  }

  /// Begins a file.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for a size outside the format's range.
  package func writer(_ settings: AnimationSettings) throws(BackdropError) -> any AnimationWriter {
    switch self {
    case .gif: try GIFWriter(settings)
    case .apng: try APNGWriter(settings)
    case .webp: try WebPAnimationWriter(settings)
    }
  }
}
