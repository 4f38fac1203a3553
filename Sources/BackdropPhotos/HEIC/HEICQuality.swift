import BackdropImaging

/// How pictures are coded.
public struct HEICQuality: Sendable, Hashable {
  /// The encoder's constant rate factor: 0 is best, 51 worst; `nil` keeps every sample.
  public var rateFactor: Double?
  /// The encoder's preset: slower ones make smaller files.
  public var preset: Preset

  /// The encoder's presets. For still pictures the fastest one makes only slightly larger files.
  public enum Preset: String, Sendable, CaseIterable {
    case ultrafast, superfast, veryfast, medium, slow
  }

  /// Keeps every sample.
  public static let lossless = HEICQuality(rateFactor: nil)
  /// About the size of a phone's files.
  public static let standard = HEICQuality(rateFactor: 16)

  /// Makes a quality.
  public init(rateFactor: Double?, preset: Preset = .ultrafast) {
    self.rateFactor = rateFactor
    self.preset = preset
  }

  /// The quality that corresponds to a JPEG quality of 1…100: 95 gives ``standard``.
  public init(jpegQuality: Int) {
    self.init(rateFactor: min(max(16 + 0.4 * Double(95 - jpegQuality), 0), 51))
  }

  func check() throws(BackdropError) {
    if let rateFactor, !(0...51).contains(rateFactor) {
      throw BackdropError(
        .wrongArgument, "the quality \(rateFactor) is out of range: HEVC uses 0…51", hint: "lower is better")
    }
  }
}
