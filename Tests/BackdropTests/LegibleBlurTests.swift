import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// The weakest blur that makes the real background illegible.
@Suite struct LegibleBlurTests {
  /// Text scales with the picture, and the shorter side determines its size.
  @Test(
    arguments: [
      (1280, 720, 10.0, 16.0), (720, 1280, 10, 16), (1920, 1080, 15, 24), (640, 480, 6.7, 10.7), (320, 180, 2.5, 4),
      (4096, 2160, 30, 48),
    ])
  func least(width: Int, height: Int, sigma: Double, radius: Double) throws {
    for (name, size) in [("blur", sigma), ("bokeh", radius)] {
      func blur(_ text: String) throws -> LegibleBlur? {
        try BackgroundSource(BackgroundChoice(parsing: text), width: width, height: height).legibleBlur
      }
      #expect(try blur("\(name):\(size)") == nil)
      let less = try #require(try blur("\(name):\(size - 0.1)"))
      #expect(less.least == size && less.kind.rawValue == name)
      #expect(less.error.hint?.text.contains("\(name):") == true)
      // A blur without a number always hides the real background.
      #expect(try blur(name) == nil)
    }
    #expect(try BackgroundSource("#123456", width: width, height: height).legibleBlur == nil)
  }

  private static let words =
    "invoice salary contract patient password account doctor meeting secret project budget address private number family"

  /// The words with capitals of 24 pixels, black on white, 1280×720, drawn by Pillow.
  private func page(into path: String) throws {
    let script = """
      import sys
      from PIL import Image, ImageDraw, ImageFont
      face = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
      size = next(s for s in range(8, 99) if (lambda b: b[3] - b[1])(ImageFont.truetype(face, s).getbbox('H')) >= 24)
      font = ImageFont.truetype(face, size)
      image = Image.new('RGB', (1280, 720), (235, 235, 235))
      words = sys.argv[2].split()
      for i in range(0, len(words), 3):
        ImageDraw.Draw(image).text((60, 60 + 40 * i), ' '.join(words[i:i + 3]), font=font, fill=(20, 20, 20))
      image.save(sys.argv[1])
      """
    _ = try OutsideTool.run(OutsideTool.python, ["-c", script, path, Self.words])
  }

  private static let canRead =
    OutsideTool.isPresent("tesseract")
    && OutsideTool.succeeds(
      OutsideTool.python,
      ["-c", "from PIL import ImageFont; ImageFont.truetype('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 9)"])

  /// The share of the words that tesseract reads in the drawn background, without a person in front of it.
  private func read(_ background: String, _ page: Image, _ folder: TemporaryFolder) throws -> Double {
    let renderer = try Renderer(
      .backdrop, try Look.backdrop.settings(), width: page.width, height: page.height,
      background: try BackgroundSource(BackgroundChoice(parsing: background), width: page.width, height: page.height),
      workers: WorkerPool(threads: 2))
    var spare = Image(.bgra8, width: page.width, height: page.height)
    let rendering = renderer.render(Scene(image: page), Evidence(), into: &spare).rendering
    try #require(!rendering.isStandby)
    let path = folder.file("\(background).png")
    try Picture.save(rendering.image.converted(to: .rgba8), to: try OutputFile(path, overwrite: true))
    let text = try OutsideTool.text("tesseract", [path, "-", "--psm", "6", "--dpi", "150"]).lowercased()
    let words = Self.words.split(separator: " ")
    return Double(words.count { text.contains($0) }) / Double(words.count)
  }

  /// Capitals of 24 pixels in 720 lines are legible with a weak blur, and illegible with the minimum.
  @Test(.enabled(if: canRead, "needs tesseract, Pillow (make setup-test) and the DejaVu fonts"))
  func unreadableToAnOCR() throws {
    let folder = TemporaryFolder()
    try page(into: folder.file("page.png"))
    let page = try Picture.load(folder.file("page.png"), as: .bgra8)
    #expect(try read("blur:0.5", page, folder) > 0.9)
    #expect(try read("blur:2", page, folder) > 0.9)
    #expect(try read("bokeh:4", page, folder) > 0.9)
    for background in ["blur:10", "bokeh:16", "blur", "bokeh"] {
      #expect(try read(background, page, folder) == 0, "\(background)")
    }
  }
}
