import BackdropDepth
import BackdropImaging
import BackdropMatting
import CBackdropKernels

/// Cuts the foreground out of frames: pictures with straight alpha in place of a background.
///
/// Alpha is the matte, scaled to the frame as in the ``Compositor`` and rounded to 8 bits. Over a picture, the result equals the
/// compositor's drawing in front of that picture. Colours are the frame's, or those of a `foreground` picture. Pixels with an alpha of 0
/// are black, so readers that ignore alpha see nothing of the frame there.
///
/// Use one cutout for one stream. It is not safe to call from two threads at once.
package final class Cutout {
  package let width: Int, height: Int
  /// A translucent colour behind the cutout; `nil` for none.
  private let veil: ColorText?
  private let kernels: bd_cutout_kernels
  private let cpu: CPULevel
  private var upsampling: MatteUpsampling?

  /// Prepares for frames of one size, with a translucent colour behind the cutout if `veil` is given.
  ///
  /// - Throws: `wrongArgument` for a size without pixels; `unsupported` if the look draws anything but the frame before the background:
  ///   see ``Look/isCutout``.
  package init(
    _ look: Look = .backdrop, width: Int, height: Int, before veil: ColorText? = nil, cpu: CPULevel = .current
  ) throws(BackdropError) {
    guard look.isCutout else {
      throw BackdropError(
        .unsupported, "the look '\(look.id)' does more than replace the background, so it needs one",
        hint: "choose another look or another background")
    }
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "a frame of \(width)×\(height) has no pixels")
    }
    self.width = width
    self.height = height
    self.veil = veil
    self.cpu = cpu
    kernels = cpu.kernels.cutout
  }

  /// Cuts one upright frame of the prepared size, in any format with colours or grey; `foreground`, of the same size, has the colours in
  /// place of the frame's. The matte, of any size, is stretched over the whole frame. `output` becomes `bgra8` with straight alpha; it is
  /// reused if it has that format already and is not shared.
  ///
  /// - Throws: `wrongArgument` if a picture is not upright or of another size, or the matte is empty.
  package func cut(
    _ frame: Image, foreground: Image? = nil, matte: Matte, into output: inout Image
  ) throws(BackdropError) {
    for picture in [frame, foreground].compactMap({ $0 }) { try check(picture, matte) }
    let colors = foreground ?? frame
    prepare(&output, color: colors.color)
    let isDirect = colors.format == .bgra8
    if !isDirect { colors.convert(into: &output) }
    output.alpha = .straight
    for rows in bands { cut(rows, colors: isDirect ? colors : nil, matte, into: &output) }
    if let veil { output.lay(over: veil) }
  }

  /// ``cut(_:foreground:matte:into:)`` with the estimator's colours, some rows at a time: for single pictures in interleaved
  /// ``ForegroundEstimator/formats``, to avoid a second copy. It throws the same errors.
  package func cut(
    _ frame: Image, estimatedBy estimator: ForegroundEstimator, matte: Matte, into output: inout Image
  ) throws(BackdropError) {
    try check(frame, matte)
    try estimator.gather(frame, matte: matte)
    prepare(&output, color: frame.color)
    for rows in bands {
      var band = Image(frame.format, width: width, height: rows.count, color: frame.color)
      estimator.rows(rows, of: frame, matte: matte, into: &band)
      output.copyRows(0..<rows.count, of: band.converted(to: .bgra8), to: rows.lowerBound)
      cut(rows, colors: nil, matte, into: &output)
    }
    if let veil { output.lay(over: veil) }
  }

  /// Bands of rows, so that no matte of the frame's size is needed.
  private var bands: [Range<Int>] {
    stride(from: 0, to: height, by: Self.bandRows).map { $0..<min($0 + Self.bandRows, height) }
  }

  /// A multiple of ``ForegroundEstimator/rowStep``.
  private static let bandRows = 256

  /// Cuts some rows of `colors`, or of the output itself if `nil`.
  private func cut(_ rows: Range<Int>, colors: Image?, _ matte: Matte, into output: inout Image) {
    let mask = scaled(matte, rows)
    let bytesPerRow = output.layout(0).bytesPerRow
    output.withUnsafeMutableBytes { base in
      mask.plane.withUnsafePointer { samples in
        for y in rows {
          let row = (base + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
          let opacities = samples + (y - mask.firstRow) * mask.plane.stride
          guard let colors else {
            kernels.cut(row, UnsafePointer(row), opacities, width)
            continue
          }
          colors.withUnsafeBytes { from in
            let pixels = (from + y * colors.layout(0).bytesPerRow).assumingMemoryBound(to: UInt8.self)
            kernels.cut(row, pixels, opacities, width)
          }
        }
      }
    }
  }

  private func check(_ picture: Image, _ matte: Matte) throws(BackdropError) {
    guard picture.width == width && picture.height == height else {
      throw BackdropError(
        .wrongArgument, "expected a frame of \(width)×\(height), found \(picture.width)×\(picture.height)")
    }
    guard picture.orientation == .up else {
      throw BackdropError(.wrongArgument, "the frame is not upright", hint: "turn it first: image.upright()")
    }
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
  }

  /// Makes the replacement of a frame whose matte failed: transparent, or the veil alone, without any pixels of a frame.
  package func clear(_ output: inout Image) {
    prepare(&output, color: output.color)
    for y in 0..<height {
      var row = output.mutableRow(y)
      for i in row.indices { row[i] = 0 }
    }
    if let veil { output.lay(over: veil) }
  }

  private func prepare(_ output: inout Image, color: ColorDescription) {
    output.fit(.bgra8, width: width, height: height, color: color, alpha: .straight)
  }

  /// The matte at the frame's size: the given rows of it, or all.
  private func scaled(_ matte: Matte, _ rows: Range<Int>) -> (plane: Plane<UInt16>, firstRow: Int) {
    guard matte.width != width || matte.height != height else { return (matte.q15, 0) }
    let plan =
      if let upsampling, upsampling.sourceWidth == matte.width, upsampling.sourceHeight == matte.height {
        upsampling
      } else {
        MatteUpsampling(fromWidth: matte.width, height: matte.height, toWidth: width, height: height, cpu: cpu)
      }
    upsampling = plan
    return (plan.apply(to: matte.q15, rows: rows), rows.lowerBound)
  }
}

extension Look {
  /// Whether the look only draws the frame through the matte before the background, so that the background can be left out.
  public var isCutout: Bool {
    layers == [Layer(.background), Layer(.frame, through: .matte)]
  }
}
