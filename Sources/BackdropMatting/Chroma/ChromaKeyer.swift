import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Keys the foreground in front of a screen of one colour, and removes the screen's colour from it.
///
/// It is the colour difference key (Vlahos, US patent 3,595,987, 1971). A pixel's excess in the screen's channel over both others belongs
/// to the screen, as a fraction of the screen's own excess there. Grey, skin and hair have no excess. The screen's colour is found along
/// the picture's border, or given. The light on the screen may vary slowly across the picture. Solving for the foreground removes all of
/// the screen behind a pixel. Of the screen's light on the pixel, it leaves only as much as both other channels have.
///
/// Use one keyer for one stream. It is not safe to call from two threads at once.
package final class ChromaKeyer {
  package struct Options: Sendable, Equatable {
    /// The screen's colour; `nil` to find it along the border.
    package var color: RGBColor?
    /// The fraction of the screen's light that is removed from the foreground, 0…1.
    package var spill = 1.0

    package init() {}
  }

  /// The keying options, from the next picture on.
  package var options: Options { didSet { if options.color != oldValue.color { reset() } } }
  /// The fraction of the border covered by the screen in the last picture, 0…1.
  package var confidence: Double { map.borderShare }
  private let workers: WorkerPool
  private let cpu: CPULevel
  private var screen: ScreenColor?
  private var map = ScreenMap()

  /// The opacity from which on a pixel is solid, because the screen also lights a face beside it.
  private static let white: Float = 0.9
  /// The deviation from the screen that still counts as clear, in standard deviations of its noise, and its limits.
  private static let deviations: Float = 3, blackRange: ClosedRange<Float> = 0.04...0.3
  /// A smaller fraction of the picture, or of its border, is no screen: the rest would be background.
  private static let minimumScreen = 0.02, minimumBorder = 0.3

  package init(_ options: Options = Options(), workers: WorkerPool, cpu: CPULevel = .current) {
    (self.options, self.workers, self.cpu) = (options, workers, cpu)
  }

  /// Forgets the screen at a cut.
  package func reset() { (screen, map) = (nil, ScreenMap()) }

  /// Keys the next picture, upright and of any format. `matte` receives the fraction of each pixel in front of the screen, and `foreground`
  /// the picture in `bgra8` without the screen's colour, unless it is all screen. Both are reused if they have the picture's size.
  ///
  /// - Throws: `badData` if the picture shows no screen; `wrongArgument` for a colour that no screen has.
  package func update(_ matte: inout Matte, foreground: inout Image, from image: Image) throws(BackdropError) {
    guard image.width > 0 && image.height > 0 else { throw BackdropError(.badData, "the picture is empty") }
    let picture = image.converted(to: .bgra8)
    if screen == nil { screen = try find(in: picture) }
    guard let screen else { preconditionFailure("it was found, or there was an error") }
    map.update(picture, screen)
    let isFound = options.color == nil
    guard map.share >= Self.minimumScreen && (!isFound || map.borderShare >= Self.minimumBorder) else {
      if isFound { reset() }
      throw BackdropError(.badData, "the picture does not show the screen", hint: .nameScreenColor)
    }
    matte.q15.fit(picture.width, picture.height)
    foreground.fit(picture)
    let channels = [screen.channel, (screen.channel + 1) % 3, (screen.channel + 2) % 3]
    // Blue is the first byte.
    let shifts = channels.map { Int32(16 - 8 * $0) }
    let black = min(max(Self.deviations * map.noise, Self.blackRange.lowerBound), Self.blackRange.upperBound)
    let settings = bd_key_settings(
      main: shifts[0], first: shifts[1], second: shifts[2], black: black, white: Self.white,
      spill: Float(options.spill))
    let parts = min(workers.threadCount, max(1, picture.height / 32))
    map.wide(picture.width, channels: channels).withUnsafeBufferPointer { colors in
      // Its elements exist: a picture is not empty.
      var step = ChromaKeyStep(
        colors: colors.baseAddress!, settings: settings, kernels: cpu.kernels.key, width: picture.width,
        height: picture.height, parts: parts, source: picture.base(),
        sourceStride: picture.layout(0).bytesPerRow, matte: matte.q15.mutableBase(),
        matteStride: matte.q15.stride, target: foreground.mutableBase(),
        targetStride: foreground.layout(0).bytesPerRow)
      workers.run(parts: parts, &step) { $0.key($1) }
    }
    // The step holds the addresses of their memory.
    withExtendedLifetime((picture, matte, foreground)) {}
  }

  private func find(in picture: Image) throws(BackdropError) -> ScreenColor {
    if let given = options.color { return try ScreenColor(given) }
    return try ScreenColor(bordering: picture)
  }
}

/// A picture's rows, keyed by several threads.
private struct ChromaKeyStep {
  /// The colours from ``ScreenMap/wide(_:channels:)``.
  let colors: UnsafePointer<Float>
  let settings: bd_key_settings
  let kernels: bd_key_kernels
  let width: Int, height: Int, parts: Int
  let source: UnsafeRawPointer
  let sourceStride: Int
  let matte: UnsafeMutablePointer<UInt16>
  let matteStride: Int
  let target: UnsafeMutableRawPointer
  let targetStride: Int

  func key(_ part: Int) {
    withUnsafePointer(to: settings) { settings in
      for y in WorkerPool.share(part, of: height, in: parts) {
        let rows = ScreenMap.rows(at: y, height: height)
        kernels.row(
          (source + y * sourceStride).assumingMemoryBound(to: UInt32.self), width, colors + rows.above * 3 * width,
          colors + rows.below * 3 * width, rows.part, settings, matte + y * matteStride,
          (target + y * targetStride).assumingMemoryBound(to: UInt32.self))
      }
    }
  }
}
