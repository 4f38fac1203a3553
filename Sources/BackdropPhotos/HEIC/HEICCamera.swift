import BackdropDepth
import BackdropImaging

extension HEICItem {
  /// The picture's camera after cropping and before rotation, and its position in the world shared by all pictures of the file, each `nil`
  /// if the file does not describe it (ISO/IEC 23008-12, "cmin" and "cmex").
  func camera(limits: HEICLimits) throws(BackdropError) -> (intrinsics: Intrinsics, toWorld: Extrinsics?)? {
    guard let inner = property("cmin") else { return nil }
    let geometry = try geometry(limits: limits)
    let intrinsics = try inner.intrinsics(width: geometry.storedWidth, height: geometry.storedHeight)
    guard intrinsics.isPossible else { throw BackdropError(.badData, "the property 'cmin' describes no camera") }
    let crop = geometry.crop
    return (
      intrinsics.cropped(x: crop.x, y: crop.y, width: crop.width, height: crop.height),
      try property("cmex")?.extrinsics()
    )
  }
}

extension HEICFile {
  /// The cameras of two pictures; `nil` unless the file has both cameras and their positions.
  func cameras(of main: HEICItem, _ other: HEICItem) -> StereoCameras? {
    do throws(BackdropError) {
      guard let a = try main.camera(limits: limits), let b = try other.camera(limits: limits), let from = a.toWorld,
        let to = b.toWorld
      else { return nil }
      let back = to.inverted
      var product = [Double](repeating: 0, count: 9)
      for i in 0..<9 {
        for k in 0..<3 { product[i] += back.rotation[i / 3 * 3 + k] * from.rotation[3 * k + i % 3] }
      }
      let away = (0..<3).map { from.translation[$0] - to.translation[$0] }
      let turned: [Double] = (0..<3).map { row in (0..<3).reduce(0) { $0 + back.rotation[3 * row + $1] * away[$1] } }
      let cameras = StereoCameras(
        main: a.intrinsics, other: b.intrinsics, extrinsics: Extrinsics(rotation: product, translation: turned))
      try cameras.extrinsics.check()
      return (0.001...2).contains(cameras.baseline) ? cameras : nil
    } catch {
      // The pictures form a pair without their cameras.
      return nil
    }
  }
}

extension HEICProperty {
  private var flags: Int { body.count >= 4 ? Int(body[1]) << 16 | Int(body[2]) << 8 | Int(body[3]) : 0 }

  /// "cmin": focal lengths and the principal point as fractions of the picture's width and height.
  func intrinsics(width: Int, height: Int) throws(BackdropError) -> Intrinsics {
    let flags = flags
    return try read { (reader: inout ByteReader) throws(BackdropError) in
      guard try reader.uint32() >> 24 == 0 else { throw tooShort }
      let unit = Double(1 << (flags >> 8 & 0x1F))
      let (w, h) = (Double(width), Double(height))
      let fx = Double(try reader.signed(4)) / unit * w
      let (cx, cy) = (Double(try reader.signed(4)) / unit * w, Double(try reader.signed(4)) / unit * h)
      let fy = flags & 1 == 0 ? fx : Double(try reader.signed(4)) / unit * h
      return Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height)
    }
  }

  /// "cmex": the camera's position in micrometres and its rotation, as a quaternion without its real part.
  func extrinsics() throws(BackdropError) -> Extrinsics {
    let flags = flags
    return try read { (reader: inout ByteReader) throws(BackdropError) in
      // Version 1 stores its rotation in another form.
      guard try reader.uint32() >> 24 == 0 || flags & 8 == 0 else { throw tooShort }
      var translation = [0.0, 0, 0]
      for axis in 0..<3 where flags >> axis & 1 == 1 { translation[axis] = Double(try reader.signed(4)) / 1e6 }
      guard flags & 8 != 0 else { return Extrinsics(rotation: Extrinsics.identity.rotation, translation: translation) }
      let isLarge = flags & 16 != 0
      let unit = Double(1 << (isLarge ? 30 : 14))
      let (x, y, z) = (
        Double(try reader.signed(isLarge ? 4 : 2)) / unit, Double(try reader.signed(isLarge ? 4 : 2)) / unit,
        Double(try reader.signed(isLarge ? 4 : 2)) / unit
      )
      let rest = 1 - (x * x + y * y + z * z)
      guard rest >= -1e-3 else { throw tooShort }
      return Extrinsics(quaternion: SIMD4(x, y, z, max(rest, 0).squareRoot()), translation: translation)
    }
  }
}
