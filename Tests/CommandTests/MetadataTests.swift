import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Results have the photo's metadata, compared with ExifTool, and its orientation applied, compared with Pillow.
@Suite(
  .enabled(
    if: OutsideTool.isPresent("exiftool")
      && OutsideTool.succeeds(OutsideTool.python, ["-c", "import PIL, pillow_heif"]),
    "needs ExifTool, Pillow and pillow-heif: make setup-test"))
struct MetadataTests {
  let work = Workplace()

  func tags(_ name: String) throws -> [String: Any] {
    let data = try OutsideTool.run("exiftool", ["-j", "-n", "-G0", "-a", work.path(name)])
    return try #require((JSONSerialization.jsonObject(with: data) as? [[String: Any]])?.first)
  }

  func picture(_ name: String) throws {
    try work.picture(name)
    try work.depth("far.png", 64, 48, 800, right: 5000)
  }

  /// Each file type stores the IPTC data, comment and density of a JPEG file in its own fields, or in EXIF.
  @Test(arguments: ["jpg", "png", "webp", "avif", "heic"]) func textsAndDensity(fileExtension: String) throws {
    try picture("p.jpg")
    try OutsideTool.run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-IPTC:Keywords=one", "-IPTC:Keywords=two", "-IPTC:Caption-Abstract=what it is",
        "-Comment=said about it", "-JFIF:XResolution=300", "-JFIF:YResolution=240", "-JFIF:ResolutionUnit=inches",
        work.path("p.jpg"),
      ])
    let outcome = try work.succeed(
      "replace p.jpg --matte depth --depth far.png --background #0000a0 -o x.\(fileExtension)")
    #expect(!outcome.errors.contains("left out"), "\(outcome.errors)")
    let found = try tags("x.\(fileExtension)")
    #expect(found["IPTC:Keywords"] as? [String] == ["one", "two"], "\(found)")
    #expect(found["IPTC:Caption-Abstract"] as? String == "what it is")
    let comment = ["jpg": "File:Comment", "png": "PNG:Comment"][fileExtension] ?? "EXIF:UserComment"
    #expect(found[comment] as? String == "said about it", "\(found)")
    switch fileExtension {
    case "jpg": #expect(found["JFIF:XResolution"] as? Int == 300 && found["JFIF:YResolution"] as? Int == 240)
    // 300 and 240 pixels for each inch, converted to metres.
    case "png": #expect(found["PNG:PixelsPerUnitX"] as? Int == 11_811 && found["PNG:PixelsPerUnitY"] as? Int == 9449)
    default: #expect(found["EXIF:XResolution"] as? Int == 300 && found["EXIF:YResolution"] as? Int == 240)
    }
    // Back into a JPEG file.
    guard fileExtension == "png" else { return }
    try work.succeed("replace x.png --matte depth --depth far.png --background #00a000 -o y.jpg")
    let again = try tags("y.jpg")
    #expect(again["File:Comment"] as? String == "said about it" && again["JFIF:XResolution"] as? Int == 300)
    #expect(again["IPTC:Keywords"] as? [String] == ["one", "two"])
  }

  /// The metadata contains the result's size.
  @Test func sizes() throws {
    try picture("p.jpg")
    try OutsideTool.run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-ExifImageWidth=64", "-ExifImageHeight=48", "-SubjectArea=1 2 3 4",
        "-XMP-tiff:ImageWidth=64", "-XMP-exif:ExifImageWidth=64", "-XMP-mwg-rs:RegionAreaX=0.5", "-XMP:Rating=3",
        work.path("p.jpg"),
      ])
    try work.succeed("replace p.jpg --matte depth --depth far.png --background #0000a0 --aspect 1:1 -o x.jpg")
    let found = try tags("x.jpg")
    #expect(found["EXIF:ExifImageWidth"] as? Int == 48 && found["EXIF:ExifImageHeight"] as? Int == 48, "\(found)")
    #expect(found["XMP:ImageWidth"] as? Int == 48 && found["XMP:ExifImageWidth"] as? Int == 48)
    #expect(found["EXIF:SubjectArea"] == nil && found["XMP:RegionAreaX"] == nil && found["XMP:Rating"] as? Int == 3)
    try work.succeed("replace p.jpg --matte depth --depth far.png --background #0000a0 -o y.jpg")
    #expect(try tags("y.jpg")["EXIF:SubjectArea"] != nil && tags("y.jpg")["XMP:RegionAreaX"] != nil)
  }

  /// The pixels equal those of Pillow's `exif_transpose`, for an input, a background, and an extracted picture.
  @Test(arguments: ["png", "webp", "tif", "jpg"]) func orientation(fileExtension: String) throws {
    try picture("p.png")
    let script = """
      import sys
      from PIL import Image, ImageOps
      d, fileExtension = sys.argv[1:]
      i = Image.new('RGB', (64, 48), (0, 0, 200))
      i.paste((250, 200, 0), (0, 0, 32, 16)); i.paste((0, 200, 250), (48, 16, 64, 32))
      for o in range(1, 9):
        e = Image.Exif(); e[274] = o
        n = f'{d}/o{o}.{fileExtension}'
        i.save(n, exif=e, **({'lossless': True} if fileExtension == 'webp' else {}))
        ImageOps.exif_transpose(Image.open(n)).convert('RGB').save(f'{d}/u{o}.png')
      """
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.folder.path, fileExtension])
    for orientation in 1...8 {
      let (turned, upright) = ("o\(orientation).\(fileExtension)", "u\(orientation).png")
      // The JPEG decoder differs from Pillow's by a level.
      func isSame(_ one: String, _ other: String) throws -> Bool {
        let (a, b) = (try work.image(one), try work.image(other))
        return a.width == b.width && a.height == b.height
          && zip(a.packedBytes, b.packedBytes).allSatisfy { abs(Int($0) - Int($1)) <= (fileExtension == "jpg" ? 2 : 0) }
      }
      for name in [turned, upright] {
        try work.succeed("replace p.png --matte depth --depth far.png --background \(name) -o behind-\(name).png")
        try work.succeed("photo extract \(name) --save-picture taken-\(name).png")
        try work.succeed("replace \(name) --matte chroma --screen #0000c8 --background #404040 -o in-\(name).png")
      }
      #expect(try isSame("behind-\(turned).png", "behind-\(upright).png"), "\(turned)")
      #expect(try isSame("taken-\(turned).png", "taken-\(upright).png"), "\(turned)")
      #expect(try isSame("in-\(turned).png", "in-\(upright).png"), "\(turned)")
    }
  }
}
