import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// HEIC files of every chroma format and bit depth, with alpha, and stereo and high-dynamic-range pictures, compared with pillow-heif and
/// closed forms.
@Suite struct HEICKindTests {
  let folder = TemporaryFolder()
  static let hasPillowHEIF = OutsideTool.succeeds(OutsideTool.python, ["-c", "import pillow_heif, numpy"])
  static let needsPillowHEIF: Comment = "needs pillow-heif: make setup-test"

  private func python(_ script: String) throws {
    let head = """
      import sys, struct, zlib, numpy as n, pillow_heif as h
      from PIL import Image
      d = sys.argv[1] + '/'
      y, x = n.mgrid[0:48, 0:64]
      p = n.stack([x * 3, y * 5, (x + y) * 2, 255 - x * 3], 2).astype('uint8'); w = p.astype('uint16') * 257
      c = Image.fromarray(p); r = Image.fromarray(p[..., :3])

      """
    try OutsideTool.run(OutsideTool.python, ["-c", head + script, folder.path])
  }

  private func read(_ name: String) throws -> DepthPhoto { try DepthPhoto.read(folder.file(name)) }

  private func difference(_ a: Image, _ b: Image) -> Int {
    let (a, b) = (a.converted(to: .rgba8), b.converted(to: .rgba8))
    guard (a.width, a.height) == (b.width, b.height) else { return 999 }
    return zip(a.packedBytes, b.packedBytes).enumerated().map { index, pair in
      // Clear pixels have no colour.
      index % 4 < 3 && b.packedBytes[index / 4 * 4 + 3] == 0 ? 0 : abs(Int(pair.0) - Int(pair.1))
    }.max() ?? 999
  }

  @Test(.enabled(if: hasPillowHEIF, needsPillowHEIF)) func chromaDepthAndAlpha() throws {
    try python(
      """
      def put(name, f, **o):
        f.save(d + name + '.heic', **o)
        i = h.open_heif(d + name + '.heic', convert_hdr_to_8bit=True)
        a = n.asarray(i)
        m = {'RGBa': 'RGBa', 'RGBA': 'RGBA', 'RGB': 'RGB'}[i.mode]
        Image.frombytes(m, (64, 48), a.tobytes()).convert('RGBA').save(d + name + '.png')
      P = h.from_pillow
      def B(m, a): return h.from_bytes(mode=m, size=(64, 48), data=a.tobytes())
      put('444', P(r), chroma=444, quality=-1)
      put('422', P(r), chroma=422, quality=98)
      put('420', P(r), quality=98)
      put('rgb', P(r), chroma=444, quality=-1, matrix_coefficients=0)
      put('limited', P(r), chroma=444, quality=98, full_range_flag=0)
      put('alpha', P(c), chroma=444, quality=-1)
      put('grey-alpha', P(c.convert('LA')), quality=-1)
      put('premultiplied', B('RGBa', n.asarray(c.convert('RGBa'))), chroma=444, quality=-1)
      put('deep', B('RGB;16', w[..., :3]), chroma=444, quality=-1)
      put('deep-alpha', B('RGBA;16', w), chroma=444, quality=-1)
      h.options.SAVE_HDR_TO_12_BIT = True
      put('deeper', B('RGB;16', w[..., :3]), chroma=422, quality=-1)
      """)
    // Backdrop interpolates subsampled chroma, libheif repeats it.
    for (name, most) in [
      ("444", 1), ("422", 5), ("420", 8), ("rgb", 1), ("limited", 1), ("alpha", 1), ("grey-alpha", 1),
      ("premultiplied", 1), ("deep", 1), ("deep-alpha", 1), ("deeper", 5),
    ] {
      let (found, wanted) = (try read(name + ".heic"), try read(name + ".png").image())
      let image = try found.image()
      #expect(difference(image, wanted) <= most, "\(name)")
      #expect((image.alpha == .opaque) == !(name.hasSuffix("alpha") || name == "premultiplied"), "\(name)")
      #expect(found.auxiliaries.isEmpty, "alpha is the picture's: \(name)")
    }
  }

  /// pillow-heif reads files written with alpha.
  @Test(.enabled(if: hasPillowHEIF, needsPillowHEIF)) func writtenAlpha() throws {
    try python("c.save(d + 'a.png')")
    var photo = try read("a.png")
    photo.orientation = .right
    try Data(photo.heic(HEICPhotoOptions(quality: HEICQuality(jpegQuality: 95)))).write(
      to: URL(fileURLWithPath: folder.file("b.heic")))
    try python(
      """
      i = h.open_heif(d + 'b.heic')
      assert i.mode == 'RGBA' and i.size == (48, 64), (i.mode, i.size)
      a, b = n.asarray(i).astype(int), n.rot90(p, -1).astype(int)
      assert (a[..., 3] == b[..., 3]).all(), 'alpha is exact'
      assert abs(a[..., :3] - b[..., :3]).max() < 30, abs(a[..., :3] - b[..., :3]).max()
      """)
    let back = try read("b.heic").image()
    #expect(back.alpha == .straight && back.width == 48)
  }

  // MARK: - Overlays and eyes

  /// An overlay of two grey JPEGs on a red canvas, one of them half outside.
  @Test func overlay() throws {
    func jpeg(_ level: UInt8) throws -> [UInt8] {
      var image = Image(.rgb8, width: 16, height: 16, color: .jpeg)
      image.fill(RGBColor(red: Double(level) / 255, green: Double(level) / 255, blue: Double(level) / 255))
      return try DepthPhoto(picture: DecodedPicture(image)).jpeg()
    }
    var made = MadeHEIC()
    var plan = ByteWriter()
    plan.uint16(0)
    for value in [0xFFFF, 0, 0, 0xFFFF, 24, 20, 0, 0, 16, 0xFFF8] { plan.uint16(value) }
    made.items = [
      .init(id: 1, type: "iovl", pieces: [plan.bytes], properties: [(1, false)]),
      .init(id: 2, type: "jpeg", pieces: [try jpeg(50)], properties: [(2, false)]),
      .init(id: 3, type: "jpeg", pieces: [try jpeg(200)], properties: [(2, false)]),
    ]
    made.properties = [.size(width: 24, height: 20), .size(width: 16, height: 16)]
    made.references = [ItemReference("dimg", from: 1, to: [2, 3])]
    let image = try DepthPhoto.read(made.bytes()).image().converted(to: .rgba8)
    func pixel(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { Int(image.row(y)[4 * x + $0]) } }
    #expect((image.width, image.height) == (24, 20) && image.alpha == .opaque)
    #expect(pixel(3, 3).allSatisfy { abs($0 - 50) < 3 } && pixel(20, 4).allSatisfy { abs($0 - 200) < 3 })
    // The red canvas shows below both.
    #expect(pixel(20, 12) == [255, 0, 0] && pixel(3, 18) == [255, 0, 0])
    // An overlay that repeats the same picture a thousand times is an attack.
    made.references = [ItemReference("dimg", from: 1, to: Array(repeating: 2, count: 1000))]
    #expect(refusal { try DepthPhoto.read(made.bytes()).image() }?.kind == .overLimit)
  }

  @Test func eyesOfAHEIC() throws {
    func jpeg(_ level: UInt8) throws -> [UInt8] {
      var image = Image(.rgb8, width: 16, height: 16, color: .jpeg)
      image.fill(RGBColor(red: Double(level) / 255, green: Double(level) / 255, blue: Double(level) / 255))
      return try DepthPhoto(picture: DecodedPicture(image)).jpeg()
    }
    var made = MadeHEIC()
    made.items = [
      .init(id: 1, type: "jpeg", pieces: [try jpeg(50)], properties: [(1, false)]),
      .init(id: 2, type: "jpeg", pieces: [try jpeg(200)], properties: [(1, false)]),
    ]
    made.properties = [.size(width: 16, height: 16)]
    for (order, eye) in [([1, 2], StereoEye.left), ([2, 1], .right)] {
      var groups = ByteWriter()
      groups.box("grpl") { writer in
        writer.fullBox("ster") { writer in
          for value in [9, 2] + order { writer.uint32(value) }
        }
      }
      made.extra = groups.bytes
      let photo = try DepthPhoto.read(made.bytes())
      #expect(photo.stereo?.eye == eye)
      func level(_ photo: DepthPhoto) throws -> Int {
        let image = try photo.image(as: .gray8)
        return Int(image.row(8)[8])
      }
      #expect(try abs(level(photo.seen(by: eye)) - 50) < 3 && abs(level(photo.seen(by: eye.other)) - 200) < 3)
      let back = try photo.seen(by: eye.other).seen(by: eye)
      #expect(try abs(level(back) - 50) < 3)
    }
    made.extra = []
    let alone = try DepthPhoto.read(made.bytes())
    #expect(alone.stereo == nil)
    #expect(throws: BackdropError.self) { try alone.seen(by: .right) }
  }

  @Test(.enabled(if: hasPillowHEIF, needsPillowHEIF)) func eyesOfAMultiPictureFile() throws {
    // Pillow writes both pictures with the attribute "undefined", so the test changes it to that of multiple views.
    try python(
      """
      r.save(d + 'a.mpo', format='MPO', save_all=True, append_images=[Image.new('RGB', (64, 48), (9, 9, 9))], quality=95)
      b = bytearray(open(d + 'a.mpo', 'rb').read())
      at = b.index(b'MPF\\0') + 4
      o = '<' if b[at:at + 2] == b'II' else '>'
      first, = struct.unpack(o + 'I', b[at + 4:at + 8]); count, = struct.unpack(o + 'H', b[at + first:at + first + 2])
      for k in range(count):
        t = at + first + 2 + 12 * k
        if struct.unpack(o + 'H', b[t:t + 2])[0] == 0xB002:
          list_, = struct.unpack(o + 'I', b[t + 8:t + 12])
          for e in (0, 1): b[at + list_ + 16 * e:at + list_ + 16 * e + 4] = struct.pack(o + 'I', 0x20002)
      open(d + 'b.mpo', 'wb').write(b)
      """)
    let photo = try read("b.mpo")
    #expect(photo.stereo?.eye == .left)
    let right = try photo.seen(by: .right).image(as: .gray8)
    #expect((7...11).contains(right.row(5)[5]))
    #expect(try read("a.mpo").stereo == nil)
  }

  // MARK: - High dynamic range

  /// 16-bit PNG and 10-bit HEIC with the curves of BT.2100 are within 2 levels of the exact mapping of the stored samples. In HEIC,
  /// conversion through Y′CbCr changes a 10-bit code by up to 1.5, which adds up to 2 levels. The comparison leaves out dark channels of
  /// saturated colours, which are small differences of large numbers.
  @Test(.enabled(if: hasPillowHEIF, needsPillowHEIF), arguments: [(16, "pq"), (18, "hlg")])
  func highDynamicRange(code: Int, name: String) throws {
    try python(
      """
      q = n.stack([x * 120 + 26000, y * 160 + 26000, (x + y) * 70 + 26000], 2).astype('uint16')
      def chunk(k, v): return struct.pack('>I', len(v)) + k + v + struct.pack('>I', zlib.crc32(k + v))
      def png(name, a, kind):
        rows = b''.join(b'\\0' + v.astype('>u2').tobytes() for v in a)
        open(d + name, 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 64, 48, 16, kind, 0, 0, 0))
          + chunk(b'cICP', bytes([9, \(code), 0, 1])) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
      png('a.png', q, 2)
      png('b.png', n.dstack([q, n.full((48, 64), 0x8080)]), 6)
      h.from_bytes(mode='RGB;16', size=(64, 48), data=q.tobytes()).save(d + 'a.heic', quality=-1, chroma=444, color_primaries=9,
        transfer_characteristics=\(code), matrix_coefficients=9, full_range_flag=1)
      """)
    let space = ColorSpace(.bt2020, try #require(ColorSpace.Transfer(rawValue: name)))
    let tones = try #require(ToneMapping(from: space))
    for (file, most) in [("a.png", 2), ("b.png", 2), ("a.heic", 4)] {
      let photo = try read(file)
      #expect(photo.picture.colorSpace == space, "\(file)")
      let image = try photo.image()
      #expect(image.color.space == .sRGB && (image.alpha == .straight) == (file == "b.png"), "\(file)")
      let pixels = image.converted(to: .rgba8)
      var worst = 0
      for (y, x) in product(0..<48, 0..<64) {
        let exact = tones([x * 120 + 26000, y * 160 + 26000, (x + y) * 70 + 26000].map { Double($0) / 65_535 })
        for channel in 0..<3 where file != "a.heic" || exact[channel] > 0.15 {
          worst = max(worst, abs(Int(pixels.row(y)[4 * x + channel]) - Int((exact[channel] * 255).rounded())))
        }
      }
      #expect(worst <= most, "\(file)")
      if file == "b.png" { #expect(pixels.row(7)[3] == 128) }
    }
  }
}
