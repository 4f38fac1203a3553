import BackdropImaging

/// The composition of pictures layered on a canvas (ISO/IEC 23008-12, 6.6.2.4).
struct HEICOverlay {
  /// Red, green, blue and alpha of the canvas, in 16 bits.
  var fill: [Int]
  var width: Int
  var height: Int
  /// The position of each picture's upper left pixel; it may lie outside.
  var positions: [(x: Int, y: Int)]

  init(_ data: [UInt8], count: Int) throws(BackdropError) {
    var reader = ByteReader(data)
    let version = try reader.uint8()
    guard version == 0 else {
      throw BackdropError(.unsupported, "Backdrop does not read overlays of version \(version)")
    }
    let size = try reader.uint8() & 1 == 1 ? 4 : 2
    fill = try (0..<4).map { _ throws(BackdropError) in try reader.uint16() }
    (width, height) = (Int(try reader.number(size)), Int(try reader.number(size)))
    positions = try (0..<count).map { _ throws(BackdropError) in (try reader.signed(size), try reader.signed(size)) }
  }
}

extension HEICFile {
  private static let layers = 256

  func decodeOverlay(
    _ item: HEICItem, threads: Int?, path: [Int], _ pixels: inout Int
  ) throws(BackdropError) -> HEICPicture {
    let layers = try targets("dimg", from: item)
    guard layers.count <= Self.layers else {
      throw BackdropError(.overLimit, "picture item \(item.id) is composed of more than \(Self.layers) others")
    }
    let overlay = try HEICOverlay(data(of: item, limit: 64 + 8 * layers.count), count: layers.count)
    try limits.picture.check(width: overlay.width, height: overlay.height)
    var canvas = Image(.rgba8, width: overlay.width, height: overlay.height, color: .jpeg)
    let fill = overlay.fill.map { UInt8($0 >> 8) }
    for y in 0..<canvas.height {
      var row = canvas.mutableRow(y)
      for x in row.indices { row[x] = fill[x % 4] }
    }
    canvas.alpha = fill[3] == 255 ? .opaque : .straight
    for (layer, position) in zip(layers, overlay.positions) {
      var picture = try decodeShown(layer, threads: threads, path: path, &pixels).image().converted(to: .rgba8)
      if let alpha = alpha(of: layer) {
        let opacity = try decodeShown(alpha.item, threads: threads, path: path, &pixels).opacity
        picture = try picture.with(opacity: opacity, isPremultiplied: alpha.isPremultiplied)
      }
      canvas.lay(picture, x: position.x, y: position.y)
    }
    var space = try colorSpace(of: item)
    if space == nil, let first = layers.first { space = try colorSpace(of: first) }
    canvas.color.space = space ?? .sRGB
    return HEICPicture(canvas)
  }
}

extension Image {
  /// Lays a picture over this one, both R′G′B′A with straight alpha; parts outside are left out.
  fileprivate mutating func lay(_ other: Image, x left: Int, y top: Int) {
    let columns = max(0, -left)..<max(max(0, -left), min(other.width, width - left))
    for y in max(0, -top)..<max(max(0, -top), min(other.height, height - top)) {
      let source = other.row(y)
      var target = mutableRow(top + y)
      for x in columns {
        let (from, to) = (4 * x, 4 * (left + x))
        let over = other.alpha == .opaque ? 255 : Int(source[from + 3])
        guard over > 0 else { continue }
        // The weight of the lower pixel, in units of 1/255².
        let under = Int(target[to + 3]) * (255 - over)
        let sum = 255 * over + under
        for channel in 0..<3 {
          let (upper, lower) = (Int(source[from + channel]) * 255 * over, Int(target[to + channel]) * under)
          target[to + channel] = UInt8((upper + lower + sum / 2) / sum)
        }
        target[to + 3] = UInt8((sum + 127) / 255)
      }
    }
  }
}
