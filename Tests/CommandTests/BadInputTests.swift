import Foundation
import TestSupport
import Testing

/// Files that are missing, damaged, of another kind or too large cause one line, a hint and status 2, and nothing is left behind.
@Suite struct BadInputTests {
  let work = Workplace()

  /// A bad file, and a part of the error for it.
  struct Odd: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var says: String
    var testDescription: String { "\(name), \(bytes.count) bytes: \(says)" }

    init(_ name: String, _ bytes: [UInt8], _ says: String) {
      (self.name, self.bytes, self.says) = (name, bytes, says)
    }
    init(_ name: String, _ text: String, _ says: String) { self.init(name, Array(text.utf8), says) }
  }

  static let odd: [Odd] = [
    Odd("words.png", "these are only words\n", "this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"),
    Odd("words.heic", "these are only words\n", "this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"),
    Odd("words.tif", "these are only words\n", "this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"),
    Odd("words.txt", "these are only words\n", "not a video file"),
    Odd("photo.heic", [0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8), "HEIC"),
    Odd("photo.jpg", [0, 0, 0, 24] + Array("ftypmif1\0\0\0\0mif1heic".utf8), "HEIC"),
    Odd("photo.avif", [0, 0, 0, 24] + Array("ftypavif\0\0\0\0mif1avif".utf8), "AVIF"),
    Odd("photo.gif", "GIF89a", "damaged"),
    Odd("photo.webp", "RIFF\u{24}\0\0\0WEBPVP8 ", "WebP"),
    Odd("paper.pdf", "%PDF-1.4\n", "PDF"),
    Odd("raw.raf", "FUJIFILMCCD-RAW 0201FF389501", "a Fujifilm raw file (RAF)"),
    Odd("raw.cr3", "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "a Canon raw file (CR3)"),
    Odd("raw.cr2", "II*\0\u{10}\0\0\0CR\u{2}\0", "a Canon raw file (CR2)"),
    Odd("photo.jp2", "\0\0\0\u{C}jP  \r\n", "a JPEG 2000 picture"),
    Odd("photo.ppm", "P6\n2 1\n255\n123456", "a PPM, PGM, PBM or PAM picture"),
    Odd("photo.bpg", [0x42, 0x50, 0x47, 0xFB, 0, 0], "a BPG picture"),
    Odd("zero.png", [], "the file is empty"),
    Odd("zero.mp4", [], "the file is empty"),
    Odd("list.m3u8", "#EXTM3U\n#EXTINF:2,\nhttp://127.0.0.1:9/a.ts\n", "not a video file"),
    Odd("huge.png", pngHeader(width: 40_000, height: 40_000), "40000×40000"),
    Odd("negative.png", pngHeader(width: 0xFFFF_FFFF, height: 1), "negative.png"),
    Odd("flat.png", pngHeader(width: 0, height: 7), "flat.png"),
  ]

  @Test(arguments: odd) func asInput(file: Odd) throws {
    try work.write(file.bytes, file.name)
    try work.depth("d.png")
    try work.depth("depth/1.png")
    let depth = file.name.hasSuffix("g") && !file.name.contains("m3u8") ? "d.png" : "depth"
    try work.refuse("replace \(file.name) --depth \(depth) -o out.png", says: file.says, path: file.name)
  }

  @Test(arguments: odd) func asBackground(file: Odd) throws {
    try work.write(file.bytes, file.name)
    try work.refuse(
      "replace sim:?size=64x48 --background \(file.name) -o out.mp4",
      // A background may be HEIC, but not one that ends after its first box.
      says: file.says == "HEIC" ? "no pictures" : file.says, path: file.name)
  }

  @Test(arguments: odd) func asDepth(file: Odd) throws {
    try work.write(file.bytes, file.name)
    try work.picture("p.png")
    let before = try work.snapshot()
    let outcome = try work.run("replace p.png --matte depth --depth \(file.name) -o out.png")
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: ") && outcome.errors.contains("hint: "))
    #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains(": \(file.name)\n"), "\(outcome.errors)")
    #expect(try work.snapshot() == before)
  }

  @Test(arguments: ["p.png", "p.jpg"], [0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0])
  func cutPictures(name: String, part: Double) throws {
    try work.pair()
    let whole = try work.data(name)
    // At least one byte must be missing.
    let length = min(max(2, Int(Double(whole.count) * part)), whole.count - 1)
    try work.write(whole.prefix(length), name)
    let says = name.hasSuffix("png") ? length < 4 ? "not a PNG" : "the PNG " : "the JPEG "
    try work.refuse("replace \(name) --depth d.png -o out.png", says: says, path: name)
    // Recognizing a background takes more of its first bytes.
    try work.refuse(
      "replace sim:?size=64x48 --background \(name) -o out.png", says: name.hasSuffix("png") ? "PNG" : "JPEG",
      path: name)
  }

  @Test(arguments: [0.05, 0.3, 0.6, 0.95]) func cutDepth(part: Double) throws {
    try work.pair()
    let whole = try work.data("d.png")
    try work.write(whole.prefix(Int(Double(whole.count) * part)), "d.png")
    try work.refuse("replace p.png --depth d.png -o out.png", says: "PNG", path: "d.png")
  }

  @Test func hugeJPEG() throws {
    try work.pair()
    var bytes = [UInt8](try work.data("p.jpg"))
    // The frame header: marker, length (2), precision (1), height (2), width (2); ISO/IEC 10918-1, B.2.2.
    let start = try #require(bytes.indices.dropLast(9).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    for (offset, byte) in [0x9C, 0x40, 0x9C, 0x40].enumerated() { bytes[start + 5 + offset] = UInt8(byte) }
    try work.write(bytes, "p.jpg")
    try work.refuse("replace p.jpg --depth d.png -o out.png", says: "40000×40000", path: "p.jpg")
  }

  @Test func cutVideo() throws {
    try work.clip("v.mp4")
    try work.depthFolder("depth", 12, 64, 48)
    let whole = try work.data("v.mp4")
    for length in [7, 40, 400, whole.count / 2, whole.count - 200] {
      try work.write(whole.prefix(length), "cut.mp4")
      let says = length > whole.count / 2 ? "before the first frame" : "moov"
      try work.refuse("replace cut.mp4 --depth depth -o out.mp4", says: says, path: "cut.mp4")
      try work.refuse("replace sim:?size=64x48 --background cut.mp4 -o out.mp4", says: says, path: "cut.mp4")
    }
  }

  /// With the index at its beginning, a truncated file returns the frames that it contains, and the command warns.
  @Test func cutStream() throws {
    try work.clip("v.mp4", "-movflags +faststart")
    try work.depthFolder("depth", 12, 64, 48)
    let whole = try work.data("v.mp4")
    try work.write(whole.prefix(whole.count * 6 / 10), "cut.mp4")
    let outcome = try work.succeed("replace cut.mp4 --matte depth --depth depth -o out.mp4")
    #expect(outcome.errors.contains("warning: the video ends early"))
    let frames = Int(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] ?? "") ?? 0
    #expect(frames > 0 && frames < 12)
  }

  @Test func depthThatDoesNotFit() throws {
    try work.pair()
    try work.depth("square.png", 48, 48)
    try work.depth("holes.png", 64, 48, 0)
    try work.makeFolder("folder")
    try work.refuse("replace p.png --depth square.png -o out.png", says: "different aspect ratios", path: "square.png")
    try work.refuse("replace p.png --depth holes.png -o out.png", says: "only holes", path: "holes.png")
    try work.refuse("replace p.png --depth p.png -o out.png", says: "16-bit grey", path: "p.png")
    try work.refuse("replace p.png --depth folder -o out.png", says: "a folder", path: "folder")
    try work.refuse("replace p.png --depth none.png -o out.png", says: "no such file", path: "none.png")
    try work.refuse("replace p.png -o out.png --matte depth", says: "has no depth", path: "p.png")
    try work.refuse("matte p.png -o out.png --matte depth", says: "has no depth", path: "p.png")
    try work.refuse("replace sim: --depth d.png -o out.png", says: "depth of its own")
    for scale in ["0", "-5", "nan", "inf"] {
      try work.refuse("replace p.png --depth d.png --depth-scale \(scale) -o out.png", says: "depth scale")
    }
    // The hint about the aspect ratio helps.
    try work.succeed("replace p.png --matte depth --depth square.png --any-aspect -o out.png")
  }

  @Test func depthOfVideosThatDoesNotFit() throws {
    try work.clip("v.mp4")
    try work.depth("d.png")
    try work.makeFolder("empty")
    try work.depthFolder("square", 12, 48, 48)
    try work.depthFolder("holes", 12, 64, 48, 0)
    try work.refuse("replace v.mp4 -o out.mp4 --matte depth", says: "has no depth", path: "v.mp4")
    try work.refuse("replace v.mp4 --depth d.png -o out.mp4", says: "a folder of pictures", path: "d.png")
    try work.refuse("replace v.mp4 --depth none -o out.mp4", says: "no such folder", path: "none")
    try work.refuse("replace v.mp4 --depth empty -o out.mp4", says: "no depth pictures", path: "empty")
    try work.refuse("replace v.mp4 --depth square -o out.mp4", says: "different aspect ratios", path: "square/001.png")
    try work.refuse("replace v.mp4 --depth holes -o out.mp4", says: "no frame has usable depth", path: "v.mp4")
  }

  @Test func folders() throws {
    try work.makeFolder("empty")
    try work.refuse("replace empty -o out.mp4", says: "no colour picture has a depth picture", path: "empty")
    try work.refuse("replace none -o out.mp4", says: "no such file", path: "none")
    try work.refuse("replace none/ -o out.mp4", says: "no such file", path: "none/")
    try work.refuse(
      "replace sim:?size=64x48 --background empty -o out.mp4", says: "this folder is not a recording", path: "empty")
  }

  // MARK: - YUV4MPEG2

  static let headers: [(String, String)] = [
    ("", "the stream is empty"), ("hello\n", "YUV4MPEG2"), ("YUV4MPEG2 W64 H48", "no end"),
    ("YUV4MPEG2 W64\n", "the size is missing"), ("YUV4MPEG2 W0 H48 F30:1\n", "a size"),
    ("YUV4MPEG2 W64 H-48 F30:1\n", "a size"), ("YUV4MPEG2 W64 H48 F30\n", "a ratio"),
    ("YUV4MPEG2 W64 H48 F30:1 C420p10\n", "420p10"), ("YUV4MPEG2 W40000 H40000 F30:1\n", "40000×40000"),
    (String(repeating: "Y", count: 5000), "no end"), ("YUV4MPEG2 W64 H48 F30:1\nFRAMES\n", "expected FRAME"),
  ]

  @Test(arguments: headers) func unreadableStream(text: String, says: String) throws {
    try work.depthFolder("depth", 3, 64, 48)
    try work.refuse("replace - --depth depth -o out.mp4", says: says, input: Data(text.utf8))
  }

  @Test func streamThatEndsInsideAFrame() throws {
    try work.depthFolder("depth", 3, 64, 48)
    var stream = Data("YUV4MPEG2 W64 H48 F30:1\n".utf8)
    let frame = Data("FRAME\n".utf8) + Data(repeating: 128, count: 64 * 48 * 3 / 2)
    // Not even one complete frame.
    try work.refuse("replace - --depth depth -o out.mp4", says: "no frame to use", input: stream + frame.prefix(1000))
    stream += frame + frame + frame.prefix(3000)
    let outcome = try work.succeed("replace - --matte depth --depth depth -o out.mp4 --json", input: stream)
    #expect(outcome.errors.contains("warning: the stream ends in the middle of a frame"))
    #expect(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] == "2")
    try work.refuse("replace - -o none.mp4 --matte depth", says: "has no depth", input: stream)
  }

  /// A PNG signature and header with a correct checksum (PNG specification, 5.2 and 11.2.2).
  static func pngHeader(width: UInt32, height: UInt32) -> [UInt8] {
    let size = MadePNG.word(Int(width)) + MadePNG.word(Int(height))
    return MadeArchive.joined(
      MadePNG.signature, MadePNG.chunk("IHDR", size + [8, 2, 0, 0, 0]),
      MadePNG.chunk("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]), MadePNG.chunk("IEND", []))
  }
}

extension Workplace {
  /// Twelve frames of 64 × 48 at 25 a second.
  func clip(_ name: String, _ options: String = "") throws {
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 12 -c:v libx264 -g 4 -pix_fmt yuv420p \(options)", path(name))
  }
}
