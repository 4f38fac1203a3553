/// The rows of an image with fixed memory.
struct RowPointers {
  let base: UnsafeMutablePointer<UInt8>
  let format: PixelFormat
  let layouts: Image.PlaneLayouts

  /// `base` is the start of plane 0.
  init(_ base: UnsafeMutableRawPointer, _ format: PixelFormat, _ layouts: Image.PlaneLayouts) {
    (self.base, self.format, self.layouts) = (base.assumingMemoryBound(to: UInt8.self), format, layouts)
  }

  func row(_ y: Int, _ plane: Int = 0) -> UnsafeMutablePointer<UInt8> {
    let layout = layouts[plane]
    return base + layout.offset + y * layout.bytesPerRow
  }

  var lumaStep: Int { format == .yuyv ? 2 : 1 }
  var chromaStep: Int { format == .yuyv ? 4 : format == .nv12 ? 2 : 1 }

  /// Chroma row `y`, in rows of chroma.
  func chroma(_ y: Int) -> (cb: UnsafeMutablePointer<UInt8>, cr: UnsafeMutablePointer<UInt8>) {
    switch format {
    case .yuyv: (row(y) + 1, row(y) + 3)
    case .nv12: (row(y, 1), row(y, 1) + 1)
    default: (row(y, 1), row(y, 2))
    }
  }

  /// The nearest and second-nearest chroma rows of pixel row `y`.
  func chromaAround(_ y: Int) -> (
    near: (cb: UnsafeMutablePointer<UInt8>, cr: UnsafeMutablePointer<UInt8>),
    far: (cb: UnsafeMutablePointer<UInt8>, cr: UnsafeMutablePointer<UInt8>)
  ) {
    if format == .yuyv { return (chroma(y), chroma(y)) }
    let far = y.isMultiple(of: 2) ? y / 2 - 1 : y / 2 + 1
    return (chroma(y / 2), chroma(min(max(far, 0), layouts[1].rows - 1)))
  }
}

extension Image {
  /// Calls `body` with the rows of this image, which are read-only, and with those of `result`.
  func withRows(into result: inout Image, _ body: (_ from: RowPointers, _ to: RowPointers) -> Void) {
    let (resultFormat, resultLayouts) = (result.format, result.layouts)
    withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        body(
          RowPointers(UnsafeMutableRawPointer(mutating: from), format, layouts),
          RowPointers(to, resultFormat, resultLayouts))
      }
    }
  }
}
