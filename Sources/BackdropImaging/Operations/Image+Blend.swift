import CBackdropKernels

extension Image {
  /// This image over `background` through a mask of its size: background + m · (this - background), m being mask / 255.
  ///
  /// Every sample is the exact product rounded half up; alpha is mixed like a colour, so both should be opaque or
  /// premultiplied. Halved chroma takes the mean of its 2×2 (YUYV: 2×1) mask samples, rounded half up to a mask level.
  ///
  /// - Throws: `wrongArgument` for another format or size of background, mask or output; `unsupported` for gray16 and
  ///   grayFloat.
  public func blended(over background: Image, mask: Plane<UInt8>) throws(BackdropError) -> Image {
    var output = sibling()
    try blend(over: background, mask: mask, into: &output)
    return output
  }

  /// The same with a mask in Q15: 0…32768 stands for 0…1, larger values count as 1.
  ///
  /// - Throws: as ``blended(over:mask:)-(_,Plane<UInt8>)``.
  public func blended(over background: Image, mask: Plane<UInt16>) throws(BackdropError) -> Image {
    var output = sibling()
    try blend(over: background, mask: mask, into: &output)
    return output
  }

  /// ``blended(over:mask:)-(_,Plane<UInt8>)`` into an image of the same format and size; give `scratch` where it is done again and
  /// again.
  ///
  /// - Throws: as ``blended(over:mask:)-(_,Plane<UInt8>)``; `wrongArgument` for an output of another kind.
  public func blend(
    over background: Image, mask: Plane<UInt8>, into output: inout Image, scratch: ScratchMemory = ScratchMemory()
  ) throws(BackdropError) {
    try blend(over: background, mask: mask, into: &output, scratch: scratch, level: .current)
  }

  /// ``blended(over:mask:)-(_,Plane<UInt16>)`` into an image of the same format and size; give `scratch` where it is done again and
  /// again.
  ///
  /// - Throws: as ``blended(over:mask:)-(_,Plane<UInt8>)``; `wrongArgument` for an output of another kind.
  public func blend(
    over background: Image, mask: Plane<UInt16>, into output: inout Image, scratch: ScratchMemory = ScratchMemory()
  ) throws(BackdropError) {
    try blend(over: background, mask: mask, into: &output, scratch: scratch, level: .current)
  }

  package func blend(
    over background: Image, mask: Plane<UInt8>, into output: inout Image, scratch: ScratchMemory, level: CPULevel
  ) throws(BackdropError) {
    let kernels = level.kernels.pixel
    try blend(
      over: background, mask: mask, into: &output, scratch: scratch,
      kernels: MaskKernels(plain: kernels.blend_8, pixels: kernels.blend_pixels_8, halve: kernels.halve_8))
  }

  package func blend(
    over background: Image, mask: Plane<UInt16>, into output: inout Image, scratch: ScratchMemory, level: CPULevel
  ) throws(BackdropError) {
    let kernels = level.kernels.pixel
    try blend(
      over: background, mask: mask, into: &output, scratch: scratch,
      kernels: MaskKernels(plain: kernels.blend_q15, pixels: kernels.blend_pixels_q15, halve: kernels.halve_q15))
  }

  /// The kernels for one kind of mask.
  private struct MaskKernels {
    typealias Bytes = UnsafePointer<UInt8>?
    let plain: @convention(c) (UnsafeMutablePointer<UInt8>?, Bytes, Bytes, UnsafeRawPointer?, Int) -> Void
    let pixels: @convention(c) (UnsafeMutablePointer<UInt8>?, Bytes, Bytes, UnsafeRawPointer?, Int, Int32) -> Void
    let halve: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, Int) -> Void
  }

  private func blend<Mask: BitwiseCopyable & Sendable>(
    over background: Image, mask: Plane<Mask>, into output: inout Image, scratch: ScratchMemory,
    kernels: MaskKernels
  ) throws(BackdropError) {
    try checkSame(background)
    try checkSame(output)
    guard format != .gray16 && format != .grayFloat else {
      throw BackdropError(.unsupported, "blending does not work on \(format.rawValue)", hint: "convert it to gray8")
    }
    guard mask.width == width && mask.height == height else {
      throw BackdropError(
        .wrongArgument, "expected a mask of \(width)×\(height), found \(mask.width)×\(mask.height)",
        hint: "scale the mask to the picture")
    }
    output.adopt(self)
    let size = MemoryLayout<Mask>.stride
    let half = (width + 1) / 2
    let memory = scratch.reserve((half + 64) * size * 5)
    let (format, width, height) = (self.format, self.width, self.height)
    for plane in 0..<format.planeCount {
      let (from, back, to) = (layout(plane), background.layout(plane), output.layout(plane))
      let channels = Int32(format.channels(plane: plane))
      withUnsafeBytes(plane: plane) { source in
        background.withUnsafeBytes(plane: plane) { behind in
          output.withUnsafeMutableBytes(plane: plane) { target in
            mask.withUnsafePointer { maskBase in
              let halved = memory.assumingMemoryBound(to: Mask.self)
              for y in 0..<from.rows {
                let out = (target + y * to.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                let front = (source + y * from.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                let rear = (behind + y * back.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                if format == .yuyv {
                  // One mask sample for each byte: luma its own, chroma its pair's mean.
                  let row = maskBase + y * mask.stride
                  let spread = halved + half
                  kernels.halve(halved, row, row, width)
                  for i in 0..<half {
                    spread[4 * i] = row[2 * i]
                    spread[4 * i + 1] = halved[i]
                    spread[4 * i + 2] = row[min(2 * i + 1, width - 1)]
                    spread[4 * i + 3] = halved[i]
                  }
                  kernels.plain(out, front, rear, spread, half * 4)
                } else if plane > 0 {
                  let above = maskBase + 2 * y * mask.stride
                  kernels.halve(halved, above, 2 * y + 1 < height ? above + mask.stride : above, width)
                  if channels == 1 {
                    kernels.plain(out, front, rear, halved, half)
                  } else {
                    kernels.pixels(out, front, rear, halved, half, channels)
                  }
                } else if channels == 1 {
                  kernels.plain(out, front, rear, maskBase + y * mask.stride, width)
                } else {
                  kernels.pixels(out, front, rear, maskBase + y * mask.stride, width, channels)
                }
              }
            }
          }
        }
      }
    }
  }
}
