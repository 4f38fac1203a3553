import BackdropImaging
import BackdropMatting
import CBackdropKernels

/// Cuts the foreground out of frames: pictures with straight alpha in place of a background.
///
/// Alpha is the matte, scaled to the frame as the ``Compositor`` scales it and rounded to 8 bits; laid over a picture, the
/// result is what the compositor draws before that picture. Colours are the frame's, or those of a `foreground` picture.
/// Where alpha is 0 nothing of the frame is left, also for readers that ignore alpha.
///
/// One stream, one cutout: it is not safe to call from two threads at once.
public final class Cutout {
  /// What colour wholly transparent pixels have.
  public enum Hidden: Sendable {
    /// None: black. For lossless files.
    case black
    /// That of the mostly opaque pixels close by, black far from them. For files that store colours coarsely: there the
    /// colours of hidden pixels mix with those of their neighbours.
    case extended
  }

  /// Size of the frames and of what is cut out.
  public let width: Int, height: Int
  private let hidden: Hidden
  private let kernels: bd_cutout_kernels
  private let cpu: CPULevel
  private var upsampling: (width: Int, height: Int, plan: MatteUpsampling)?
  private var hiddenColors: HiddenColors?

  /// Prepares for frames of one size.
  ///
  /// - Throws: `wrongArgument` for a size without pixels; `unsupported` if the look draws something else than the frame
  ///   before the background: see ``Look/isCutout``.
  public convenience init(_ look: Look = .backdrop, width: Int, height: Int, hidden: Hidden) throws(BackdropError) {
    try self.init(look, width: width, height: height, hidden: hidden, cpu: .current)
  }

  package init(
    _ look: Look = .backdrop, width: Int, height: Int, hidden: Hidden, cpu: CPULevel
  ) throws(BackdropError) {
    guard look.isCutout else {
      throw BackdropError(
        .unsupported, "the look '\(look.id)' draws more than the person before a background, so none can be left out",
        hint: "choose another look or another background")
    }
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "frames of \(width)×\(height) have no pixels")
    }
    self.width = width
    self.height = height
    self.hidden = hidden
    self.cpu = cpu
    kernels = cpu.kernels.cutout
  }

  /// Cuts one frame.
  ///
  /// - Parameters:
  ///   - frame: an upright picture of the prepared size, in any format with colours or grey.
  ///   - foreground: where the colours come from instead of the frame, of the same size.
  ///   - matte: of any size; it is stretched over the whole frame.
  ///   - output: becomes `bgra8` with straight alpha; reused if it is that already and nobody shares it.
  /// - Throws: `wrongArgument` if a picture is not upright or of another size, or the matte is empty.
  public func cut(
    _ frame: Image, foreground: Image? = nil, matte: Matte, into output: inout Image
  ) throws(BackdropError) {
    for picture in [frame, foreground].compactMap({ $0 }) {
      guard picture.width == width && picture.height == height else {
        throw BackdropError(
          .wrongArgument, "expected a frame of \(width)×\(height), found \(picture.width)×\(picture.height)")
      }
      guard picture.orientation == .up else {
        throw BackdropError(.wrongArgument, "the frame is not upright", hint: "turn it first: image.upright()")
      }
    }
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
    let colors = foreground ?? frame
    prepare(&output, color: colors.color)
    let isDirect = colors.format == .bgra8
    if !isDirect { colors.convert(into: &output) }
    output.alpha = .straight
    let mask = scaled(matte)
    let layout = output.layout(0)
    let source = colors.layout(0).bytesPerRow
    output.withUnsafeMutableBytes { base in
      colors.withUnsafeBytes { from in
        mask.withUnsafePointer { samples in
          for y in 0..<height {
            let row = (base + y * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            let pixels = isDirect ? (from + y * source).assumingMemoryBound(to: UInt8.self) : UnsafePointer(row)
            kernels.cut(row, pixels, samples + y * mask.stride, width)
          }
        }
      }
      guard hidden == .extended else { return }
      let filling = hiddenColors ?? HiddenColors(width: width, height: height)
      hiddenColors = filling
      filling.fill(base, bytesPerRow: layout.bytesPerRow, kernels)
    }
  }

  /// Makes what stands in for a frame whose matte failed: wholly transparent, and nothing of any frame.
  public func clear(_ output: inout Image) {
    prepare(&output, color: output.color)
    for y in 0..<height {
      var row = output.mutableRow(y)
      for i in row.indices { row[i] = 0 }
    }
  }

  private func prepare(_ output: inout Image, color: ColorDescription) {
    if output.width != width || output.height != height || output.format != .bgra8 {
      output = Image(.bgra8, width: width, height: height, color: color)
    }
    output.color = color
    output.alpha = .straight
    output.orientation = .up
  }

  private func scaled(_ matte: Matte) -> Plane<UInt16> {
    guard matte.width != width || matte.height != height else { return matte.q15 }
    if let upsampling, upsampling.width == matte.width && upsampling.height == matte.height {
      return upsampling.plan.apply(to: matte.q15)
    }
    let plan = MatteUpsampling(
      fromWidth: matte.width, height: matte.height, toWidth: width, height: height, cpu: cpu)
    upsampling = (matte.width, matte.height, plan)
    return plan.apply(to: matte.q15)
  }
}

extension Look {
  /// Whether all that the look draws is the frame, through the matte, before the background, so that the background can be
  /// left out.
  public var isCutout: Bool {
    layers == [Layer(.background), Layer(.frame, through: .matte)]
  }
}

/// Colours for hidden pixels: the mean of the mostly opaque ones of their 4×4 block or, where there are none, of the 48×48
/// pixels around their 16×16 block.
private final class HiddenColors {
  private let width: Int, height: Int
  /// Size in blocks of 4×4, and of 16×16.
  private let columns: Int, rows: Int, coarseColumns: Int, coarseRows: Int
  private var sums: [UInt32], coarse: [UInt32]
  private var colors: [UInt8]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    (columns, rows) = ((width + 3) / 4, (height + 3) / 4)
    (coarseColumns, coarseRows) = ((columns + 3) / 4, (rows + 3) / 4)
    sums = [UInt32](repeating: 0, count: 4 * columns * rows)
    coarse = [UInt32](repeating: 0, count: 4 * coarseColumns * coarseRows)
    colors = [UInt8](repeating: 0, count: 4 * columns)
  }

  func fill(_ base: UnsafeMutableRawPointer, bytesPerRow: Int, _ kernels: bd_cutout_kernels) {
    let start = base.assumingMemoryBound(to: UInt8.self)
    sums.withUnsafeMutableBufferPointer { sums in
      sums.update(repeating: 0)
      // A picture has at least one block.
      for y in 0..<height { kernels.add(sums.baseAddress! + 4 * columns * (y / 4), start + y * bytesPerRow, width) }
    }
    addUp()
    for row in 0..<rows {
      guard chooseColors(row) else { continue }
      for y in 4 * row..<min(4 * row + 4, height) { kernels.fill(start + y * bytesPerRow, colors, width) }
    }
  }

  private func addUp() {
    for i in coarse.indices { coarse[i] = 0 }
    for row in 0..<rows {
      for column in 0..<columns {
        let from = 4 * (row * columns + column)
        guard sums[from + 3] > 0 else { continue }
        let to = 4 * (row / 4 * coarseColumns + column / 4)
        for c in 0..<4 { coarse[to + c] += sums[from + c] }
      }
    }
  }

  /// The colours of one row of blocks; whether there is one that is not black.
  private func chooseColors(_ row: Int) -> Bool {
    var found = false
    var around: (column: Int, sums: (UInt32, UInt32, UInt32, UInt32)) = (-1, (0, 0, 0, 0))
    for column in 0..<columns {
      let at = 4 * (row * columns + column)
      var s = (sums[at], sums[at + 1], sums[at + 2], sums[at + 3])
      if s.3 == 0 {
        if around.column != column / 4 { around = (column / 4, self.around(column / 4, row / 4)) }
        s = around.sums
      }
      let half = s.3 / 2
      if s.3 > 0 { found = true }
      colors[4 * column] = s.3 == 0 ? 0 : UInt8((s.0 + half) / s.3)
      colors[4 * column + 1] = s.3 == 0 ? 0 : UInt8((s.1 + half) / s.3)
      colors[4 * column + 2] = s.3 == 0 ? 0 : UInt8((s.2 + half) / s.3)
    }
    return found
  }

  private func around(_ column: Int, _ row: Int) -> (UInt32, UInt32, UInt32, UInt32) {
    var sum: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    for y in max(0, row - 1)...min(coarseRows - 1, row + 1) {
      for x in max(0, column - 1)...min(coarseColumns - 1, column + 1) {
        let at = 4 * (y * coarseColumns + x)
        // At most 48 · 48 · 255 · 255: it fits.
        sum.0 += coarse[at]
        sum.1 += coarse[at + 1]
        sum.2 += coarse[at + 2]
        sum.3 += coarse[at + 3]
      }
    }
    return sum
  }
}
