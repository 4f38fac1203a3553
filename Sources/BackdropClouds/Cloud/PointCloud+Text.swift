extension PointCloud {
  /// The comments in a file: units, the directions of its axes, the camera and its frustum.
  func remarks(axes: String = "x right, y down, z forward, from the camera") -> [String] {
    let view = camera.fieldOfView
    func short(_ value: Double, _ digits: Double) -> String { "\((value * digits).rounded() / digits)" }
    let (low, high) = bounds
    return [
      "made by backdrop", "units: metres", "axes: \(axes)",
      "camera: \(camera.width)x\(camera.height) fx \(short(camera.fx, 1e4)) fy \(short(camera.fy, 1e4)) "
        + "cx \(short(camera.cx, 1e4)) cy \(short(camera.cy, 1e4)), pixel centres at halves",
      "frustum: \(short(view.across, 100)) by \(short(view.down, 100)) degrees, "
        + "\(short(Double(low.z), 1e4)) to \(short(Double(high.z), 1e4)) m deep",
    ]
  }

  /// A header and a record of exactly `perPoint` bytes for each point, which `body` writes, in memory of the final size.
  func records(_ head: String, perPoint: Int, _ body: (_ index: Int, _ to: UnsafeMutableRawPointer) -> Void) -> [UInt8]
  {
    let start = head.utf8.count
    let total = start + perPoint * count
    return [UInt8](unsafeUninitializedCapacity: total) { buffer, written in
      _ = buffer.initialize(from: head.utf8)
      if let base = buffer.baseAddress {
        for index in 0..<count { body(index, UnsafeMutableRawPointer(base) + start + perPoint * index) }
      }
      written = total
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Four bytes, the least significant first.
  @inline(__always)
  func put(_ value: Float, at offset: Int) {
    storeBytes(of: value.bitPattern.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
}
