import Libc

/// The number of passes of a JPEG file over its picture (ITU-T T.81, annex B): one per scan, of which a progressive file has several. A
/// scan of a few bytes may say "nothing changes" for all blocks, and costs a decoder as much as any other.
package struct JPEGScans {
  package private(set) var count = 0
  /// The picture's size from the frame header; 0 before it.
  package private(set) var width = 0, height = 0

  /// The maximum number of scans in a file. Encoders write up to 17; libjpeg's usual script has 10, and one that sends each bit of each
  /// component separately some dozens. libjpeg-turbo itself stops after 500, which takes a minute for a file of half a megabyte.
  package static let most = 100
  /// The maximum product of scans and pixels: 20 scans of the largest picture, which take some 3 seconds.
  package static let maximumPixels = 4_000_000_000

  package init() {}

  /// Counts the scans in a file without decoding it, up to the end marker, an invalid part or the end of the bytes.
  ///
  /// - Throws: `overLimit` for too many scans.
  package init(_ bytes: UnsafeRawBufferPointer) throws(BackdropError) {
    var position = 0
    while let marker = Self.nextMarker(in: bytes, at: &position) {
      switch marker {
      case 0xD9: return
      case 0x01, 0xD0...0xD8: continue
      default: break
      }
      guard position + 2 <= bytes.count else { return }
      let end = position + max(2, Int(bytes[position]) << 8 | Int(bytes[position + 1]))
      if Self.isFrame(marker), end <= bytes.count, end >= position + 7 {
        func number(_ at: Int) -> Int { Int(bytes[position + at]) << 8 | Int(bytes[position + at + 1]) }
        try note(width: number(5), height: number(3))
      } else if marker == 0xDA {
        try noteScan()
      }
      position = end
    }
  }

  package static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
  }

  /// Records a frame header; the largest size counts.
  package mutating func note(width: Int, height: Int) throws(BackdropError) {
    if width * height >= self.width * self.height { (self.width, self.height) = (width, height) }
    try check()
  }

  package mutating func noteScan() throws(BackdropError) {
    count += 1
    try check()
  }

  private func check() throws(BackdropError) {
    let most = min(Self.most, Self.maximumPixels / max(1, width * height))
    guard count <= most else {
      throw BackdropError(
        .overLimit, "the JPEG of \(width)×\(height) has more than \(most) scans",
        hint: "save it again as a baseline JPEG")
    }
  }

  /// The code of the next marker, 0xFF and neither 0 nor 0xFF, with `position` after it; `nil` at the end of the data. Inside a scan this
  /// skips coded data.
  package static func nextMarker(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt8? {
    guard let base = bytes.baseAddress else { return nil }
    while position + 1 < bytes.count {
      guard let found = memchr(base + position, 0xFF, bytes.count - 1 - position) else { return nil }
      position = UnsafeRawPointer(found) - base + 1
      let code = bytes[position]
      guard code == 0 || code == 0xFF else {
        position += 1
        return code
      }
    }
    return nil
  }
}
