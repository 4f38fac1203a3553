import CBackdropKernels
import CLCMS
import Synchronization

/// Converts the samples of one ``ColorSpace`` to another: to light by a table, through a matrix, and back by a table; with Little CMS if a
/// profile has tables of three channels.
///
/// Samples of 8 bits are within a level of the exact value. Making the tables takes about a millisecond; the last few transforms are
/// cached.
final class ColorTransform: Sendable {
  let from: ColorSpace
  let to: ColorSpace
  private let way: Way

  private enum Way {
    case curves(CurveTransform)
    /// For pixels, and for single colours.
    case tables(ICCTransform, exact: ICCTransform)
  }

  private static let kept = Mutex<[ColorTransform]>([])

  /// `nil` if nothing changes: see ``ColorSpace/needsConversion(to:)``.
  static func between(_ from: ColorSpace, _ to: ColorSpace) -> ColorTransform? {
    guard from.needsConversion(to: to) else { return nil }
    // Equal profiles may have been read differently: a file can take over the decoder process that reads its profile.
    let found = kept.withLock { kept in
      kept.first {
        $0.from == from && $0.to == to && $0.from.profile?.model == from.profile?.model
          && $0.to.profile?.model == to.profile?.model
      }
    }
    if let found { return found }
    guard let made = ColorTransform(from, to) else { return nil }
    kept.withLock { kept in
      if kept.count >= 8 { kept.removeFirst() }
      kept.append(made)
    }
    return made
  }

  private init?(_ from: ColorSpace, _ to: ColorSpace) {
    (self.from, self.to) = (from, to)
    if let source = from.model, let target = to.model {
      guard let curves = CurveTransform(source, target) else { return nil }
      way = .curves(curves)
    } else {
      guard from.profile?.hasTables == true || to.profile?.hasTables == true else { return nil }
      // A decoder process reads the tables of untrusted files: see `TableConversion`.
      guard ![from, to].contains(where: { $0.profile?.isReadElsewhere == true }) else { return nil }
      let (source, target) = (from.profileBytes(forGray: false), to.profileBytes(forGray: false))
      guard let pixels = ICCTransform(source, bd_cms_rgb8, to: target, bd_cms_rgb8),
        let exact = ICCTransform(source, bd_cms_rgb_double, to: target, bd_cms_rgb_double)
      else { return nil }
      way = .tables(pixels, exact: exact)
    }
  }

  // MARK: - One colour, and grey

  /// The exact colour, 0…1.
  func callAsFunction(_ color: [Double]) -> [Double] {
    switch way {
    case .curves(let curves): curves(color)
    case .tables(_, let exact): exact(color)
    }
  }

  /// The exact sample of a grey, 0…1.
  private func gray(_ sample: Double) -> Double { self([sample, sample, sample])[1] }

  // MARK: - Pictures

  /// Converts an image of this transform's first space into one of its second, and of another format.
  func convert(_ image: Image, into result: inout Image, level: CPULevel) {
    func isGray(_ format: PixelFormat) -> Bool { !format.isRGB && !format.isYUV }
    if image.format.isRGB && result.format.isRGB {
      convertPixels(image, into: &result, level)
    } else if isGray(image.format) && isGray(result.format) {
      // Float loses nothing in between.
      var deep = image.converted(to: .grayFloat)
      convertGray(&deep)
      deep.convert(into: &result, level: level)
    } else {
      // Through R′G′B′ of 8 bits: the colours of Y′CbCr samples cannot be converted directly.
      var pixels = image.format.isRGB ? image : image.converted(to: .rgb8)
      pixels.color.space = from
      var changed = Image(pixels.format, width: image.width, height: image.height, color: pixels.color)
      changed.color.space = to
      convertPixels(pixels, into: &changed, level)
      changed.convert(into: &result, level: level)
    }
    result.color.space = to
  }

  private func convertGray(_ image: inout Image) {
    let steps = 65_535
    let table = (0...steps).map { Float(gray(Double($0) / Double(steps))) }
    let layout = image.layout(0)
    let width = image.width
    image.withUnsafeMutableBytes { base in
      for y in 0..<layout.rows {
        let row = (base + y * layout.bytesPerRow).assumingMemoryBound(to: Float.self)
        for x in 0..<width {
          // Comparisons with NaN are false.
          let value = row[x] > 0 ? min(row[x], 1) : 0
          row[x] = table[Int((value * Float(steps)).rounded())]
        }
      }
    }
    image.color.space = to
  }

  /// Converts a row of pixels from the order of one image to that of another.
  private typealias Row = (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void

  private func convertPixels(_ image: Image, into result: inout Image, _ level: CPULevel) {
    let width = image.width
    let (order, outOrder) = (image.format.pixelOrder, result.format.pixelOrder)
    switch way {
    case .curves(let curves):
      let kernels = level.kernels.transfer
      var tables = curves.tables
      convertRows(image, into: &result) { kernels.row($0, order, width, $1, outOrder, &tables) }
      withExtendedLifetime(curves) {}
    case .tables(let transform, _):
      convertRows(image, into: &result) { transform.convert($0, order, width, $1, outOrder) }
    }
  }

  private func convertRows(_ image: Image, into result: inout Image, _ convert: Row) {
    let size = result.format == .rgb8 ? 3 : 4
    let premultiplied = image.alpha == .premultiplied && image.format.hasAlpha
    image.withRows(into: &result) { from, to in
      for y in 0..<image.height {
        if premultiplied {
          convertPremultiplied(from.row(y), image.width, to.row(y), size, convert)
        } else {
          convert(from.row(y), to.row(y))
        }
      }
    }
  }

  /// Divides colours by alpha, converts them and multiplies them again, since curves apply to unmultiplied colours. `size` is the number of
  /// bytes in a pixel of the result.
  private func convertPremultiplied(
    _ row: UnsafePointer<UInt8>, _ width: Int, _ out: UnsafeMutablePointer<UInt8>, _ size: Int, _ convert: Row
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * width) { straight in
      for x in 0..<width {
        let alpha = Int(row[4 * x + 3])
        for c in 0..<3 {
          straight[4 * x + c] = alpha == 0 ? 0 : UInt8(min(255, (Int(row[4 * x + c]) * 255 + alpha / 2) / alpha))
        }
        straight[4 * x + 3] = row[4 * x + 3]
      }
      // If the result has no alpha, colours stay over black.
      if let base = straight.baseAddress { convert(base, out) }
      for x in 0..<width {
        let alpha = Int(row[4 * x + 3])
        for c in 0..<3 { out[size * x + c] = UInt8((Int(out[size * x + c]) * alpha + 127) / 255) }
      }
    }
  }
}

/// Converts between two spaces of curves and primaries.
private struct CurveTransform: Sendable {
  private let source: ColorModel
  private let target: ColorModel
  private let matrix: Matrix3
  /// The light of the 256 samples of each channel.
  private let linear: [KernelTable<Float>]
  /// Samples by light, each a byte, at roughly even steps of the light's logarithm: see `bd_transfer`.
  private let encoded: [KernelTable<UInt8>]

  init?(_ source: ColorModel, _ target: ColorModel) {
    guard let back = target.toPCS.inverse else { return nil }
    (self.source, self.target) = (source, target)
    matrix = back * source.toPCS
    linear = Self.tables(source.curves) { curve in (0...255).map { Float(curve.light(Double($0) / 255)) } }
    encoded = Self.tables(target.curves) { curve in
      let count = Int(BD_LIGHT_STEPS)
      return (0...count).map { step in
        // The middle of the step; the first is exactly black.
        let bits = UInt32(BD_LIGHT_FIRST) + UInt32(step) << UInt32(BD_LIGHT_SHIFT) + 1 << UInt32(BD_LIGHT_SHIFT - 1)
        return UInt8((curve.sample(step == 0 ? 0 : Double(Float(bitPattern: bits))) * 255).rounded())
      }
    }
  }

  /// Channels with the same curve share a table.
  private static func tables<Entry>(_ curves: [ToneCurve], _ make: (ToneCurve) -> [Entry]) -> [KernelTable<Entry>] {
    var made: [ToneCurve: KernelTable<Entry>] = [:]
    return curves.map { curve in
      let table = made[curve] ?? KernelTable(make(curve))
      made[curve] = table
      return table
    }
  }

  /// The exact colour, 0…1.
  func callAsFunction(_ color: [Double]) -> [Double] {
    let light = matrix * (0..<3).map { source.curves[$0].light(color[$0]) }
    return (0..<3).map { target.curves[$0].sample(light[$0]) }
  }

  /// The tables for the kernel, valid during the life of this transform.
  var tables: bd_transfer {
    var tables = bd_transfer()
    matrix.copy(to: &tables.matrix)
    tables.linear = (linear[0].base, linear[1].base, linear[2].base)
    tables.encoded = (encoded[0].base, encoded[1].base, encoded[2].base)
    return tables
  }
}
