import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs
@testable import BackdropImaging

/// Profiles in files, and colours compared with LittleCMS (Pillow's ImageCms): media-relative; with black point compensation for tables.
@Suite struct ColorProfileFileTests {
  static let hasCMS = OutsideTool.succeeds(OutsideTool.python, ["-c", "from PIL import ImageCms"])
  let folder = TemporaryFolder()

  /// All corners of the cube, greys and random colours, one pixel each.
  static func patches(_ space: ColorSpace, _ count: Int = 400) throws -> Image {
    var random = SeededRandom(seed: 41)
    var bytes = (0..<8).flatMap { corner in (0..<3).map { UInt8(corner >> $0 & 1 == 1 ? 255 : 0) } }
    for gray in stride(from: 0, through: 255, by: 5) { bytes += [UInt8](repeating: UInt8(gray), count: 3) }
    while bytes.count < 3 * count { bytes.append(UInt8.random(in: 0...255, using: &random)) }
    return try Image(.rgb8, width: count, height: 1, packed: bytes.span, color: .jpeg.with(space))
  }

  /// The pixels of a picture file, converted by LittleCMS to the space of another file's profile or to Pillow's own sRGB.
  static func cms(_ path: String, to profile: String? = nil, compensatesBlack: Bool = false) throws -> [UInt8] {
    let script = """
      import io, sys
      from PIL import Image, ImageCms
      image = Image.open(sys.argv[1])
      def space(data): return ImageCms.ImageCmsProfile(io.BytesIO(data)) if data else ImageCms.createProfile('sRGB')
      source = space(image.info.get('icc_profile'))
      target = space(open(sys.argv[2], 'rb').read() if len(sys.argv) > 2 else None)
      image = ImageCms.profileToProfile(image.convert('RGB'), source, target, renderingIntent=1, outputMode='RGB',
        flags=\(compensatesBlack ? 0x2000 : 0))
      sys.stdout.buffer.write(image.tobytes())
      """
    return Array(try OutsideTool.run(OutsideTool.python, ["-c", script, path] + (profile.map { [$0] } ?? [])))
  }

  static func worst(_ one: [UInt8], _ other: [UInt8]) -> Int {
    #expect(one.count == other.count)
    return zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test(
    .enabled(if: hasCMS, "needs Pillow: make setup-test"),
    arguments: [
      ColorSpace.displayP3, .adobeRGB, .proPhoto, .bt2020, ColorSpace(.bt601Lines525), ColorSpace(.bt709, .linear),
      ColorSpace(.dciP3, .gamma26),
    ])
  func littleCMSConvertsAlike(space: ColorSpace) throws {
    let image = try Self.patches(space)
    try folder.write(PNG.encode(image), "a.png")
    let there = image.converted(to: .sRGB)
    #expect(Self.worst(there.packedBytes, try Self.cms(folder.file("a.png"))) <= 2, "to sRGB")
    // And back, into the profile that the writer embeds in such pictures.
    let plain = try Self.patches(.sRGB)
    try folder.write(PNG.encode(plain), "b.png")
    try folder.write(#require(space.profileBytes(forGray: false)), "p.icc")
    let back = plain.converted(to: space).packedBytes
    #expect(Self.worst(back, try Self.cms(folder.file("b.png"), to: folder.file("p.icc"))) <= 2, "from sRGB")
  }

  /// Profiles that Pillow creates, and profiles that PNG files describe by numbers, are read as in LittleCMS.
  @Test(.enabled(if: hasCMS, "needs Pillow: make setup-test")) func profilesOfOthers() throws {
    let script = """
      import sys
      from PIL import Image, ImageCms
      open(sys.argv[1], 'wb').write(ImageCms.ImageCmsProfile(ImageCms.createProfile('sRGB')).tobytes())
      """
    _ = try OutsideTool.run(OutsideTool.python, ["-c", script, folder.file("s.icc")])
    let bytes = try folder.bytes("s.icc")
    let space = ColorSpace(ColorProfile(bytes))
    #expect(space.matches(.sRGB) && space.profile?.fault == nil && space.name == "sRGB")
    let film = Chromaticities(red: (0.66, 0.33), green: (0.25, 0.68), blue: (0.14, 0.07), white: (0.33, 0.34))
    let odd = try #require(ColorSpace(film, gamma: 1.9))
    let image = try Self.patches(odd)
    try folder.write(PNG.encode(image), "o.png")
    #expect(Self.worst(image.converted(to: .sRGB).packedBytes, try Self.cms(folder.file("o.png"))) <= 2)
  }

  static let profiles = "/usr/share/color/icc/ghostscript"
  static let hasProfiles = FileManager.default.fileExists(atPath: profiles + "/default_cmyk.icc")
  static let needsProfiles: Comment = "needs Pillow and libgs-common: make setup-test"

  /// Profiles by other makers, with curves of up to 4096 steps.
  @Test(
    .enabled(if: hasCMS && hasProfiles, needsProfiles), arguments: ["default_rgb", "esrgb", "a98", "rommrgb", "srgb"])
  func profilesInUse(name: String) throws {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(Self.profiles)/\(name).icc")))
    let space = ColorSpace(ColorProfile(bytes))
    #expect(space.note == nil && space.profile?.name != nil)
    let image = try Self.patches(space)
    try folder.write(PNG.encode(image), "a.png")
    #expect(Self.worst(image.converted(to: .sRGB).packedBytes, try Self.cms(folder.file("a.png"))) <= 2)
  }

  /// A profile like those of scanners: tables to CIELAB, and none in the other direction.
  @Test(.enabled(if: hasCMS, "needs Pillow: make setup-test")) func tables() throws {
    let script = """
      import struct, sys
      def lab(r, g, b):
        x, y, z = .48 * r + .34 * g + .15 * b, .26 * r + .66 * g + .08 * b, .02 * r + .12 * g + .68 * b
        f = [c ** (1 / 3) for c in (x / .97, y, z / .82)]
        return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
      steps = [(i / 8) ** 1.8 * .97 + .02 for i in range(9)]
      nodes = [lab(r, g, b) for r in steps for g in steps for b in steps]
      table = b''.join(struct.pack('>3H', *(max(0, min(65535, round(v))) for v in
        (l * 652.8, (a + 128) * 256, (b + 128) * 256))) for l, a, b in nodes)
      matrix = struct.pack('>9i', 65536, 0, 0, 0, 65536, 0, 0, 0, 65536)
      line = struct.pack('>6H', 0, 65535, 0, 65535, 0, 65535)
      lut = b'mft2' + bytes(4) + bytes([3, 3, 9, 0]) + matrix + struct.pack('>2H', 2, 2) + line + table + line
      size = 128 + 4 + 12 + len(lut)
      head = struct.pack('>I4sI4s4s4s12x4s28x3I', size, b'none', 0x2200000, b'scnr', b'RGB ', b'Lab ', b'acsp',
        0xF6D6, 0x10000, 0xD32D)
      open(sys.argv[1], 'wb').write(head.ljust(128, b'\\0') + struct.pack('>I4s2I', 1, b'A2B0', 144, len(lut)) + lut)
      """
    _ = try OutsideTool.run(OutsideTool.python, ["-c", script, folder.file("s.icc")])
    let space = ColorSpace(
      ColorProfile(try folder.bytes("s.icc")))
    #expect(space.note == nil && space.transfer == .custom && space.profile?.hasTables == true)
    let image = try Self.patches(space)
    try folder.write(PNG.encode(image), "a.png")
    let wanted = try Self.cms(folder.file("a.png"), compensatesBlack: true)
    let found = image.converted(to: .sRGB)
    #expect(found.color.space == .sRGB && Self.worst(found.packedBytes, wanted) <= 1)
    #expect(Self.worst(found.packedBytes, image.packedBytes) > 20)
    // In every byte order, with alpha, and through Y′CbCr; grey by its green.
    let rgba = image.converted(to: .rgba8)
    for format in [PixelFormat.rgba8, .bgra8, .rgb8] {
      let other = rgba.converted(to: format, color: .jpeg).converted(to: .rgb8)
      #expect(other.packedBytes == found.packedBytes, "\(format)")
    }
    let single = try #require(ColorTransform.between(space, .sRGB)?([1, 0.5, 0]))
    let pixel = try Image(.rgb8, width: 1, height: 1, packed: [255, 128, 0].span, color: .jpeg.with(space))
    for (value, sample) in zip(single, pixel.converted(to: .sRGB).packedBytes) {
      #expect(abs(value * 255 - Double(sample)) <= 2)
    }
    // Without tables in the other direction, pictures do not change.
    let plain = try Self.patches(.sRGB)
    #expect(
      plain.converted(to: space).color.space == .sRGB && plain.converted(to: space).packedBytes == plain.packedBytes)
  }

  /// CMYK files with an embedded profile, compared with Pillow's decoder and LittleCMS.
  @Test(.enabled(if: hasCMS && hasProfiles, needsProfiles)) func inks() throws {
    let script = """
      import io, random, sys
      from PIL import Image, ImageCms
      random.seed(5)
      small = Image.frombytes('CMYK', (12, 9), bytes(random.randrange(256) for _ in range(12 * 9 * 4)))
      image = small.resize((96, 72), Image.BICUBIC)
      profile = open(sys.argv[1], 'rb').read()
      image.save(sys.argv[2], quality=95, subsampling=0, icc_profile=profile)
      decoded = Image.open(sys.argv[2])
      decoded = ImageCms.profileToProfile(
        decoded, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile('sRGB'), renderingIntent=1,
        outputMode='RGB', flags=0x2000)
      sys.stdout.buffer.write(decoded.tobytes())
      """
    let path = folder.file("inks.jpg")
    let wanted = Array(
      try OutsideTool.run(OutsideTool.python, ["-c", script, Self.profiles + "/default_cmyk.icc", path]))
    let found = try JPEG.decode(Array(Data(contentsOf: URL(fileURLWithPath: path))), as: .rgb8)
    #expect(found.color.space == .sRGB && Self.worst(found.packedBytes, wanted) <= 1)
  }

  @Test(.enabled(if: hasCMS, "needs Pillow: make setup-test"), arguments: [PictureFormat.png, .jpeg])
  func othersReadWhatIsWritten(kind: PictureFormat) throws {
    let path = folder.file(kind == .png ? "a.png" : "a.jpg")
    for space in [ColorSpace.displayP3, .adobeRGB, .sRGB] {
      for format in [PixelFormat.rgb8, .rgba8, .bgra8, .i420, .gray8] {
        var image = Image(format, width: 48, height: 32, color: .jpeg.with(space))
        image.fill(RGBColor(red: 0.8, green: 0.3, blue: 0.1))
        try Picture.save(image, to: OutputFile(path, overwrite: true))
        let script =
          "import sys; from PIL import Image; sys.stdout.buffer.write(Image.open(sys.argv[1]).info.get('icc_profile', b''))"
        let found = Array(try OutsideTool.run(OutsideTool.python, ["-c", script, path]))
        #expect(found == space.profileBytes(forGray: format == .gray8) ?? [])
        let read = try Picture.load(path)
        // Grey has no primaries.
        let wanted = format == .gray8 ? ColorSpace(.bt709, space.transfer) : space
        #expect(read.color.space.matches(wanted))
        // A flat picture has the same colour everywhere; JPEG shifts it by a level or two.
        guard format != .gray8 else { continue }
        let shown = try Self.cms(path)
        for (index, value) in [204, 76.5, 25.5].enumerated() {
          #expect(
            abs(Double(shown[3 * (16 * 48 + 24) + index]) - value) <= (kind == .png ? 2 : 4), "\(space) \(format)")
        }
      }
    }
  }

  /// ICC.1, annex B.4: profiles longer than a segment come in numbered pieces, here in the wrong order too.
  @Test func longProfilesOfJPEG() throws {
    var profile = [UInt8](repeating: 7, count: 150_000)
    for at in profile.indices { profile[at] = UInt8(truncatingIfNeeded: at / 251) }
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    var image = Image(.rgb8, width: 16, height: 16)
    image.color.space = ColorSpace(ColorProfile(profile))
    let file = try JPEG.encode(image)
    let read = try JPEG.decode(file)
    #expect(read.color.space.profile?.bytes == profile && read.color.space.note != nil)
    if OutsideTool.isPresent("exiftool") {
      try folder.write(file, "l.jpg")
      #expect(try Array(OutsideTool.run("exiftool", ["-b", "-icc_profile", folder.file("l.jpg")])) == profile)
    }
    let mark = Array("ICC_PROFILE\0".utf8)
    var pieces: [Range<Int>] = []
    var at = 2
    while file[at + 1] != 0xDA {
      let next = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
      if file[at + 1] == 0xE2 && file[at + 4..<at + 16].elementsEqual(mark) { pieces.append(at..<next) }
      at = next
    }
    try #require(pieces.count == 3)
    let turned =
      file[..<pieces[0].lowerBound] + pieces.reversed().flatMap { file[$0] } + file[pieces[2].upperBound...]
    #expect(try JPEG.decode(Array(turned)).color.space == read.color.space)
    // A profile that is too long for a JPEG file is an error.
    image.color.space = ColorSpace(ColorProfile(profile + [UInt8](repeating: 0, count: 17_000_000)))
    #expect(throws: BackdropError.self) { try JPEG.encode(image) }
    // An ink profile does not apply to the colours converted from ink.
    profile.replaceSubrange(16..<20, with: Array("CMYK".utf8))
    image.color.space = ColorSpace(ColorProfile(profile))
    #expect(try JPEG.decode(JPEG.encode(image)).color.space == .sRGB)
  }

  /// GIF files cannot store a profile.
  @Test func gifsAreSRGB() throws {
    var (wide, plain) = (
      Image(.rgb8, width: 4, height: 4, color: .jpeg.with(.displayP3)), Image(.rgb8, width: 4, height: 4)
    )
    let color = RGBColor(red: 0.6, green: 0.4, blue: 0.2)
    wide.fill(color)
    plain.fill(color)
    func file(_ image: Image) throws -> [UInt8] {
      var writer = try GIFTests.writer(4, 4)
      try writer.append(image, from: 0, to: 8)
      return writer.whole()
    }
    let (one, other) = (try file(wide), try file(plain))
    #expect(one.count == other.count)
    // The palette's only colour, to within a level.
    #expect(Self.worst(one, other) <= 1)
  }
}
