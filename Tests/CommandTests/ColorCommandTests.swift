import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Pictures that the built command writes in several colour spaces, read by LittleCMS (Pillow's ImageCms).
@Suite struct ColorCommandTests {
  static let hasCMS = OutsideTool.succeeds(OutsideTool.python, ["-c", "from PIL import ImageCms"])
  let work = Workplace()

  /// A picture of one colour, with bytes in its own space.
  func flat(_ bytes: [UInt8], _ space: ColorSpace, _ name: String) throws {
    let all = (0..<64 * 48).flatMap { _ in bytes }
    let image = try Image(.rgb8, width: 64, height: 48, packed: all.span, color: .jpeg.with(space))
    try work.save(image, name)
  }

  /// The colour of a pixel on an sRGB screen, converted by LittleCMS from the file's profile.
  func shown(_ name: String, x: Int, y: Int) throws -> [Int] {
    let script = """
      import io, sys
      from PIL import Image, ImageCms
      image = Image.open(sys.argv[1])
      data = image.info.get('icc_profile')
      source = ImageCms.ImageCmsProfile(io.BytesIO(data)) if data else ImageCms.createProfile('sRGB')
      image = ImageCms.profileToProfile(
          image.convert('RGB'), source, ImageCms.createProfile('sRGB'), renderingIntent=1, outputMode='RGB')
      print(*image.getpixel((int(sys.argv[2]), int(sys.argv[3]))))
      """
    let text = try OutsideTool.text(OutsideTool.python, ["-c", script, work.path(name), "\(x)", "\(y)"])
    return text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
  }

  /// The left half is near and kept; the right half shows the background. Both look the same as in their source files.
  @Test(
    .enabled(if: hasCMS, "needs Pillow: make setup-test"),
    arguments: [
      (ColorSpace.displayP3, ColorSpace.sRGB), (.sRGB, .displayP3), (.adobeRGB, .displayP3),
    ], ["png", "jpg"])
  func eachPictureKeepsItsColours(spaces: (person: ColorSpace, background: ColorSpace), fileExtension: String) throws {
    try flat([200, 90, 40], spaces.person, "p.png")
    try flat([60, 110, 150], spaces.background, "b.png")
    try work.depth("d.png", 64, 48, 500, right: 3000)
    try work.succeed("replace p.png --matte depth --depth d.png --background b.png -o out.\(fileExtension)")
    #expect(try Picture.load(work.path("out.\(fileExtension)")).color.space.matches(spaces.person))
    let (left, right) = (
      try shown("out.\(fileExtension)", x: 4, y: 24), try shown("out.\(fileExtension)", x: 60, y: 24)
    )
    for (found, wanted) in zip(left + right, try shown("p.png", x: 4, y: 24) + shown("b.png", x: 60, y: 24)) {
      // JPEG shifts flat colours by another level or two.
      #expect(abs(found - wanted) <= (fileExtension == "png" ? 2 : 5), "\(left) \(right)")
    }
    // A background colour is in sRGB.
    try work.succeed("replace p.png --matte depth --depth d.png --background #3C6E96 -o named.png")
    for (found, wanted) in zip(try shown("named.png", x: 60, y: 24), [0x3C, 0x6E, 0x96]) {
      #expect(abs(found - wanted) <= 2)
    }
  }

  @Test func photosSayTheirColours() throws {
    try flat([200, 90, 40], .displayP3, "p.png")
    let text = try work.text("photo inspect p.png")
    #expect(text.contains("colours       Display P3"))
    try work.picture("s.jpg")
    #expect(try work.text("photo inspect s.jpg").contains("sRGB"))
  }
}
