import CBackdropKernels
import CLCMS

/// Converts the samples of one ICC profile to another with Little CMS, for profiles of tables and of inks.
///
/// Media-relative colorimetric, with black point compensation: the darkest colour of a print or a scan becomes black.
final class ICCTransform: @unchecked Sendable {  // Little CMS only reads a finished transform.
  private let handle: cmsHTRANSFORM

  /// Profiles of `nil` are sRGB; `input` and `output` are memory layouts of samples. `nil` for profiles that are damaged, have other
  /// samples, or lack the tables for this direction.
  init?(_ source: [UInt8]?, _ input: UInt32, to target: [UInt8]?, _ output: UInt32) {
    guard let source = Self.open(source) else { return nil }
    defer { cmsCloseProfile(source) }
    guard let target = Self.open(target) else { return nil }
    defer { cmsCloseProfile(target) }
    let made = cmsCreateTransform(
      source, input, target, output, UInt32(INTENT_RELATIVE_COLORIMETRIC), UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION))
    guard let made else { return nil }
    handle = made
  }

  deinit { cmsDeleteTransform(handle) }

  private static func open(_ profile: [UInt8]?) -> cmsHPROFILE? {
    profile.map { cmsOpenProfileFromMem($0, UInt32($0.count)) } ?? cmsCreate_sRGBProfile()
  }

  /// Converts `count` pixels, in place if both pixel sizes are equal.
  func convert(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) {
    cmsDoTransform(handle, input, output, UInt32(count))
  }

  /// Converts a row of R′, G′ and B′ to another byte order; alpha stays, and is 255 if there was none.
  func convert(
    _ row: UnsafePointer<UInt8>, _ order: Int32, _ width: Int, _ out: UnsafeMutablePointer<UInt8>, _ outOrder: Int32
  ) {
    func layout(_ order: Int32) -> (size: Int, red: Int) {
      (order == Int32(BD_RGB.rawValue) ? 3 : 4, order == Int32(BD_BGRA.rawValue) ? 2 : 0)
    }
    let (from, to) = (layout(order), layout(outOrder))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * width) { packed in
      guard let base = packed.baseAddress else { return }
      for x in 0..<width {
        for channel in 0..<3 { packed[3 * x + channel] = row[from.size * x + abs(from.red - channel)] }
      }
      convert(base, to: base, count: width)
      for x in 0..<width {
        let alpha = from.size == 4 ? row[4 * x + 3] : 255
        for channel in 0..<3 { out[to.size * x + abs(to.red - channel)] = packed[3 * x + channel] }
        if to.size == 4 { out[4 * x + 3] = alpha }
      }
    }
  }

  /// One colour, 0…1.
  func callAsFunction(_ color: [Double]) -> [Double] {
    var result = [0.0, 0, 0]
    convert(color, to: &result, count: 1)
    return result.map { min(max($0, 0), 1) }
  }
}

/// Converts cyan, magenta, yellow and black to sRGB: by their ICC profile, or, without a usable one, by multiplication: red is (1 − cyan) ·
/// (1 − black), and so on.
package struct InkConversion: Sendable {
  private let transform: ICCTransform?
  private let isInverted: Bool

  /// - Parameter isInverted: whether 255 means no ink.
  package init(profile: [UInt8]?, isInverted: Bool) {
    self.isInverted = isInverted
    let format = isInverted ? bd_cms_cmyk8_inverted : bd_cms_cmyk8
    transform = profile.flatMap { ICCTransform($0, format, to: nil, bd_cms_rgba8) }
  }

  /// Converts pixels of four samples to R′, G′, B′ and 255, in place.
  package func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    guard let base = pixels.baseAddress else { return }
    transform?.convert(base, to: base, count: pixels.count / 4)
    for x in stride(from: 0, to: pixels.count, by: 4) {
      if transform == nil {
        let black = isInverted ? Int(pixels[x + 3]) : 255 - Int(pixels[x + 3])
        for channel in x..<x + 3 {
          let color = isInverted ? Int(pixels[channel]) : 255 - Int(pixels[channel])
          pixels[channel] = UInt8((color * black + 127) / 255)
        }
      }
      pixels[x + 3] = 255
    }
  }
}
