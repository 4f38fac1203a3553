/// A blur of the real background that is too weak to hide writing.
///
/// The minimum blur was found with tesseract 5.3 on text with capitals of 24 pixels in 720 lines, black on white, in three fonts, at
/// original, half and twice the size and with the contrast stretched. With a Gaussian of 4 pixels tesseract reads 63 to 100 % of the words,
/// with 5 at most 20 %, with 6 none. ``minimumSigma`` is larger: an attacker who knows the blur can invert it in an otherwise unchanged
/// picture, and then reads all at 6, a quarter at 8 and 2 words of 30 at 10. With a disc of 6 pixels tesseract reads 50 to 100 %, with 8 at
/// most 7 %; ``minimumRadius`` is twice that. Other sizes count in proportion to the shorter side, as text does.
public struct LegibleBlur: Sendable, Equatable {
  /// The minimum standard deviation of a Gaussian, in pixels of a picture whose shorter side is 720.
  public static let minimumSigma = 10.0
  /// The minimum radius of a disc, in the same pixels.
  public static let minimumRadius = 16.0
  private static let referenceSide = 720.0

  /// The kind of blur, as the notation of backgrounds names it.
  public enum Kind: String, Sendable, CaseIterable {
    /// A Gaussian.
    case blur
    /// A disc.
    case bokeh
  }

  /// The kind of blur.
  public var kind: Kind
  /// Standard deviation or radius, in pixels.
  public var size: Double
  /// The minimum that would hide the real background, in the same pixels.
  public var least: Double

  /// - Parameters:
  ///   - background: the background.
  ///   - width: of the picture, in pixels.
  ///   - height: likewise.
  /// - Returns: `nil` for a background that hides writing in the real background.
  public init?(_ background: Background, width: Int, height: Int) {
    switch background {
    case .picture, .color: return nil
    case .blur(let sigma): (kind, size) = (.blur, sigma)
    case .bokeh(let radius): (kind, size) = (.bokeh, radius)
    }
    least = Self.least(kind, width: width, height: height)
    guard size < least else { return nil }
  }

  /// The minimum size of a blur that hides writing in the real background, in tenths of a pixel.
  package static func least(_ kind: Kind, width: Int, height: Int) -> Double {
    let reference = kind == .blur ? minimumSigma : minimumRadius
    return (reference * Double(min(width, height)) / referenceSide * 10).rounded(.up) / 10
  }

  /// The notation of a background that hides the real background.
  var hint: String { "\(kind.rawValue):\(brief(least))" }
  var text: String { "text in the room stays readable behind a \(kind.rawValue) of \(brief(size)) pixels" }
  /// The warning for the user's own files.
  var warning: Warning { Warning(text, hint: .blurMore(background: hint)) }
  /// The reason that others see the standby frame.
  public var error: BackdropError {
    BackdropError(.wrongArgument, text, hint: .blurMoreOrShowRealBackground(background: hint))
  }
}
