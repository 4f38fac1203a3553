import BackdropDepth
import BackdropImaging

/// Depth as dual-camera Huawei and Honor phones write it after the picture of a JPEG file.
///
/// From the end backwards: `DepthEn` and a zero; the length of the map with its header of 64 bytes; the header and map; twelve bytes with
/// the length of the picture before the blur, `edof` and zeros; that picture. All numbers are little-endian.
enum HuaweiTrailer: DepthTrailer {
  private static let headerLength = 64

  static func read(
    _ bytes: [UInt8], from start: Int, besides picture: JPEGPicture, limits: ImageLimits
  ) throws(BackdropError) -> DepthTrailerContent? {
    let end = bytes.count - 12
    guard end >= start + headerLength + 12, bytes.suffix(8).elementsEqual("DepthEn\0".utf8) else { return nil }
    let damaged = BackdropError(
      .badData, "the depth behind the photo (Huawei's form) is damaged", hint: "fetch the original again")
    var reader = ByteReader(bytes, in: start..<bytes.count, order: .little)
    try reader.seek(to: end)
    let length = try reader.uint32()
    guard length >= headerLength, length <= end - start - 12 else { throw damaged }
    let header = end - length
    try reader.seek(to: header - 12)
    let originalLength = try reader.uint32()
    guard try reader.data(4).elementsEqual("edof".utf8), try reader.uint32() == 0 else { throw damaged }
    try reader.skip(3)
    let turns: [Int: Orientation] = [0x10: .up, 0x11: .left, 0x12: .down, 0x13: .right]
    guard let turn = turns[try reader.uint8()] else { throw damaged }
    try reader.skip(8)
    let (width, height) = (try reader.uint16(), try reader.uint16())
    guard width > 0, height > 0, width * height <= length - headerLength else { throw damaged }
    var result = DepthTrailerContent(
      samples: try Plane(bytes, at: header + headerLength, width: width, height: height, limits: limits),
      orientation: turn)
    guard originalLength > 0, originalLength <= header - 12 - start else { return result }
    do throws(BackdropError) {
      let originalStart = header - 12 - originalLength
      result.original = try JPEGPicture(bytes, in: originalStart..<header - 12, limits: limits)
    } catch {
      result.faults.append(error)
    }
    return result
  }
}
