import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@Suite struct PictureTests {
  let folder = TemporaryFolder()

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try folder.write(bytes, name)
    return folder.file(name)
  }

  @Test("The content decides, not the name")
  func misnamed() throws {
    let image = smoothImage(6, 4)
    let path = try write(try PNG.encode(image), "really-a-png.jpg")
    #expect(try Picture.load(path).packedBytes == image.packedBytes)
    #expect(try Picture.load(path, as: .bgra8).format == .bgra8)
    let other = try write(try JPEG.encode(image), "really-a-jpeg.png")
    #expect(try Picture.load(other).width == 6)
  }

  @Test("The extension decides what is written", arguments: ["a.png", "a.PNG", "a.jpg", "a.jpeg", "a.JPE"])
  func extensions(name: String) throws {
    try Picture.save(smoothImage(6, 4), to: OutputFile(folder.file(name), overwrite: false))
    let bytes = try InputFile.read(folder.file(name))
    #expect(try PictureFormat(content: bytes.span) == (name.lowercased().hasSuffix("png") ? .png : .jpeg))
    #expect(folder.contents == [name])
  }

  @Test("A header says what decoding gives", arguments: PictureFormat.all)
  func header(format: PictureFormat) throws {
    var image = smoothImage(9, 5)
    image.color.space = .displayP3
    let bytes = try Picture.encode(image, as: format)
    let (header, decoded) = (try format.header(of: bytes.span), try format.decode(bytes.span))
    #expect((header.width, header.height) == (decoded.width, decoded.height))
    #expect(header.colorSpace.matches(.displayP3) && decoded.color.space.matches(.displayP3))
    #expect(header.frameCount == 1 && header.bitsPerSample == 8 && header.metadata == PictureMetadata())
    #expect(refusal { try format.header(of: bytes.span, limits: ImageLimits(side: 8, pixels: 99)) }?.kind == .overLimit)
  }

  @Test("Other extensions are refused and nothing is left behind", arguments: ["a", "a.tiff", "png", "b.png/a.gif"])
  func unknownExtension(name: String) {
    let error = refusal { try PictureFormat(path: name) }
    #expect(error?.kind == .wrongArgument && error?.hint != nil)
  }

  /// The first box of a file of these brands, major brand first (ISO/IEC 14496-12, 4.3), and the beginning of the next box.
  static func boxes(_ brands: String...) -> [UInt8] {
    [0, 0, 0, UInt8(12 + 4 * brands.count)] + Array("ftyp\(brands[0])\0\0\0\0".utf8)
      + Array(brands.dropFirst().joined().utf8) + Array("\0\0\0\u{10}metaheicavif".utf8)
  }

  static let others: [(String, [UInt8])] = [
    ("GIF", Array("GIF89a......".utf8)),
    ("HEIC", [0, 0, 0, 24] + Array("ftypheic".utf8)), ("HEIC", [0, 0, 0, 24] + Array("ftypmif1".utf8)),
    ("MP4", [0, 0, 0, 24] + Array("ftypisom".utf8)),
    ("HEIC", boxes("heis", "mif1")), ("HEIC", boxes("hevx", "msf1")), ("HEIC", boxes("mif2", "miaf", "heix")),
    ("HEIC", boxes("miaf", "heim")), ("HEIC", boxes("MiPr", "mif1", "heic")), ("MP4", boxes("isom", "iso2", "mp41")),
    ("MP4", boxes("qt  ", "mif1")),
    ("Matroska", [0x1A, 0x45, 0xDF, 0xA3]), ("TIFF", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]),
    ("BMP", Array("BM".utf8) + [1, 2, 3, 4, 0, 0, 0, 0, 54, 0, 0, 0, 40] + [UInt8](repeating: 0, count: 39)),
    ("PDF", Array("%PDF-1.7".utf8)),
  ]

  @Test("Other kinds of file are named", arguments: others)
  func otherKinds(name: String, bytes: [UInt8]) throws {
    let path = try write(bytes, "x.png")
    let error = refusal { try Picture.load(path) }
    #expect(error?.kind == .unsupported && error?.message.contains(name) == true && error?.hint != nil)
    #expect(error?.path == path)
  }

  @Test("Not a picture, empty, absent, a folder")
  func noPicture() throws {
    for (path, kind) in [
      (try write(Array("hello, world".utf8), "t.png"), BackdropError.Kind.badData),
      (try write([], "e.jpg"), .badData), (try write([0], "z.jpg"), .badData),
      (folder.file("absent.png"), .wrongArgument), (folder.path, .wrongArgument),
    ] {
      let error = refusal { try Picture.load(path) }
      #expect(error?.kind == kind && error?.path == path)
    }
  }

  @Test("A picture is turned before it is written")
  func orientation() throws {
    var image = smoothImage(6, 4)
    image.orientation = .right
    let path = folder.file("turned.png")
    try Picture.save(image, to: OutputFile(path, overwrite: false))
    let back = try Picture.load(path)
    #expect(back.width == 4 && back.height == 6 && back.packedBytes == image.upright().packedBytes)
  }

  /// Sizes and orientations according to ExifTool 12.57.
  static let photos: [(String, Int, Int, Orientation)] = [
    ("skimage/data/astronaut.png", 512, 512, .up), ("skimage/data/rocket.jpg", 640, 427, .up),
    ("matplotlib/mpl-data/sample_data/grace_hopper.jpg", 512, 600, .up),
    ("photos/iphone7plus_statue_orient6.jpg", 4032, 3024, .right),
    ("photos/iphonex_person_depth_matte.jpg", 3024, 4032, .up),
    ("photos/android_gdepth_table.jpg", 768, 1024, .up),
    ("photos/iphone_gainmap_only.jpeg", 960, 1280, .up),
    ("matting/p3m/p_22fc0130_alpha.png", 1080, 1344, .up),
    ("matting/humanseg/73_mask.png", 612, 408, .up),
    ("rgbd/person_turntable/0000000000_depth.png", 640, 480, .up),
    ("video/davis_parkour/00030_mask.png", 854, 480, .up),
  ]

  @Test(
    "Real photos", .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    arguments: photos.filter { !TestData.present([$0.0]).isEmpty })
  func photo(name: String, width: Int, height: Int, orientation: Orientation) throws {
    let image = try Picture.load(TestData.path(name))
    #expect(image.width == width && image.height == height && image.orientation == orientation)
    if name.hasSuffix("_depth.png") { #expect(image.format == .gray16) }
    if name.hasSuffix("_alpha.png") { #expect(image.format == .gray8) }
    if orientation == .right {
      let upright = try Picture.load(TestData.path(name), upright: true)
      #expect(upright.width == height && upright.height == width)
    }
  }

  @Test("FFmpeg decodes the same 16-bit depth", .enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func depth() throws {
    let path = folder.file("depth.png")
    try MediaTool.make(
      "-f lavfi -i nullsrc=97x61,format=gray16le,geq=lum='X*600+Y*11' -pix_fmt gray16be -frames:v 1", path)
    let image = try Picture.load(path)
    #expect(try image.format == .gray16 && image.packedBytes == MediaTool.pixels(path, "gray16le"))
  }
}
