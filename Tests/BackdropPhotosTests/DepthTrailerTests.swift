import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Depth after the picture, in the proprietary forms of phone makers.
@Suite struct DepthTrailerTests {
  /// A map that is near on its left and far on its right.
  private static let width = 32, height = 24
  private static let samples = (0..<width * height).map { UInt8($0 % width * 8) }

  // MARK: - Samsung

  private func little(_ value: Int, _ size: Int) -> [UInt8] { MadeArchive.word(value, size) }

  /// Blocks with their directory, according to ExifTool's source.
  private func samsung(_ blocks: [(type: Int, name: String, data: [UInt8])]) -> [UInt8] {
    var result: [UInt8] = []
    var entries: [(type: Int, start: Int, size: Int)] = []
    for block in blocks {
      let bytes = little(0, 2) + little(block.type, 2) + little(block.name.utf8.count, 4) + block.name.utf8 + block.data
      entries.append((block.type, result.count, bytes.count))
      result += bytes
    }
    var directory = Array("SEFH".utf8) + little(106, 4) + little(entries.count, 4)
    for entry in entries {
      directory += little(0, 2) + little(entry.type, 2) + little(result.count - entry.start, 4) + little(entry.size, 4)
    }
    return result + directory + little(directory.count, 4) + Array("SEFT".utf8)
  }

  /// The map's size, after the mark at one of the offsets used by phones.
  private func sizes(_ width: Int, _ height: Int, at offset: Int = 60, mark: [UInt8] = [3, 0, 0xFF, 0xFF]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: 120)
    result[0] = 4
    result.replaceSubrange(offset..<offset + 12, with: mark + little(width, 4) + little(height, 4))
    return result
  }

  private func galaxy(_ sizes: [UInt8], samples: [UInt8] = samples, original: [UInt8]? = nil) -> [UInt8] {
    var blocks: [(type: Int, name: String, data: [UInt8])] = [
      (0x0AB0, "DualShot_Meta_Info", Array("DOFS".utf8)), (0x0AB1, "DualShot_DepthMap_1", samples),
      (0x0AB3, "DualShot_Extra_Info", sizes), (0x0A01, "Image_UTC_Data", Array("1530000000000".utf8)),
    ]
    if let original { blocks.insert((1, "DualShot_1", original), at: 0) }
    return samsung(blocks)
  }

  private func check(_ photo: DepthPhoto, _ orientation: Orientation = .up) throws {
    #expect(photo.faults.isEmpty)
    let depth = try #require(try photo.depth(upright: false))
    #expect(depth.properties.accuracy == .relative && depth.properties.origin == .file)
    let map = depth.disparity.perMetre
    #expect(map.width == Self.width && map.height == Self.height)
    for x in 1..<Self.width { #expect(map[x, 3] < map[x - 1, 3]) }
    #expect(abs(map[10, 5] - (1 - 80.0 / 255)) < 1e-6)
    if orientation == .right { #expect(try photo.depth()?.width == Self.height) }
  }

  @Test(arguments: [32, 60, 64, 68, 92]) func samsungMap(_ offset: Int) throws {
    let original = try JPEG.encode(MadePhoto.picture(48, 36), quality: 80)
    let bytes = try MadePhoto.jpeg([], behind: galaxy(sizes(Self.width, Self.height, at: offset), original: original))
    let photo = try DepthPhoto.read(bytes)
    try check(photo)
    #expect(photo.original?.width == 48)
    // Some phones store the height first.
    try check(DepthPhoto.read(MadePhoto.jpeg([], behind: galaxy(sizes(Self.height, Self.width, at: offset)))))
    // Data after the picture stays after the picture.
    try check(DepthPhoto.read(photo.jpeg()))
  }

  /// The map is stored in the same orientation as the picture.
  @Test func samsungMapOfATurnedPicture() throws {
    var photo = try DepthPhoto.read(MadePhoto.jpeg([], behind: galaxy(sizes(Self.width, Self.height))))
    photo.metadata.setEXIFOrientation(.right)
    photo.orientation = .right
    try check(DepthPhoto.read(photo.jpeg()), .right)
  }

  @Test(.enabled(if: ExifTool.isPresent, "needs exiftool")) func samsungBlocksAreThoseOfExifTool() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.jpg")
    let bytes = try MadePhoto.jpeg([], behind: galaxy(sizes(Self.width, Self.height)))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let tags = try ExifTool.tags(path, ["-ee", "-u"])
    #expect(tags.number("DepthMapWidth") == Double(Self.width) && tags.number("DepthMapHeight") == Double(Self.height))
    let map = try ExifTool.run(["-b", "-DepthMapData", path])
    #expect([UInt8](map) == Self.samples)
  }

  @Test func damagedSamsungFiles() throws {
    let sound = galaxy(sizes(Self.width, Self.height))
    let directory = sound.count - 8 - 60
    var damaged = [
      galaxy(sizes(Self.width, Self.height + 1)), galaxy(sizes(0, 0)), galaxy(sizes(0xFFFF_FFFF, 2)),
      galaxy(sizes(Self.width, Self.height, mark: [0, 0, 0xFF, 0xFF])), galaxy([4, 0]),
      galaxy(sizes(Self.width * Self.height, 1)),
    ]
    // The directory's length, mark and count; the second block's distance, size, type and length of name.
    for (offset, bytes) in [
      (sound.count - 8, little(1 << 30, 4)), (sound.count - 8, little(4, 4)), (directory, [0]),
      (directory + 8, little(1 << 20, 4)), (directory + 28, little(1 << 20, 4)), (directory + 32, little(1 << 20, 4)),
      (directory + 32, little(7, 4)), (sound.count, []),
    ] as [(Int, [UInt8])] {
      var copy = sound
      copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      if !bytes.isEmpty { damaged.append(copy) }
    }
    for trailer in damaged {
      let photo = try DepthPhoto.read(MadePhoto.jpeg([], behind: trailer))
      #expect(photo.auxiliary(.depth) == nil && photo.faults.count == 1)
      #expect(photo.faults.first?.message.contains("\n") == false)
      #expect(throws: BackdropError.self) { try photo.depth() }
      #expect(try photo.image().width == 64)
    }
    // A video after the picture is not depth.
    let film = samsung([(0x0A30, "MotionPhoto_Data", Array("mpv2".utf8))])
    let photo = try DepthPhoto.read(MadePhoto.jpeg([], behind: film))
    #expect(photo.auxiliary(.depth) == nil && photo.faults.isEmpty)
  }

  // MARK: - Huawei

  private func huawei(
    _ samples: [UInt8] = samples, width: Int = width, height: Int = height, turn: UInt8 = 0x10, original: [UInt8]? = nil
  ) throws -> [UInt8] {
    let before = try original ?? JPEG.encode(MadePhoto.picture(48, 36), quality: 80)
    var header = [UInt8](repeating: 0, count: 64)
    header[3] = turn
    header.replaceSubrange(12..<16, with: little(width, 2) + little(height, 2))
    return before + little(before.count, 4) + Array("edof".utf8) + little(0, 4) + header + samples
      + little(64 + samples.count, 4) + Array("DepthEn\0".utf8)
  }

  @Test func huaweiMap() throws {
    let photo = try DepthPhoto.read(MadePhoto.jpeg([], behind: huawei()))
    try check(photo)
    #expect(photo.original?.width == 48)
    try check(DepthPhoto.read(photo.jpeg()))
  }

  /// The map has its own rotation to upright, as the picture has EXIF's.
  @Test(arguments: zip([0x10, 0x11, 0x12, 0x13] as [UInt8], [Orientation.up, .left, .down, .right]))
  func turnedHuaweiMap(
    _ code: UInt8, _ turn: Orientation
  ) throws {
    let upright = Plane(Self.samples, width: Self.width, height: Self.height)
    let stored = upright.oriented(turn.inverse)
    let bytes = try MadePhoto.jpeg(
      [], behind: huawei(stored.samples, width: stored.width, height: stored.height, turn: code))
    try check(DepthPhoto.read(bytes))
  }

  @Test func damagedHuaweiFiles() throws {
    let sound = try huawei()
    let header = sound.count - 12 - 64 - Self.samples.count
    var damaged: [[UInt8]] = []
    // The length, the mark, the rotation and the sizes.
    for (offset, bytes) in [
      (sound.count - 12, little(1 << 30, 4)), (sound.count - 12, little(3, 4)), (header - 8, [0]), (header + 3, [0x22]),
      (header + 12, little(0, 2)), (header + 12, little(60_000, 2)), (header + 14, little(1, 2)),
    ] as [(Int, [UInt8])] {
      var copy = sound
      copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      damaged.append(copy)
    }
    for trailer in damaged {
      let photo = try DepthPhoto.read(MadePhoto.jpeg([], behind: trailer))
      #expect(photo.auxiliary(.depth) == nil && photo.faults.count == 1)
    }
    // The picture before the blur is useful without depth, and depth without that picture.
    let alone = try DepthPhoto.read(MadePhoto.jpeg([], behind: huawei(original: [1, 2, 3])))
    #expect(alone.auxiliary(.depth) != nil && alone.original == nil && alone.faults.count == 1)
  }
}
