import BackdropImaging

/// The part of EXIF (JEITA CP-3451, a TIFF 6.0 file in a segment) needed to show a picture upright.
enum EXIF {
  private static let orientationTag = 274
  private static let shortType = 3

  /// The orientation in a JPEG file's EXIF; among several, the first that turns it.
  static func orientation(of structure: JPEGStructure, in bytes: UnsafeRawBufferPointer) -> Orientation {
    for payload in structure.payloads(0xE1, mark: JPEGStructure.Segment.exifMark, in: bytes) {
      let found = orientation(inTIFF: UnsafeRawBufferPointer(rebasing: bytes[payload]))
      if let found, found != .up { return found }
    }
    return .up
  }

  /// The orientation in the first directory of a TIFF structure.
  static func orientation(inTIFF tiff: UnsafeRawBufferPointer) -> Orientation? {
    guard tiff.count >= 8 else { return nil }
    let isLittle = tiff[0] == 0x49
    guard tiff[0] == tiff[1], isLittle || tiff[0] == 0x4D else { return nil }
    func short(_ at: Int) -> Int {
      isLittle ? Int(tiff[at]) | Int(tiff[at + 1]) << 8 : Int(tiff[at]) << 8 | Int(tiff[at + 1])
    }
    func long(_ at: Int) -> Int {
      isLittle ? short(at) | short(at + 2) << 16 : short(at) << 16 | short(at + 2)
    }
    guard short(2) == 42 else { return nil }
    let directory = long(4)
    guard directory >= 8, directory <= tiff.count - 2 else { return nil }
    let count = short(directory)
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard entry + 12 <= tiff.count else { return nil }
      guard short(entry) == orientationTag else { continue }
      guard short(entry + 2) == shortType, long(entry + 4) == 1 else { return nil }
      return Orientation(rawValue: short(entry + 8))
    }
    return nil
  }
}
