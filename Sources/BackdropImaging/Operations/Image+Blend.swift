import CBackdropKernels

extension Image {
  /// This image over `background` through a mask of its size in Q15: background + m · (this - background), m being mask / 32768, or 1 above.
  ///
  /// Every sample is the exact product rounded half up; alpha is mixed like a colour, so both should be opaque or premultiplied. Halved
  /// chroma uses the mean of its 2×2 (YUYV: 2×1) mask samples, rounded half up to a mask level.
  ///
  /// - Throws: `wrongArgument` for another format or size of background or mask; `unsupported` for gray16 and grayFloat.
  public func blended(over background: Image, mask: Plane<UInt16>) throws(BackdropError) -> Image {
    try blended(over: background, mask: mask, level: .current)
  }

  package func blended(over background: Image, mask: Plane<UInt16>, level: CPULevel) throws(BackdropError) -> Image {
    try checkSame(background)
    guard format != .gray16 && format != .grayFloat else {
      throw BackdropError(.unsupported, "blending does not work on \(format.rawValue)", hint: "convert it to gray8")
    }
    guard mask.width == width && mask.height == height else {
      throw BackdropError(
        .wrongArgument, "expected a mask of \(width)×\(height), found \(mask.width)×\(mask.height)",
        hint: "scale the mask to the picture")
    }
    let kernels = level.kernels.pixel
    var output = sibling()
    let half = (width + 1) / 2
    // For a row of chroma, and for one of YUYV's bytes.
    var scratch = [UInt16](repeating: 0, count: (half + 64) * 5)
    for plane in 0..<format.planeCount {
      let (rows, back) = (layout(plane).rows, background.layout(plane))
      let channels = Int32(format.channels(plane: plane))
      withRows(into: &output) { from, to in
        background.withUnsafeBytes(plane: plane) { behind in
          mask.withUnsafePointer { maskBase in
            scratch.withUnsafeMutableBufferPointer { scratch in
              let halved = scratch.baseAddress!
              for y in 0..<rows {
                let (out, front) = (to.row(y, plane), from.row(y, plane))
                let rear = (behind + y * back.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                if format == .yuyv {
                  // One mask sample for each byte: luma has its own, chroma its pair's mean.
                  let row = maskBase + y * mask.stride
                  let spread = halved + half
                  kernels.halve_q15(halved, row, row, width)
                  for i in 0..<half {
                    spread[4 * i] = row[2 * i]
                    spread[4 * i + 1] = halved[i]
                    spread[4 * i + 2] = row[min(2 * i + 1, width - 1)]
                    spread[4 * i + 3] = halved[i]
                  }
                  kernels.blend_q15(out, front, rear, spread, half * 4)
                  continue
                }
                var (weights, count) = (maskBase + y * mask.stride, width)
                if plane > 0 {
                  let above = maskBase + 2 * y * mask.stride
                  kernels.halve_q15(halved, above, 2 * y + 1 < height ? above + mask.stride : above, width)
                  (weights, count) = (UnsafePointer(halved), half)
                }
                if channels == 1 {
                  kernels.blend_q15(out, front, rear, weights, count)
                } else {
                  kernels.blend_pixels_q15(out, front, rear, weights, count, channels)
                }
              }
            }
          }
        }
      }
    }
    return output
  }
}
