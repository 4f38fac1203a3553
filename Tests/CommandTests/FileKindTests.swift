import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// WebP, AVIF, TIFF and BMP in, WebP and AVIF out, with the built command.
@Suite struct FileKindTests {
  let work = Workplace()
  static let hasPillow = OutsideTool.succeeds(
    OutsideTool.python, ["-c", "from PIL import features; assert features.check('avif') and features.check('webp')"])

  @Test(arguments: ["webp", "avif"]) func pictures(fileExtension: String) throws {
    try work.pair()
    try work.succeed(
      "replace p.png --matte depth --depth d.png -o near.\(fileExtension) --background #00ff00 --lossless")
    try work.succeed("replace near.\(fileExtension) --matte depth --depth d.png -o again.png")
    #expect(
      try work.color("near.\(fileExtension)", x: 5, y: 5) == [255, 0, 0]
        && work.color("again.png", x: 5, y: 5) == [255, 0, 0])
    try work.depth("far.png", 64, 48, 800, right: 5000)
    try work.succeed("replace p.png --matte depth --depth far.png -o cut.\(fileExtension) --background none")
    let cut = try Picture.load(work.path("cut.\(fileExtension)"))
    #expect(cut.alpha == .straight && cut.row(20)[4 * 4 + 3] == 255 && cut.row(20)[4 * 60 + 3] == 0)
    // The file as a background.
    try work.succeed("replace p.png --matte depth --depth far.png -o on.png --background near.\(fileExtension)")
    #expect(try work.color("on.png", x: 60, y: 20) == [255, 0, 0])
    try work.succeed("replace sim:?size=64x48&seconds=0.1 --matte depth -o n/%02d.\(fileExtension) --background none")
    #expect(
      try work.names("n") == [
        "01.\(fileExtension)", "02.\(fileExtension)", "03.\(fileExtension)",
      ])
    #expect(try Picture.load(work.path("n/02.\(fileExtension)")).alpha == .straight)
  }

  @Test(.enabled(if: hasPillow, "needs Pillow with AVIF: make setup-test")) func tiffAndBMP() throws {
    try work.pair()
    try work.depth("far.png", 64, 48, 800, right: 5000)
    let script =
      "import sys; from PIL import Image; i = Image.new('RGB', (64, 48), (0, 0, 200)); d = sys.argv[1]; "
      + "i.save(d + '/b.tif', compression='tiff_lzw'); i.save(d + '/b.bmp')"
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path])
    for name in ["b.tif", "b.bmp"] {
      try work.succeed("replace p.png --matte depth --depth far.png -o \(name).png --background \(name)")
      #expect(try work.color("\(name).png", x: 60, y: 20) == [0, 0, 200])
      try work.succeed("photo inspect \(name)")
      try work.write(try work.data(name).prefix(300), "cut-" + name)
      try work.refuse(
        "replace p.png --matte depth --depth far.png -o x.png --background cut-\(name)", says: "ends",
        path: "cut-" + name)
    }
  }

  /// Red inks, without and with Adobe's marker, as a background, and as an input whose person stays as it is.
  @Test(.enabled(if: hasPillow, "needs Pillow with AVIF: make setup-test")) func inks() throws {
    let script = """
      import io, sys; from PIL import Image; d = sys.argv[1]; f = io.BytesIO()
      Image.new('CMYK', (64, 48), (0, 255, 255, 0)).save(f, 'JPEG', quality=95)
      b = f.getvalue(); at = b.index(b'\\xff\\xee'); open(d + '/with.jpg', 'wb').write(b)
      open(d + '/without.jpg', 'wb').write(b[:at] + b[at + 2 + b[at + 3]:])
      """
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path])
    try work.picture("p.png", 64, 48)
    try work.depth("near.png", 64, 48, 800)
    try work.depth("far.png", 64, 48, 800, right: 5000)
    for name in ["with", "without"] {
      try work.succeed("replace p.png --matte depth --depth far.png -o \(name)-b.png --background \(name).jpg")
      try work.succeed("replace \(name).jpg --matte depth --depth near.png -o \(name)-i.png --background navy")
      try work.succeed("replace \(name).jpg --matte depth --depth near.png -o \(name)-j.jpg --background navy")
      for result in ["\(name)-b.png", "\(name)-i.png", "\(name)-j.jpg"] {
        let found = try work.color(result, x: 60, y: 20)
        #expect(found[0] > 250 && found[1] < 5 && found[2] < 5, "\(result): \(found)")
      }
    }
  }

  /// A burst is several pictures, and a sequence has a track; a thumbnail and an alpha picture are not pictures of their own.
  @Test(
    .enabled(
      if: OutsideTool.succeeds(OutsideTool.python, ["-c", "import pillow_heif"]), "needs pillow-heif: make setup-test"))
  func bursts() throws {
    let script = """
      import struct, sys, pillow_heif; from PIL import Image; d = sys.argv[1]
      def save(name, pictures, **options):
        heif = pillow_heif.from_pillow(pictures[0])
        for p in pictures[1:]: heif.add_from_pillow(p)
        heif.save(d + '/' + name, quality=90, **options)
      c = [Image.new('RGB', (64, 48), '#19b43c') for n in range(3)]
      for i, n in zip(c, ('#c80000', '#c8c8c8', '#0000c8')): i.paste(n, (20, 12, 44, 48))
      save('burst.heic', c, primary_index=1)
      a = c[0].copy(); a.putalpha(Image.linear_gradient('L').resize((64, 48)))
      save('alpha.heic', [a]); save('one.heic', c[:1])
      box = lambda kind, data: struct.pack('>I4s', 8 + len(data), kind) + data
      full = lambda kind, data: box(kind, bytes(4) + data)
      table = box(b'stbl', full(b'stsz', struct.pack('>II', 0, 2) + struct.pack('>II', 9, 9)))
      media = box(b'mdia', full(b'hdlr', bytes(4) + b'pict' + bytes(13)) + box(b'minf', table))
      open(d + '/sequence.heic', 'wb').write(open(d + '/one.heic', 'rb').read() + box(b'moov', box(b'trak', media)))
      """
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path])
    for (name, count) in [("burst", 3), ("alpha", 1), ("one", 1), ("sequence", 2)] {
      let outcome = try work.run("replace \(name).heic --matte chroma -o \(name).png --background navy")
      let says = "warning: the file holds \(count) pictures; Backdrop uses only the main one"
      #expect(
        outcome.errors.contains(says) == (count > 1) && outcome.errors.contains("pictures;") == (count > 1),
        "\(outcome.errors)")
    }
    // The main picture is the second, whose figure is grey.
    let found = try work.color("burst.png", x: 32, y: 40)
    #expect(found.allSatisfy { abs($0 - 200) < 12 }, "\(found)")
  }

  /// An animated PNG is a video; as a background it moves.
  @Test(.enabled(if: hasPillow, "needs Pillow with AVIF: make setup-test")) func movingPNG() throws {
    let script =
      "import sys; from PIL import Image; f = [Image.new('RGB', (64, 48), c) for c in ('#c80000', '#00c800', '#0000c8')]; "
      + "f[0].save(sys.argv[1] + '/m.png', save_all=True, append_images=f[1:], duration=100)"
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path])
    try work.succeed(
      "replace sim:?size=64x48&seconds=0.4 --matte depth --cutoff 0.3 --no-face -o n/%02d.png --background m.png")
    // Thirty pictures a second: at 0, 0.13 and 0.23 s.
    for (number, color) in [("01", [200, 0, 0]), ("05", [0, 200, 0]), ("08", [0, 0, 200])] {
      let found = try work.color("n/\(number).png", x: 1, y: 1)
      #expect(zip(found, color).allSatisfy { abs(Int($0) - $1) < 4 }, "\(number): \(found)")
    }
    try work.succeed("photo inspect m.png")
  }

  /// The command reports which eye's picture was used, and either can be selected.
  @Test(.enabled(if: hasPillow, "needs Pillow with AVIF: make setup-test")) func eyes() throws {
    let script = """
      import sys, struct
      from PIL import Image
      f = [Image.new('RGB', (64, 48), c) for c in ('#c80000', '#0000c8')]; p = sys.argv[1] + '/s.mpo'
      f[0].save(p, format='MPO', save_all=True, append_images=f[1:], quality=95)
      b = bytearray(open(p, 'rb').read()); at = b.index(b'MPF\\0') + 4; o = '<' if b[at:at + 2] == b'II' else '>'
      u = lambda k, i: struct.unpack(o + k, b[i:i + struct.calcsize(k)])[0]
      first = at + u('I', at + 4)
      for t in range(first + 2, first + 2 + 12 * u('H', first), 12):
        if u('H', t) == 0xB002:
          for e in (0, 1): b[at + u('I', t + 8) + 16 * e:][:4]; i = at + u('I', t + 8) + 16 * e; b[i:i + 4] = struct.pack(o + 'I', 0x20002)
      open(p, 'wb').write(b)
      """
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path])
    #expect(try work.run("photo inspect s.mpo").text.contains("left eye's"))
    for (flags, color) in [("", [200, 0, 0]), ("--eye left", [200, 0, 0]), ("--eye right", [0, 0, 200])] {
      try work.succeed("photo extract s.mpo --save-picture e.png --force \(flags)")
      let found = try work.color("e.png", x: 20, y: 20)
      #expect(zip(found, color).allSatisfy { abs(Int($0) - $1) < 6 }, "\(flags): \(found)")
    }
    try work.refuse("photo extract e.png --save-picture f.png --eye left", says: "not a stereo pair", path: "e.png")
    try work.refuse("replace sim: -o x.png --eye middle", says: "eye")
  }

  @Test(arguments: [
    ("-o x.jpg --lossless", "Backdrop does not write JPEG pictures without loss"),
    ("-o x.mp4 --lossless", "lossless output is for pictures"),
    ("-o x.webp --lossless --photo-quality 5", "has no quality to set"),
    ("-o x.webp --photo-quality 0", "out of range"),
    ("-o x.jpg --background none", "a JPEG picture cannot be transparent"),
    ("-o x.avif --limit-memory 300MB", "of memory"), ("-o x.jxl", "Backdrop does not write pictures as .jxl"),
    ("-o x.tif", "Backdrop does not write pictures as .tif"), ("-o x.xyz", "Backdrop does not write videos as .xyz"),
    ("-o x", "the output's name has no file extension"),
  ])
  func refusals(flags: String, says: String) throws {
    try work.pair()
    try work.refuse("replace p.png --depth d.png \(flags)", says: says)
  }

  /// Hints name every file type.
  @Test func hints() throws {
    try work.pair()
    let outcome = try work.run("replace p.png --matte depth --depth d.png -o x.xyz")
    #expect(
      outcome.errors.contains(
        "hint: end the name in .png, .jpg, .heic, .webp or .avif for a picture, .mp4, .mov, .mkv or .webm for a video"),
      "\(outcome.errors)")
    let help = try work.run("replace --help").output
    let text = String(decoding: help, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains(".webp or .avif"))
  }
}
