import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// WebP, AVIF, TIFF and BMP files written or read by other programs.
@Suite struct StillKindTests {
  let folder = TemporaryFolder()
  static let hasPillow = OutsideTool.succeeds(
    OutsideTool.python, ["-c", "from PIL import features; assert features.check('avif') and features.check('webp')"])
  static let needsPillow: Comment = "needs Pillow with AVIF: make setup-test"

  /// Runs a script with Pillow, numpy as `n` and the folder as `d`.
  private func pillow(_ script: String) throws -> [String] {
    let head = "import sys, numpy as n, zlib\nfrom PIL import Image, ImageCms, ImageOps\nd = sys.argv[1] + '/'\n"
    let text = try OutsideTool.text(OutsideTool.python, ["-c", head + script, folder.path])
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Python code for the picture that the scripts draw: R, G, B and A of a pixel.
  private static let drawing = """
    y, x = n.mgrid[0:40, 0:60]
    p = n.stack([x * 4, y * 6, (x + y) * 2, 255 - x * 4], 2).astype('uint8')
    c = Image.fromarray(p, 'RGBA')
    e = Image.Exif(); e[0x010F] = 'Maker'; e[0x0110] = 'Model'; e[0x0132] = '2026:01:02 03:04:05'
    """
  private static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    [UInt8(x * 4), UInt8(y * 6), UInt8((x + y) * 2), UInt8(255 - x * 4)]
  }

  private func read(_ name: String) throws -> DepthPhoto { try DepthPhoto.read(folder.file(name)) }

  private func expectDrawing(
    _ image: Image, within: Int = 0, alpha: Bool = true, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect((image.width, image.height) == (60, 40), sourceLocation: location)
    let image = image.converted(to: .rgba8)
    var worst = 0
    for (y, x) in product(0..<min(40, image.height), 0..<min(60, image.width)) {
      let wanted = Self.pixel(x, y)
      for channel in 0..<(alpha ? 4 : 3) {
        worst = max(worst, abs(Int(image.row(y)[4 * x + channel]) - Int(wanted[channel])))
      }
    }
    #expect(worst <= within, sourceLocation: location)
  }

  // MARK: - Files from other programs

  @Test(.enabled(if: hasPillow, needsPillow)) func filesOfPillow() throws {
    _ = try pillow(
      Self.drawing + """

        icc = ImageCms.ImageCmsProfile(ImageCms.createProfile('sRGB')).tobytes()
        c.save(d + 'a.webp', lossless=True, exact=True, exif=e.tobytes(), icc_profile=icc, xmp=b'<x/>')
        c.convert('RGB').save(d + 'b.webp', quality=90)
        c.save(d + 'c.webp', quality=90)
        c.save(d + 'anim.webp', save_all=True, append_images=[c.rotate(180), c.rotate(90)], lossless=True, exact=True)
        c.save(d + 'a.avif', quality=100, subsampling='4:4:4', exif=e.tobytes(), icc_profile=icc, xmp=b'<x/>')
        c.convert('RGB').save(d + 'b.avif', quality=90)
        c.convert('L').save(d + 'gray.avif', quality=100)
        c.save(d + 'anim.avif', save_all=True, append_images=[c.rotate(180)], quality=90)
        for k in ['raw', 'tiff_lzw', 'tiff_deflate', 'tiff_adobe_deflate', 'packbits']:
          c.save(d + k + '.tif', compression=None if k == 'raw' else k, exif=e, icc_profile=icc)
        c.convert('RGB').save(d + 'rgb.tif', compression='tiff_lzw')
        c.convert('L').save(d + 'gray.tif', compression='tiff_deflate')
        c.convert('LA').save(d + 'la.tif')
        c.convert('RGB').quantize(16).save(d + 'palette.tif')
        c.convert('1').save(d + 'bits.tif')
        Image.fromarray((x * 1000).astype('uint16')).save(d + 'deep.tif', compression='tiff_lzw')
        c.convert('RGB').save(d + 'rgb.bmp')
        c.save(d + 'rgba.bmp')
        c.convert('L').save(d + 'gray.bmp')
        c.convert('RGB').quantize(16).save(d + 'palette.bmp')
        """)
    for name in [
      "a.webp", "anim.webp", "raw.tif", "tiff_lzw.tif", "tiff_deflate.tif", "tiff_adobe_deflate.tif", "packbits.tif",
    ] {
      let photo = try read(name)
      let image = try photo.image()
      #expect(image.alpha == .straight, "\(name)")
      expectDrawing(image)
    }
    #expect(
      try read("anim.webp").frameCount == 3 && read("anim.avif").frameCount == 2 && read("a.webp").frameCount == 1)
    for name in ["a.webp", "a.avif", "raw.tif", "tiff_lzw.tif"] {
      let photo = try read(name)
      #expect(photo.metadata.shot.make == "Maker" && photo.metadata.shot.date == "2026:01:02 03:04:05", "\(name)")
      #expect(photo.picture.colorSpace.profile != nil && photo.picture.colorSpace.matches(.sRGB), "\(name)")
    }
    #expect(try read("a.webp").metadata.xmp == Array("<x/>".utf8) && read("a.avif").metadata.xmp == Array("<x/>".utf8))
    expectDrawing(try read("a.avif").image(), within: 3)
    // With half the colour resolution, a corner differs more.
    for name in ["b.webp", "c.webp", "b.avif", "anim.avif"] {
      expectDrawing(try read(name).image(), within: 24, alpha: false)
    }
    expectDrawing(try read("rgb.tif").image(), alpha: false)
    expectDrawing(try read("rgb.bmp").image(), alpha: false)
    // In a file without masks, the fourth byte is not alpha. Pillow also reads its own files this way.
    expectDrawing(try read("rgba.bmp").image(), alpha: false)
    #expect(try read("rgba.bmp").image().alpha == .opaque && read("rgb.bmp").image().alpha == .opaque)
    #expect(try read("gray.tif").image().format == .gray8 && read("gray.bmp").image().width == 60)
    #expect(try read("la.tif").image().alpha == .straight)
    let deep = try read("deep.tif").image()
    #expect(deep.format == .gray16 && deep.plane(as: UInt16.self)[59, 39] == 59_000)
    for name in ["palette.tif", "palette.bmp"] { #expect(try read(name).image().alpha == .opaque) }
    // Pillow reads the same pixels.
    let sums = try pillow(
      "for k in ['gray.tif', 'bits.tif', 'gray.bmp', 'palette.tif', 'palette.bmp', 'gray.avif']: "
        + "print(zlib.adler32(Image.open(d + k).convert('RGB').tobytes()))")
    for (name, sum) in zip(["gray.tif", "bits.tif", "gray.bmp", "palette.tif", "palette.bmp"], sums) {
      #expect(try String(MadePNG.adler32(read(name).image(as: .rgb8).packedBytes)) == sum, "\(name)")
    }
  }

  /// All eight orientations, in the notation of each format: EXIF, boxes, a tag.
  @Test(.enabled(if: hasPillow, needsPillow), arguments: 1...8) func orientations(code: Int) throws {
    _ = try pillow(
      Self.drawing + """

        e[0x0112] = \(code)
        c.save(d + 'a.webp', lossless=True, exact=True, exif=e.tobytes())
        c.save(d + 'a.avif', quality=100, subsampling='4:4:4', exif=e.tobytes())
        c.save(d + 'a.tif', exif=e)
        for k in ['a.webp', 'a.avif']: ImageOps.exif_transpose(Image.open(d + k)).save(d + k + '.png')
        """)
    for (name, most) in [("a.webp", 0), ("a.avif", 3), ("a.tif", 0)] {
      let photo = try read(name)
      #expect(photo.orientation.rawValue == code, "\(name)")
      // Pillow rotates its decoded pictures by the same number, except some TIFF files.
      let turned = try read(name == "a.tif" ? "a.webp.png" : "\(name).png").image(as: .rgba8)
      let found = try photo.image(as: .rgba8)
      #expect((found.width, found.height) == (turned.width, turned.height), "\(name)")
      let worst = zip(found.packedBytes, turned.packedBytes).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(worst <= most, "\(name)")
    }
  }

  // MARK: - Files for other programs

  @Test(
    .enabled(if: hasPillow && ExifTool.isPresent, "needs Pillow with AVIF, and ExifTool"), arguments: ["webp", "avif"])
  func readByOthers(fileExtension: String) throws {
    var image = Image(.rgba8, width: 60, height: 40, color: .jpeg, alpha: .straight)
    for y in 0..<40 {
      var row = image.mutableRow(y)
      for x in 0..<60 { for (channel, value) in Self.pixel(x, y).enumerated() { row[4 * x + channel] = value } }
    }
    image.color.space = .adobeRGB
    image.orientation = .right
    var photo = DepthPhoto(picture: DecodedPicture(image), orientation: .right)
    photo.metadata = try MadeStill.metadata()
    let container = try #require(DepthPhoto.pictureContainer(named: "a." + fileExtension))
    let bytes = try container.encode(photo, options: PhotoFileOptions(isLossless: true))
    try folder.write(bytes, "a." + fileExtension)
    let tags = try ExifTool.tags(folder.file("a." + fileExtension))
    #expect(tags.number("ImageWidth") == 40 && tags.number("ImageHeight") == 60)
    #expect(tags.text("Make") == "Maker" && tags.number("Orientation") ?? 1 == 1)
    #expect(tags.text("ProfileDescription") == "Adobe RGB (1998)")
    #expect(tags.text("Creator") == "Somebody", "XMP")
    let lines = try pillow(
      Self.drawing + """

        i = Image.open(d + 'a.\(fileExtension)')
        print(i.mode, *i.size, len(i.info.get('icc_profile', b'')) > 0)
        print(int(abs(n.asarray(i).astype(int) - n.asarray(c.rotate(-90, expand=True))).max()))
        """)
    #expect(lines == ["RGBA 40 60 True", "0"])
  }

  // MARK: - TIFF

  /// Sixteen bits in both byte orders with alpha and known values.
  @Test(arguments: [false, true], [1, 2, 3, 4]) func deepTIFF(isBig: Bool, samples: Int) throws {
    let values = (0..<(3 * 2 * samples)).map { $0 * 2500 }
    for extra in samples == 2 || samples == 4 ? [0, 1, 2] : [nil] {
      let image = try DepthPhoto.read(
        MadeStill.tiff(3, 2, samples: samples, bits: 16, values: values, extra: extra, isBig: isBig)
      ).image()
      if samples == 1 {
        #expect(
          image.format == .gray16 && (0..<3).map { Int(image.plane(as: UInt16.self)[$0, 1]) } == Array(values[3...]))
        continue
      }
      #expect(image.alpha == (extra == 0 ? .opaque : extra == nil ? .opaque : .straight))
      let bytes = image.converted(to: .rgba8).packedBytes
      for pixel in 0..<6 {
        let codes = Array(values[pixel * samples..<(pixel + 1) * samples])
        var wanted = codes.map { UInt8(($0 + 128) / 257) }
        if extra == 1, let alpha = codes.last {
          // The file stores colours multiplied by alpha, so reading divides them.
          for index in 0..<samples - 1 {
            wanted[index] = alpha == 0 ? 0 : UInt8(min(255, (codes[index] * 255 + alpha / 2) / alpha))
          }
        }
        let colors = samples < 3 ? [wanted[0], wanted[0], wanted[0]] : Array(wanted[..<3])
        let alpha = extra == nil || extra == 0 ? 255 : wanted[samples - 1]
        #expect(Array(bytes[4 * pixel..<4 * pixel + 4]) == colors + [alpha])
      }
    }
  }

  @Test(arguments: [
    ("a camera's raw file", [50_706: 1]), ("raw file", [262: 32_803]), ("raw file", [254: 1, 330: 8]),
    ("compression of kind 34661", [259: 34_661]), ("24 bits per sample", [258: 24]), ("not whole numbers", [339: 3]),
    ("samples of kind 32844", [262: 32_844]), ("2 samples per pixel", [277: 2]),
  ]) func tiffsThatAreNotRead(says: String, tags: [Int: Int]) throws {
    let bytes = MadeStill.tiff(3, 2, samples: 3, bits: 8, values: Array(0..<18), more: tags)
    let error = refusal { try DepthPhoto.read(bytes) }
    #expect(error?.kind == .unsupported && error?.message.contains(says) == true && error?.hint != nil, "\(error)")
  }

  @Test func damagedFiles() throws {
    let tiff = MadeStill.tiff(9, 7, samples: 3, bits: 8, values: Array(repeating: 77, count: 189))
    let bmp = MadeStill.bmp(9, 7)
    for whole in [tiff, bmp] {
      #expect(try DepthPhoto.read(whole).image().width == 9)
      for count in 4..<whole.count {
        let error = #expect(throws: BackdropError.self, "\(count) of \(whole.count)") {
          try DepthPhoto.read(Array(whole[..<count])).image()
        }
        #expect(error?.kind == .badData || error?.kind == .unsupported)
      }
      #expect(refusal { try DepthPhoto.read(whole, limits: ImageLimits(side: 8, pixels: 99)) }?.kind == .overLimit)
    }
  }
}

/// Small generated TIFF and BMP files.
enum MadeStill {
  /// Metadata with a maker in EXIF and a creator in XMP.
  static func metadata() throws -> PhotoMetadata {
    var exif: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 2]
    exif += [1, 15, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38] + [1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0] + [0, 0, 0, 0]
    exif += Array("Maker\0".utf8)
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>Somebody\
      </rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    return PhotoMetadata(exif: exif, xmp: Array(xmp.utf8))
  }

  /// A TIFF of one uncompressed strip.
  static func tiff(
    _ width: Int, _ height: Int, samples: Int, bits: Int, values: [Int], extra: Int? = nil, isBig: Bool = false,
    more: [Int: Int] = [:]
  ) -> [UInt8] {
    var writer = ByteWriter(order: isBig ? .big : .little)
    writer.data((isBig ? "MM" : "II").utf8)
    writer.uint16(42)
    writer.uint32(8)
    var tags = [
      256: width, 257: height, 258: bits, 259: 1, 262: samples < 3 ? 1 : 2, 273: 0, 277: samples, 278: height,
      279: width * height * samples * bits / 8,
    ].merging(more) { $1 }
    if let extra { tags[338] = extra }
    let start = 8 + 2 + 12 * tags.count + 4
    // More than two 2-byte values are stored after the directory.
    let hasList = samples > 2 && more[258] == nil
    tags[273] = start + (hasList ? 2 * samples : 0)
    writer.uint16(tags.count)
    for (tag, value) in tags.sorted(by: { $0.key < $1.key }) {
      let isLong = tag == 273 || tag == 279
      let count = tag == 258 && more[258] == nil ? samples : 1
      writer.uint16(tag)
      writer.uint16(isLong ? 4 : 3)
      writer.uint32(count)
      if tag == 258 && hasList {
        writer.uint32(start)
      } else if isLong {
        writer.uint32(value)
      } else {
        writer.uint16(value)
        writer.uint16(count == 2 ? value : 0)
      }
    }
    writer.uint32(0)
    if hasList { for _ in 0..<samples { writer.uint16(bits) } }
    for value in values { writer.number(UInt64(value), size: bits / 8) }
    return writer.bytes
  }

  /// A BMP of 24 bits, bottom-up as usual.
  static func bmp(_ width: Int, _ height: Int) -> [UInt8] {
    let row = (3 * width + 3) / 4 * 4
    var writer = ByteWriter(order: .little)
    writer.data("BM".utf8)
    for value in [54 + row * height, 0, 54, 40, width, height] { writer.uint32(value) }
    writer.uint16(1)
    writer.uint16(24)
    for value in [0, row * height, 2835, 2835, 0, 0] { writer.uint32(value) }
    for y in 0..<height { for x in 0..<row { writer.uint8((x * 7 + y * 31) & 255) } }
    return writer.bytes
  }
}
