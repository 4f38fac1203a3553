extension Image {
  /// A `gray16` image with a copy of the samples.
  package init(gray16 plane: Plane<UInt16>) {
    self.init(.gray16, width: plane.width, height: plane.height)
    let rowBytes = layout(0).bytesPerRow
    withUnsafeMutableBytes { base in
      for y in 0..<plane.height {
        let source = plane.row(y)
        let target = (base + y * rowBytes).assumingMemoryBound(to: UInt16.self)
        for x in 0..<plane.width { target[x] = source[x] }
      }
    }
  }
}
