import BackdropCodecs
import BackdropDepth
import BackdropImaging

extension StandInPhone {
  /// A frame of the current app with a scene's content: unchanged depth, confidence if known, and the scene's intrinsics or default ones.
  public static func body(of scene: Scene, sensor: Int = 0, quality: Int = 95) throws -> [UInt8] {
    guard let map = scene.depth else { throw BackdropError(.wrongArgument, "a phone's frame has depth") }
    var head = Head()
    (head.color.width, head.color.height) = (scene.image.width, scene.image.height)
    (head.depth.width, head.depth.height) = (map.width, map.height)
    head.sensor = sensor
    let (width, height) = (scene.image.width, scene.image.height)
    let camera =
      map.intrinsics?.scaled(toWidth: width, height: height)
      ?? Intrinsics(
        fx: Double(width), fy: Double(width), cx: Double(width) / 2, cy: Double(height) / 2, width: width,
        height: height)
    head.camera = (Float(camera.fx), Float(camera.fy), Float(camera.cx), Float(camera.cy))
    head.confidence = map.confidence == nil ? (0, 0) : head.depth
    var (depth, levels): ([UInt8], [UInt8]) = ([], [])
    depth.reserveCapacity(4 * map.width * map.height)
    for y in 0..<map.height {
      for metres in map.metres.row(y).indices.map({ map.metres[$0, y] }) {
        withUnsafeBytes(of: metres.bitPattern.littleEndian) { depth += $0 }
      }
      if let confidence = map.confidence { for x in 0..<map.width { levels.append(confidence.values[x, y] / 120) } }
    }
    return body(
      head, jpeg: try JPEG.encode(scene.image, quality: quality), depth: LZFSE.stored(depth),
      confidence: levels.isEmpty ? [] : LZFSE.stored(levels))
  }
}
