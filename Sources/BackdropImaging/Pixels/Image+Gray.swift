import Libc

extension Image {
  /// A `gray8` image with a copy of the samples of `plane`.
  public init(gray plane: Plane<UInt8>) { self.init(.gray8, plane, color: .jpeg) }

  /// A `gray16` image with a copy of the samples.
  package init(gray16 plane: Plane<UInt16>) { self.init(.gray16, plane, color: .video) }

  /// A `grayFloat` image with a copy of the samples.
  package init(grayFloat plane: Plane<Float>, color: ColorDescription = .video) {
    self.init(.grayFloat, plane, color: color)
  }

  private init<Sample>(_ format: PixelFormat, _ plane: Plane<Sample>, color: ColorDescription) {
    self.init(format, width: plane.width, height: plane.height, color: color)
    let layout = layout(0)
    withUnsafeMutableBytes { target in
      plane.withUnsafePointer { source in
        for y in 0..<plane.height {
          memcpy(target + y * layout.bytesPerRow, source + y * plane.stride, layout.rowBytes)
        }
      }
    }
  }
}
