import BackdropImaging
import CBackdropKernels

/// The colour of each distance, shared by a picture of depth and its legend.
public struct DepthColors: Sendable {
  /// The palette.
  public let palette: DepthPalette
  /// The palette's range in metres; nearer or farther distances have the end's colour.
  public let range: ClosedRange<Float>
  /// Positions on the palette (0…1) of distances that divide the range evenly; empty for a straight line.
  private let positions: [Float]
  private let colors: RangeColors

  /// Colours linearly from `range`'s near end to its far one.
  public init(_ palette: DepthPalette = .spectrum, range: ClosedRange<Float>) {
    self.palette = palette
    self.range = range
    positions = []
    colors = RangeColors(palette, from: range.lowerBound, to: range.upperBound)
  }

  /// Colours along a curve: `positions` (at least two, rising from 0 to 1) are the palette positions of distances that divide the range
  /// evenly.
  init(_ palette: DepthPalette, range: ClosedRange<Float>, positions: [Float]) {
    self.palette = palette
    self.range = range
    self.positions = positions
    let table = palette.table
    let last = Float(table.count - 1)
    colors = RangeColors(
      table: positions.map { table[Int(min(max($0, 0), 1) * last)] }, from: range.lowerBound, to: range.upperBound)
  }

  /// The colour of a distance in metres.
  public func color(atMetres metres: Float) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let span = range.upperBound - range.lowerBound
    let part = span > 0 ? min(max((metres - range.lowerBound) / span, 0), 1) : metres > range.upperBound ? 1 : 0
    guard !positions.isEmpty else { return palette.color(at: Double(part)) }
    return palette.color(at: Double(positions[Int(part * Float(positions.count - 1))]))
  }

  /// The map as a picture, holes black.
  ///
  /// - Returns: an opaque ``/BackdropImaging/PixelFormat/rgba8`` image of the map's size.
  public func image(of map: DepthMap) -> Image {
    var image = Image(.rgba8, width: map.width, height: map.height)
    draw(map, into: &image)
    return image
  }

  /// Draws ``image(of:)`` into an existing image.
  ///
  /// - Parameters:
  ///   - map: the map.
  ///   - image: `rgba8` of the map's size; its contents are replaced.
  public func draw(_ map: DepthMap, into image: inout Image) {
    colors.draw(map.metres, into: &image, level: .current)
  }

  /// Lays the colours over a picture, which stays unchanged at holes.
  ///
  /// - Parameters:
  ///   - map: the map.
  ///   - image: the picture, `rgba8`; the map is scaled to its size.
  ///   - opacity: 0 the picture … 1 the colours.
  /// - Throws: `wrongArgument` for another pixel format.
  public func overlay(_ map: DepthMap, on image: inout Image, opacity: Double) throws(BackdropError) {
    guard image.format == .rgba8 else {
      throw BackdropError(.wrongArgument, "an overlay needs an rgba8 picture, not \(image.format.rawValue)")
    }
    let fitting = try map.resized(toWidth: image.width, height: image.height)
    let kernels = CPULevel.current.kernels.colors
    let drawn = self.image(of: fitting)
    let share = Int32((min(max(opacity.isNaN ? 0 : opacity, 0), 1) * 256).rounded())
    let (width, height, stride) = (Int32(image.width), image.height, fitting.metres.stride)
    let (rowBytes, drawnBytes) = (image.layout(0).bytesPerRow, drawn.layout(0).bytesPerRow)
    drawn.withUnsafeBytes { from in
      image.withUnsafeMutableBytes { to in
        for y in 0..<height {
          kernels.overlay(
            (to + y * rowBytes).assumingMemoryBound(to: UInt32.self),
            (from + y * drawnBytes).assumingMemoryBound(to: UInt32.self), fitting.metres.base + y * stride, width, share
          )
        }
      }
    }
    withExtendedLifetime(fitting) {}
  }
}
