import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// JPEG files of four components: which samples mean ink, and what the marks of Adobe and JFIF change.
@Suite struct InkJPEGTests {
  let folder = TemporaryFolder()
  static let profile = "/usr/share/color/icc/ghostscript/default_cmyk.icc"
  static let hasPillow = OutsideTool.succeeds(OutsideTool.python, ["-c", "from PIL import ImageCms"])
  static let needsPillow: Comment = "needs Pillow: make setup-test"

  /// Writes each file, and beside it the colours that Pillow 13 shows: Pillow takes all four-component files as inverted inks, and leaves
  /// to libjpeg whether the first three are Y′CbCr.
  private static let script = #"""
    import io, itertools, os, sys
    from PIL import Image, ImageCms
    folder, profile = sys.argv[1], open(sys.argv[2], 'rb').read() if os.path.exists(sys.argv[2]) else None
    colors = [(255, 255, 255), (255, 0, 0), (0, 255, 0), (0, 0, 255), (128, 128, 128), (200, 150, 60), (0, 0, 0), (30, 200, 220)]
    bars = Image.new('RGB', (64, 16))
    for i, c in enumerate(colors): bars.paste(c, (8 * i, 0, 8 * i + 8, 16))

    def segments(data):
      at, found = 2, []
      while data[at + 1] != 0xDA:
        size = data[at + 2] << 8 | data[at + 3]
        found.append((data[at + 1], data[at + 4:at + 2 + size])); at += 2 + size
      return found, data[at:]

    def segment(marker, data): return bytes([0xFF, marker]) + (len(data) + 2).to_bytes(2, 'big') + data

    marks = {'none': None, 'short': b'Adobe\0\x64\0\0'}
    for name, version, transform in [('0', 100, 0), ('1', 100, 1), ('2', 100, 2), ('7', 100, 7), ('v101', 101, 0)]:
      marks[name] = b'Adobe' + version.to_bytes(2, 'big') + bytes(4) + bytes([transform])
    exif = b'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\3\0\1\0\0\0\1\0\0\0\0\0\0\0'
    for progressive, icc, mark, jfif, ids in itertools.product((0, 1), (0, 1), marks, (0, 1), (0, 1)):
      if icc and not profile: continue
      out = io.BytesIO()
      bars.convert('CMYK').save(
        out, 'JPEG', quality=98, progressive=bool(progressive), **({'icc_profile': profile} if icc else {}))
      head, rest = segments(out.getvalue())
      head = [s for s in head if s[0] not in (0xE0, 0xEE)]
      if marks[mark]: head.insert(0, (0xEE, marks[mark]))
      if jfif: head[:0] = [(0xE0, b'JFIF\0\1\2\1\0\x48\0\x48\0\0'), (0xE1, exif)]
      data = b'\xff\xd8' + b''.join(segment(*s) for s in head) + rest
      if ids:
        # Components numbered from 1, in the frame's header and in every scan, in place of the letters C, M, Y and K.
        data = bytearray(data); at = 2
        while at < len(data) - 4:
          if data[at] != 0xFF or data[at + 1] in (0, 0xFF): at += 1; continue
          if data[at + 1] in (0xC0, 0xC2):
            for c in range(4): data[at + 10 + 3 * c] = 1 + c
          elif data[at + 1] == 0xDA:
            for c in range(data[at + 4]): data[at + 5 + 2 * c] = 1 + b'CMYK'.index(data[at + 5 + 2 * c])
          at += 2 + (data[at + 2] << 8 | data[at + 3]) if data[at + 1] != 0xD8 else 2
        data = bytes(data)
      name = f"{folder}/{'progressive' if progressive else 'baseline'}-{'icc' if icc else 'plain'}-{mark}-{'jfif' if jfif else 'bare'}-{'numbers' if ids else 'letters'}"
      open(name + '.jpg', 'wb').write(data)
      shown = Image.open(name + '.jpg'); assert shown.mode == 'CMYK'
      if icc:
        shown = ImageCms.profileToProfile(
          shown, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile('sRGB'), renderingIntent=1,
          outputMode='RGB', flags=0x2000)
      open(name + '.rgb', 'wb').write(shown.convert('RGB').tobytes())
    """#

  @Test(.enabled(if: hasPillow, needsPillow)) func everyMixtureOfMarks() throws {
    try OutsideTool.run(OutsideTool.python, ["-c", Self.script, folder.path, Self.profile])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".jpg") }
    #expect(names.count == (FileManager.default.fileExists(atPath: Self.profile) ? 112 : 56))
    for name in names.sorted() {
      let found = try JPEG.decode(InputFile.read(folder.file(name)), as: .rgb8)
      let wanted = Array(
        try Data(contentsOf: URL(fileURLWithPath: folder.file(String(name.dropLast(4)) + ".rgb"))))
      let worst = zip(found.packedBytes, wanted).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(worst <= 1 && found.color.space == .sRGB, "\(name): \(worst)")
    }
  }

  /// FFmpeg has its own decoder, and reads files without a mark in the same way.
  @Test(.enabled(if: hasPillow && MediaTool.isPresent, "needs Pillow and FFmpeg: make setup-test"))
  func anotherDecoderAgrees() throws {
    try OutsideTool.run(OutsideTool.python, ["-c", Self.script, folder.path, Self.profile])
    for mark in ["none", "0", "short"] {
      let path = folder.file("baseline-plain-\(mark)-bare-letters.jpg")
      let found = try JPEG.decode(InputFile.read(path), as: .rgb8).packedBytes
      let wanted = try MediaTool.pixels(path, "rgb24")
      // FFmpeg divides by 256 in place of 255.
      #expect((zip(found, wanted).map { abs(Int($0) - Int($1)) }.max() ?? 255) <= 3, "\(mark)")
    }
  }

  /// A profile of three channels does not describe inks.
  @Test func anotherProfileIsIgnored() throws {
    let profile = try #require(ColorSpace.adobeRGB.profileBytes(forGray: false))
    let marked = try InkPicture.bytes[..<2] + JPEGStructure.segments(ofProfile: profile) + InkPicture.bytes[2...]
    let (plain, found) = (try JPEG.decode(InkPicture.bytes), try JPEG.decode(Array(marked)))
    #expect(found.color.space == .sRGB && found.packedBytes == plain.packedBytes)
  }
}
