import BackdropImaging

/// The number of times that an animation plays.
package enum AnimationPlays {
  /// Reads it from the first bytes of a GIF, an animated PNG or an animated WebP, a few thousand: 0 for an endless loop; `nil` for another
  /// kind of file, or if they do not contain the number.
  package static func count(in head: [UInt8]) -> Int? {
    if head.starts(with: "GIF8".utf8) { return gif(head) }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return png(head) }
    if head.starts(with: "RIFF".utf8), head.count >= 12, head[8..<12].elementsEqual("WEBP".utf8) { return webp(head) }
    return nil
  }

  /// GIF89a, sections 18 to 26: extensions before the first picture. The number there counts repetitions; without one, the GIF plays once.
  private static func gif(_ head: [UInt8]) -> Int? {
    guard head.count > 13 else { return nil }
    var offset = 13 + (head[10] & 0x80 != 0 ? 3 << (Int(head[10] & 7) + 1) : 0)
    while offset + 2 < head.count, head[offset] == 0x21 {
      let isLoop =
        head[offset + 1] == 0xFF && head[(offset + 2)...].starts(with: [11] + Array("NETSCAPE2.0".utf8) + [3, 1])
      if isLoop, offset + 18 <= head.count {
        let number = Int(head[offset + 16]) | Int(head[offset + 17]) << 8
        return number == 0 ? 0 : number + 1
      }
      offset += 2
      while offset < head.count, head[offset] != 0 { offset += 1 + Int(head[offset]) }
      offset += 1
    }
    return offset < head.count && head[offset] == 0x2C ? 1 : nil
  }

  private static func png(_ head: [UInt8]) -> Int? {
    guard let chunk = PNGChunks(head).first(where: { $0.name == "acTL" }), chunk.content.count == 8,
      chunk.content.upperBound <= head.count
    else { return nil }
    return PNGChunks.number(head, at: chunk.content.lowerBound + 4)
  }

  private static func webp(_ head: [UInt8]) -> Int? {
    var offset = 12
    while offset + 14 <= head.count {
      let length = (0..<4).reversed().reduce(0) { $0 << 8 | Int(head[offset + 4 + $1]) }
      if head[offset..<offset + 4].elementsEqual("ANIM".utf8), length >= 6 {
        return Int(head[offset + 12]) | Int(head[offset + 13]) << 8
      }
      offset += 8 + length + length % 2
    }
    return nil
  }
}
