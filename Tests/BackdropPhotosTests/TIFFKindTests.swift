import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// TIFF and BMP files from many programs, compared with Pillow and closed forms for the same pixels.
@Suite struct TIFFKindTests {
  let folder = TemporaryFolder()
  static let hasPillow = StillKindTests.hasPillow
  static let hasTools = hasPillow && OutsideTool.isPresent("tiffcp")
  static let needsTools: Comment = "needs Pillow and libtiff-tools: make setup-test"

  private func pillow(_ script: String) throws {
    let head =
      "import sys, struct, numpy as n\nfrom PIL import Image, ImageCms, TiffImagePlugin as T\nd = sys.argv[1] + '/'\n"
    let drawing = """
      y, x = n.mgrid[0:50, 0:70]
      p = n.stack([x * 3, y * 5, (x * y) % 256, 255 - x * 3], 2).astype('uint8')
      c = Image.fromarray(p, 'RGBA'); r = c.convert('RGB'); g = c.convert('L')
      """
    try OutsideTool.run(OutsideTool.python, ["-c", head + drawing + "\n" + script, folder.path])
  }

  private func read(_ name: String) throws -> Image { try DepthPhoto.read(folder.file(name)).image() }

  /// The largest difference between two pictures, including alpha, where both are visible.
  private func difference(_ a: Image, _ b: Image) -> Int {
    guard (a.width, a.height) == (b.width, b.height) else { return 999 }
    let (a, b) = (a.converted(to: .rgba8), b.converted(to: .rgba8))
    var worst = 0
    for y in 0..<a.height {
      let (one, other) = (a.row(y), b.row(y))
      for x in one.indices {
        let isSeen = x % 4 == 3 || one[x / 4 * 4 + 3] > 0 && other[x / 4 * 4 + 3] > 0
        if isSeen { worst = max(worst, abs(Int(one[x]) - Int(other[x]))) }
      }
    }
    return worst
  }

  /// Every way of storing the same pixels.
  @Test(.enabled(if: hasTools, needsTools)) func storage() throws {
    try pillow(
      """
      r.save(d + 'rgb.png'); c.save(d + 'rgba.png'); g.save(d + 'gray.png')
      r.save(d + 'rgb.tif'); c.save(d + 'rgba.tif'); g.save(d + 'gray.tif')
      """)
    let ways: [(String, [String])] = [
      ("tiles", ["-t", "-w", "32", "-l", "16"]), ("planes", ["-p", "separate"]),
      ("tiles-planes", ["-t", "-w", "16", "-l", "32", "-p", "separate", "-c", "lzw"]), ("reversed", ["-f", "lsb2msb"]),
      ("reversed-packed", ["-f", "lsb2msb", "-c", "lzw:2"]), ("big", ["-B", "-c", "zip:2"]), ("bigtiff", ["-8"]),
      ("rows", ["-r", "1", "-c", "packbits"]), ("lzma", ["-c", "lzma"]), ("zstd", ["-c", "zstd"]),
      ("big-planes", ["-B", "-8", "-p", "separate", "-r", "7", "-c", "zip"]),
    ]
    for kind in ["rgb", "rgba", "gray"] {
      let wanted = try read(kind + ".png")
      for (name, options) in ways {
        try OutsideTool.run("tiffcp", options + [folder.file(kind + ".tif"), folder.file("\(kind)-\(name).tif")])
        let found = try read("\(kind)-\(name).tif")
        #expect(difference(found, wanted) == 0 && found.alpha == wanted.alpha, "\(kind) \(name)")
      }
    }
    for (name, options) in [
      ("tiles", ["-t", "-w", "32", "-l", "16"]), ("planes", ["-p", "separate", "-r", "16"]),
      ("tiles-planes", ["-t", "-w", "16", "-l", "32", "-p", "separate"]), ("big", ["-B", "-r", "16"]),
      ("bigtiff", ["-8", "-r", "8"]),
    ] {
      try OutsideTool.run(
        "tiffcp", ["-c", "jpeg:r"] + options + [folder.file("rgb.tif"), folder.file("jpeg-\(name).tif")])
      #expect(try difference(read("jpeg-\(name).tif"), read("rgb.png")) < 60, "\(name)")
    }
  }

  /// Kinds of samples, compared with Pillow.
  @Test(.enabled(if: hasPillow, StillKindTests.needsPillow)) func kinds() throws {
    try pillow(
      """
      def put(name, i, s=None, **o):
        i.save(d + name + '.tif', **o); (s or Image.open(d + name + '.tif')).convert('RGBA').save(d + name + '.png')
      put('ycbcr', r, compression='jpeg', quality=95)
      put('ycbcr-rows', r, compression='jpeg', quality=90, tiffinfo={278: 16})
      put('inks', r.convert('CMYK'), compression='tiff_lzw')
      put('inks-jpeg', r.convert('CMYK'), compression='jpeg', quality=95)
      put('palette', r.quantize(200))
      put('bits', r.convert('1'), compression='group4')
      put('fax', r.convert('1'), compression='group3')
      put('white', g.convert('1'), compression='tiff_ccitt')
      put('opencv', r, tiffinfo={339: (1, 1, 1)})
      put('webp', c, compression='webp', quality=100) if False else None
      # The second page is the picture.
      small, whole = T.ImageFileDirectory_v2(), T.ImageFileDirectory_v2(); small[254] = 1; whole[254] = 0
      with T.AppendingTiffWriter(d + 'pages.tif', True) as f:
        r.resize((7, 5)).save(f, format='TIFF', tiffinfo=small); f.newFrame(); r.save(f, format='TIFF', tiffinfo=whole)
      r.save(d + 'pages.png')
      """)
    for name in [
      "ycbcr", "ycbcr-rows", "inks", "inks-jpeg", "palette", "bits", "fax", "white", "opencv", "pages",
    ] {
      let (found, wanted) = (try read(name + ".tif"), try read(name + ".png"))
      #expect(difference(found, wanted) <= 1, "\(name)")
    }
  }

  static let inkProfile = "/usr/share/color/icc/ghostscript/default_cmyk.icc"

  /// Inks with an embedded profile, media-relative with black point compensation.
  @Test(
    .enabled(
      if: hasTools && FileManager.default.fileExists(atPath: inkProfile),
      "needs Pillow, libtiff-tools and libgs-common: make setup-test"))
  func inksByTheirProfile() throws {
    try pillow(
      """
      p = open('\(Self.inkProfile)', 'rb').read()
      k = Image.frombytes('CMYK', c.size, c.tobytes())
      k.save(d + 'inks.tif', icc_profile=p)
      import io
      s = ImageCms.profileToProfile(k, ImageCms.ImageCmsProfile(io.BytesIO(p)), ImageCms.createProfile('sRGB'),
        renderingIntent=1, outputMode='RGB', flags=0x2000)
      s.save(d + 'inks.png')
      """)
    #expect(try difference(read("inks.tif"), read("inks.png")) <= 1)
    try OutsideTool.run("tiffcp", ["-p", "separate", folder.file("inks.tif"), folder.file("planes.tif")])
    #expect(try difference(read("planes.tif"), read("inks.png")) <= 1)
  }

  /// Pillow converts to CIELAB with LittleCMS. The expected colours use the formulas of CIE 15 and IEC 61966-2-1 in fractions, with ICC's
  /// D50 and Bradford's adaptation: LittleCMS interpolates a table in this direction, with errors of up to 5 levels.
  @Test(.enabled(if: hasPillow, StillKindTests.needsPillow)) func lab() throws {
    try pillow(
      """
      lab, srgb = ImageCms.createProfile('LAB'), ImageCms.createProfile('sRGB')
      s = Image.fromarray((60 + p[..., :3] // 2).astype('uint8'), 'RGB')
      l = ImageCms.profileToProfile(s, srgb, lab, outputMode='LAB'); l.save(d + 'lab.tif')
      v = n.asarray(Image.open(d + 'lab.tif')).astype(int)
      fy = (v[..., 0] * 100 / 255 + 16) / 116
      f = n.stack([fy + v[..., 1].astype('int8') / 500, fy, fy - v[..., 2].astype('int8') / 200], -1)
      xyz = n.where(f > 6 / 29, f ** 3, (f - 4 / 29) * 3 * (6 / 29) ** 2) * [0.9642, 1, 0.8249]
      to = n.linalg.inv([[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169], [0.0139322, 0.0971045, 0.7141733]])
      t = (xyz @ to.T).clip(0, 1)
      t = n.where(t <= 0.0031308, 12.92 * t, 1.055 * t ** (1 / 2.4) - 0.055)
      Image.fromarray((t * 255).round().astype('uint8'), 'RGB').save(d + 'lab.png')
      """)
    #expect(try difference(read("lab.tif"), read("lab.png")) <= 1)
  }

  /// Grey of few bits, in both byte orders and starting from black or white: codes spread evenly over all levels.
  @Test(arguments: [1, 2, 4, 10, 12, 14], [0, 1]) func fewBits(bits: Int, photometric: Int) throws {
    let (width, height, greatest) = (9, 3, (1 << bits) - 1)
    let codes = (0..<width * height).map { $0 * 37 & greatest }
    var rows: [UInt8] = []
    for y in 0..<height {
      let text = codes[y * width..<(y + 1) * width].map { code in
        String(repeating: "0", count: bits - String(code, radix: 2).count) + String(code, radix: 2)
      }.joined()
      let padded = text + String(repeating: "0", count: (8 - text.count % 8) % 8)
      for start in stride(from: 0, to: padded.count, by: 8) {
        rows.append(UInt8(padded.dropFirst(start).prefix(8), radix: 2) ?? 0)
      }
    }
    for order in [1, 2] {
      let stored =
        order == 1 ? rows : rows.map { byte in (0..<8).reduce(UInt8(0)) { $0 | (byte >> $1 & 1) << (7 - $1) } }
      let file = MadeStill.tiff(
        width, height, samples: 1, bits: 8, values: stored.map(Int.init),
        more: [258: bits, 262: photometric, 266: order, 279: stored.count])
      let image = try DepthPhoto.read(file).image()
      for (index, code) in codes.enumerated() {
        let light = photometric == 0 ? greatest - code : code
        let (x, y) = (index % width, index / width)
        if bits <= 8 {
          #expect(image.row(y)[x] == UInt8(light * 255 / greatest))
        } else {
          #expect(Int(image.plane(as: UInt16.self)[x, y]) == light * 65_535 / greatest)
        }
      }
    }
  }

  /// Palette indices with separate alpha, and 32-bit colours.
  @Test(.enabled(if: hasPillow, StillKindTests.needsPillow)) func paletteWithAlphaAndWideColours() throws {
    try pillow(
      """
      def tiff(name, tags, data, big=False):
        o = '>' if big else '<'; n_ = len(tags) + 1; at = 8 + 2 + 12 * n_ + 4; body, lists = b'', b''
        for t, k, v in sorted(tags + [(273, 4, [0])]):
          w = {3: 'H', 4: 'I'}[k]; raw = b''.join(struct.pack(o + w, a) for a in v)
          if t == 273: mark = len(body)
          if len(raw) > 4: at2 = at + len(lists); lists += raw; raw = struct.pack(o + 'I', at2)
          body += struct.pack(o + 'HHI', t, k, len(v)) + raw.ljust(4, b'\\0')
        body = body[:mark + 8] + struct.pack(o + 'I', at + len(lists)) + body[mark + 12:]
        open(d + name, 'wb').write((b'MM\\0*' if big else b'II*\\0') + struct.pack(o + 'IH', 8, n_) + body + b'\\0\\0\\0\\0' + lists + data)
      q = r.quantize(256); pal = (q.getpalette() + [0] * 768)[:768]
      pix = n.stack([n.asarray(q), p[..., 3]], 2).astype('uint8').tobytes()
      tiff('pa.tif', [(256, 3, [70]), (257, 3, [50]), (258, 3, [8, 8]), (259, 3, [1]), (262, 3, [3]), (277, 3, [2]), (278, 3, [50]),
        (279, 4, [7000]), (320, 3, [v * 257 for k in range(3) for v in pal[k::3]]), (338, 3, [2])], pix)
      v = q.convert('RGBA'); v.putalpha(c.getchannel('A')); v.save(d + 'pa.png')
      for big in (False, True):
        deep = (p[..., :3].astype('uint32') * 0x01010101).astype('>u4' if big else '<u4').tobytes()
        tiff('deep%d.tif' % big, [(256, 3, [70]), (257, 3, [50]), (258, 3, [32, 32, 32]), (259, 3, [1]), (262, 3, [2]), (277, 3, [3]),
          (278, 3, [50]), (279, 4, [42000])], deep, big)
      r.save(d + 'deep.png')
      """)
    #expect(try difference(read("pa.tif"), read("pa.png")) == 0 && read("pa.tif").alpha == .straight)
    for name in ["deep0.tif", "deep1.tif"] { #expect(try difference(read(name), read("deep.png")) == 0) }
  }

  /// The reader refuses a truncated file, and libtiff writes nothing to the terminal (Tests/CommandTests checks the output of a process).
  @Test(.enabled(if: hasTools, needsTools)) func cutFiles() throws {
    try pillow(
      "r.save(d + 'a.tif', compression='jpeg'); r.save(d + 'b.tif', compression='tiff_lzw'); g.convert('1').save(d + 'c.tif', compression='group4')"
    )
    for name in ["a.tif", "b.tif", "c.tif"] {
      let whole = try folder.bytes(name)
      _ = try DepthPhoto.read(whole).image()
      for count in Swift.stride(from: 4, to: whole.count - 1, by: 23) {
        // Data after the last strip is not needed.
        do throws(BackdropError) { _ = try DepthPhoto.read(Array(whole[..<count])).image() } catch {
          #expect(error.kind == .badData || error.kind == .unsupported, "\(error)")
        }
      }
      // Damage in packed samples is detected or changes pixels, but nothing worse.
      for at in Swift.stride(from: 8, to: whole.count, by: 17) {
        var bad = whole
        bad[at] ^= 0x5A
        _ = try? DepthPhoto.read(bad).image()
      }
    }
  }

  // MARK: - BMP

  private func bmp(
    bits: Int, packing: Int, header: Int = 40, height: Int = 2, masks: [UInt32] = [], palette: [[UInt8]] = [],
    pixels: [UInt8]
  ) -> [UInt8] {
    var writer = ByteWriter(order: .little)
    let behind = header == 40 ? 4 * masks.count : 0
    let start = 14 + header + behind + palette.count * 4
    writer.data("BM".utf8)
    for value in [start + pixels.count, 0, start, header, 4] { writer.uint32(value) }
    writer.number(UInt64(UInt32(bitPattern: Int32(height))), size: 4)
    writer.uint16(1)
    writer.uint16(bits)
    for value in [packing, pixels.count, 2835, 2835, palette.count, 0] { writer.uint32(value) }
    for mask in masks { writer.uint32(Int(mask)) }
    writer.data([UInt8](repeating: 0, count: max(0, start - palette.count * 4 - writer.bytes.count)))
    for color in palette { writer.data(color + [0]) }
    writer.data(pixels)
    return writer.bytes
  }

  private func pixels(_ file: [UInt8]) throws -> [[UInt8]] {
    let image = try DepthPhoto.read(file).image().converted(to: .rgba8)
    return (0..<image.height).flatMap { y in
      (0..<image.width).map { x in (0..<4).map { image.row(y)[4 * x + $0] } }
    }
  }

  /// The fourth byte is alpha only if a mask declares it and it is not 0 everywhere.
  @Test func fourthByte() throws {
    let words: [UInt8] = (0..<8).flatMap { index -> [UInt8] in [index, 20, 30, index * 30] }
    let zeros: [UInt8] = (0..<8).flatMap { index -> [UInt8] in [index, 20, 30, 0] }
    let masks: [UInt32] = [0xFF0000, 0xFF00, 0xFF]
    for file in [
      bmp(bits: 32, packing: 0, pixels: words), bmp(bits: 32, packing: 0, pixels: zeros),
      bmp(bits: 32, packing: 3, masks: masks, pixels: words),
      bmp(bits: 32, packing: 3, header: 56, masks: masks + [0], pixels: words),
      bmp(bits: 32, packing: 3, header: 56, masks: masks + [0xFF00_0000], pixels: zeros),
    ] {
      let found = try pixels(file)
      #expect(found[0] == [30, 20, 4, 255] && found[7] == [30, 20, 3, 255])
      #expect(try DepthPhoto.read(file).image().alpha == .opaque)
    }
    for header in [56, 108, 124] {
      let file = bmp(bits: 32, packing: 3, header: header, masks: masks + [0xFF00_0000], pixels: words)
      #expect(try pixels(file)[5] == [30, 20, 1, 30] && DepthPhoto.read(file).image().alpha == .straight)
    }
    #expect(try pixels(bmp(bits: 32, packing: 6, masks: masks + [0xFF00_0000], pixels: words))[4] == [30, 20, 0, 0])
    // The topmost row first.
    #expect(try pixels(bmp(bits: 32, packing: 0, height: -2, pixels: words))[0] == [30, 20, 0, 255])
  }

  /// 5 and 6 bits spread over all levels.
  @Test func sixteenBits() throws {
    let words: [UInt16] = [0xF800, 0x07E0, 0x001F, 0x7BEF, 0, 0xFFFF, 0x0400, 0x0010]
    let bytes = words.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let found = try pixels(bmp(bits: 16, packing: 3, masks: [0xF800, 0x07E0, 0x001F], pixels: bytes))
    #expect(
      found[4...].elementsEqual([[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [123, 125, 123, 255]]))
    #expect(found[2] == [0, 130, 0, 255] && found[3] == [0, 0, 132, 255])
    #expect(try pixels(bmp(bits: 16, packing: 0, pixels: bytes))[5] == [8, 255, 0, 255])
  }

  /// Runs, single indices, steps and ends of rows; skipped pixels get the first colour.
  @Test func runs() throws {
    let palette = (0..<16).map { [UInt8($0), 0, UInt8(200 - $0)] }
    func reds(_ file: [UInt8]) throws -> [UInt8] { try pixels(file).map { 200 - $0[0] } }
    let eight: [UInt8] = [3, 7, 0, 0, 0, 3, 1, 2, 3, 0, 0, 1]
    #expect(try reds(bmp(bits: 8, packing: 1, palette: palette, pixels: eight)) == [1, 2, 3, 0, 7, 7, 7, 0])
    let four: [UInt8] = [3, 0x56, 0, 2, 0, 1, 1, 0x90, 0, 1]
    #expect(try reds(bmp(bits: 4, packing: 2, palette: palette, pixels: four)) == [0, 0, 0, 9, 5, 6, 5, 0])
    let wide: [UInt8] = [9, 4, 0, 0, 4, 5, 0, 1]
    #expect(try reds(bmp(bits: 8, packing: 1, palette: palette, pixels: wide)) == [5, 5, 5, 5, 4, 4, 4, 4])
    #expect(
      refusal { try pixels(bmp(bits: 8, packing: 1, palette: palette, pixels: [4, 5, 0])) }?.message
        == "the BMP ends early")
    let high: [UInt8] = [4, 1, 0, 0, 4, 2, 0, 0, 4, 3, 0, 1]
    #expect(throws: BackdropError.self) { try pixels(bmp(bits: 8, packing: 1, palette: palette, pixels: high)) }
  }
}
