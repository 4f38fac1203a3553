import BackdropCodecs
import Foundation
import TestSupport
import Testing

/// Animations written by the command, read back by ffprobe and Pillow.
@Suite struct AnimationCommandTests {
  let work = Workplace()
  static let hasPillow = OutsideTool.succeeds(
    OutsideTool.python, ["-c", "from PIL import features; assert features.check('webp')"])
  static let moving = "sim:talking?size=320x180&seconds=0.4"

  /// The duration of each picture in milliseconds, according to Pillow.
  private func times(_ name: String) throws -> [Double] {
    let script = """
      import sys
      from PIL import Image
      i = Image.open(sys.argv[1])
      for k in range(getattr(i, 'n_frames', 1)):
          i.seek(k); i.load(); print(i.info.get('duration', -1))
      """
    return try OutsideTool.text(OutsideTool.python, ["-c", script, work.path(name)]).split(separator: "\n")
      .compactMap { Double($0) }
  }

  /// The pictures' pixels in order, as R′G′B′A.
  private func pixels(_ name: String) throws -> [UInt8] {
    let script = """
      import sys
      from PIL import Image
      i = Image.open(sys.argv[1])
      for k in range(getattr(i, 'n_frames', 1)):
          i.seek(k); sys.stdout.buffer.write(i.convert('RGBA').tobytes())
      """
    return [UInt8](try OutsideTool.run(OutsideTool.python, ["-c", script, work.path(name)]))
  }

  /// A green square on red, in four pictures with different durations.
  private func animation(_ name: String) throws {
    let script = """
      import sys
      from PIL import Image
      p = []
      for k in range(4):
          i = Image.new('RGB', (64, 48), (200, 0, 0)); i.paste((0, 200, 0), (8 * k, 8, 8 * k + 24, 40)); p.append(i)
      p[0].save(sys.argv[1], save_all=True, append_images=p[1:], duration=[100, 40, 300, 700], loop=2)
      """
    try OutsideTool.run(OutsideTool.python, ["-c", script, work.path(name)])
  }

  /// The result keeps the durations of an animation, including the last, and the number of plays.
  @Test(.enabled(if: hasPillow, "needs Pillow"), arguments: ["out.gif", "out.apng", "out.webp"])
  func timesOfAnAnimationStay(name: String) throws {
    try animation("in.gif")
    try work.depthFolder("depth", 4, 64, 48, 500)
    try work.succeed("replace in.gif --matte depth --depth depth -o \(name)")
    #expect(try times(name) == [100, 40, 300, 700])
    #expect(
      AnimationPlays.count(in: [UInt8](try work.data(name)))
        == AnimationPlays.count(in: [UInt8](try work.data("in.gif"))))
  }

  /// The matte becomes alpha: exactly in PNG and WebP, on or off in a GIF.
  @Test(.enabled(if: hasPillow, "needs Pillow"), arguments: ["out.gif", "out.apng", "out.webp"])
  func transparency(name: String) throws {
    let lossless = name == "out.webp" ? " --lossless" : ""
    try work.succeed("replace \(Self.moving) --background none -o \(name)\(lossless) --save-matte mattes/%d.png")
    let shown = try times(name)
    #expect(abs(shown.reduce(0, +) - 400) <= 10, "\(shown)")
    let pixels = try pixels(name)
    // A GIF has at most 12.5 pictures a second, so it contains only the pictures displayed at these times.
    let frames = name == "out.gif" ? [1, 3, 5, 8, 10] : Array(1...12)
    try #require(pixels.count == frames.count * 4 * 320 * 180, "\(shown)")
    var (clear, solid) = (0, 0)
    for (index, frame) in frames.enumerated() {
      let matte = try Picture.load(work.path("mattes/\(frame).png"), as: .gray8).packedBytes
      for pixel in matte.indices {
        let alpha = pixels[4 * (index * matte.count + pixel) + 3]
        let isRight =
          name != "out.gif"
          ? alpha == matte[pixel] : matte[pixel] < 60 ? alpha == 0 : matte[pixel] > 196 ? alpha == 255 : true
        if !isRight { Issue.record("alpha \(alpha) for \(matte[pixel]) in picture \(index) at \(pixel)"); break }
        clear += alpha == 0 ? 1 : 0
        solid += alpha == 255 ? 1 : 0
      }
    }
    #expect(clear > 30_000 && solid > 10_000)
  }

  /// A still input gives a WebP picture, a video gives an animation.
  @Test(.enabled(if: hasPillow, "needs Pillow")) func whatMovesIsAnAnimation() throws {
    try work.pair()
    try work.succeed("replace p.png --matte depth --depth d.png -o still.webp")
    #expect(try times("still.webp").count == 1 && work.data("still.webp").range(of: Data("ANIM".utf8)) == nil)
    try work.succeed("replace \(Self.moving) -o film.webp --background #204060")
    #expect(try times("film.webp").count == 12)
    try work.succeed("replace \(Self.moving) -o film.png --background #204060")
    #expect(try times("film.png").count == 1)
  }

  /// A single picture, and odd and small sizes.
  @Test(
    .enabled(if: hasPillow, "needs Pillow"), arguments: ["out.gif", "out.apng", "out.webp", "out.y4m"],
    ["size=321x181&seconds=0.03", "size=16x16&seconds=0.2", "size=33x17&seconds=0.2"])
  func oddOnes(name: String, input: String) throws {
    try work.succeed("replace sim:?\(input) -o \(name)")
    let size = input.dropFirst(5).prefix { $0 != "&" }
    let video = try MediaTool.video(work.path(name))
    // FFmpeg 5.1 does not read animated WebP.
    if name != "out.webp" { #expect("\(video["width"] ?? "")x\(video["height"] ?? "")" == size) }
    if name != "out.y4m" { #expect(try times(name).count == (input.contains("0.03") ? 1 : name == "out.gif" ? 3 : 6)) }
  }

  /// The command writes the same YUV4MPEG2 to a file as to a pipe.
  @Test func y4mIsThePipe() throws {
    let piped = try work.run("replace \(Self.moving) -o - -q")
    try work.succeed("replace \(Self.moving) -o out.y4m")
    #expect(try work.data("out.y4m") == piped.output)
    try work.refuse("replace \(Self.moving) -o out.y4m --background none --force", says: "cannot hold transparency")
    try work.refuse("replace \(Self.moving) -o new.y4m --codec h264", says: "cannot use a video codec")
  }

  @Test func refuses() throws {
    try work.refuse("replace \(Self.moving) -o out.gif --lossless", says: "pictures without loss")
    try work.refuse("replace \(Self.moving) -o out.apng --codec vp9", says: "cannot use a video codec")
  }
}
