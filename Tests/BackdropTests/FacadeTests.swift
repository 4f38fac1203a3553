import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropModels
import BackdropPhotos
import Foundation
import TestSupport
import Testing

@testable import Backdrop

/// Photos, videos and mattes through the facade: it gives the same results as the engine, and leaves nothing half finished.
@Suite struct FacadeTests {
  let folder = TemporaryFolder()
  private static let hasNetworks = NetworkRuntime.isInstalled && ModelStore().isComplete
  private static let needsNetworks: Comment = "needs the network runtime: make setup-test"

  /// Writes a second of the simulated camera as a video.
  static func film(_ path: String) throws {
    let source = try SceneInput.open("sim:talking?size=320x240&fps=10&seconds=1")
    let output = try StreamOutput(
      path, for: StreamOutput.Stream(source))
    var scenes = source
    var tick: Int64 = 0
    while let scene = try scenes.next() {
      try output.write(scene.image, time: tick, duration: 1)
      tick += 1
    }
    try output.commit()
  }

  /// Writes a photo of a simulated person; returns its path.
  private func photo(_ name: String) throws -> String {
    var source = try SceneInput.open("sim:talking?size=640x480&seconds=1")
    let scene = try #require(try source.next())
    try Picture(scene.image.converted(to: .rgb8)).write(to: folder.file(name))
    return folder.file(name)
  }

  private func bytes(_ image: Image, _ y: Int) -> [UInt8] {
    let row = image.row(y)
    return row.indices.map { row[$0] }
  }

  /// The documentation promises 95 for every way to a picture (docs/formats.md).
  @Test(arguments: [PictureFormat.jpeg, .webp, .avif]) func oneQuality(kind: PictureFormat) throws {
    var source = try SceneInput.open("sim:?size=64x48&seconds=0.1")
    let image = try #require(try source.next()).image.converted(to: .rgb8)
    let bytes = try Picture.encode(image, as: kind, quality: 95)
    #expect(try Picture.encode(image, as: kind) == bytes)
    try Picture(image).write(to: folder.file("a." + kind.codec.fileExtensions[0]))
    #expect(try InputFile.read(folder.file("a." + kind.codec.fileExtensions[0])) == bytes)
    #expect(StreamOutput.Options().photoQuality == 95 && PhotoFileOptions().quality == 95)
    #expect(AnimationSettings(width: 1, height: 1, timeBase: Rational(1, 25)).quality == 95)
  }

  @Test(.enabled(if: hasNetworks, needsNetworks)) func aPhotoBeforeAPicture() async throws {
    let path = try photo("me.png")
    var beach = Image(.rgb8, width: 40, height: 30)
    beach.fill(RGBColor(red: 0, green: 0, blue: 1))
    let edit = try Photo(path).replacingBackground(with: .picture(Picture(beach)))
    let summary = try await edit.write(to: folder.file("out.png"), matte: folder.file("matte.png"))
    #expect(summary.frames == 1 && summary.outputs == [folder.file("out.png"), folder.file("matte.png")])
    #expect(summary.subjectFrom == .person && summary.coverage > 0.1 && summary.coverage < 0.6)
    let (before, after) = (try Picture(path).image, try Picture(folder.file("out.png")).image.converted(to: .rgb8))
    let matte = try Picture(folder.file("matte.png")).image
    // The new picture is behind, the original subject in front.
    #expect(bytes(after, 5).prefix(3) == [0, 0, 255])
    let original = before.converted(to: .rgb8)
    var (points, same) = (0, 0)
    for y in stride(from: 0, to: 480, by: 8) {
      let (opacity, a, b) = (bytes(matte, y), bytes(original, y), bytes(after, y))
      for x in stride(from: 0, to: 640, by: 8) where opacity[x] == 255 {
        points += 1
        if (3 * x..<3 * x + 3).allSatisfy({ abs(Int(a[$0]) - Int(b[$0])) <= 1 }) { same += 1 }
      }
    }
    #expect(points > 300 && same > points * 95 / 100, "\(same) of \(points) points of the person are unchanged")
    let image = try await edit.image()
    #expect(image.width == 640 && bytes(image.converted(to: .rgb8), 240) == bytes(after, 240))
    let cutout = try await Photo(path).replacingBackground(with: .transparent).image()
    #expect(cutout.format.hasAlpha && bytes(cutout, 5)[3] == 0)
  }

  @Test(.enabled(if: hasNetworks, needsNetworks)) func nothingIsReplacedUnlessAllowed() async throws {
    let path = try photo("me.png")
    try folder.write("mine".utf8, "out.png")
    let edit = try Photo(path).replacingBackground(with: .color(.black))
    await #expect { try await edit.write(to: folder.file("out.png")) } throws: {
      ($0 as? BackdropError)?.kind == .wrongArgument
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("out.png"))) == Data("mine".utf8))
    // Writing never replaces the input.
    await #expect(throws: BackdropError.self) { try await edit.write(to: path, overwrite: true) }
    try await edit.write(to: folder.file("out.png"), overwrite: true)
    #expect(folder.contents == ["me.png", "out.png"])
  }

  /// Each error has its kind, and nothing is written.
  @Test(.enabled(if: hasNetworks, needsNetworks)) func whatIsWrongIsTyped() async throws {
    let path = try photo("me.png")
    func kind(_ work: () async throws -> Void) async -> BackdropError.Kind? {
      do {
        try await work()
        return nil
      } catch { return (error as? BackdropError)?.kind }
    }
    let out = folder.file("out.png")
    #expect(await kind { _ = try Photo(folder.file("none.jpg")) } == .wrongArgument)
    try folder.write("no photo".utf8, "text.jpg")
    #expect(await kind { _ = try Photo(folder.file("text.jpg")) } == .badData)
    #expect(await kind { try await Photo(path).applying(.portrait, ["nonsense": 1]).write(to: out) } == .wrongArgument)
    #expect(
      await kind { try await Photo(path).replacingBackground(with: "nowhere.jpg").write(to: out) } == .wrongArgument)
    #expect(
      await kind { try await Photo(path).replacingBackground(with: .transparent).write(to: folder.file("o.jpg")) }
        == .unsupported)
    try Picture(Scenery.dunes.image().filling(width: 320, height: 240)).write(to: folder.file("nobody.png"))
    #expect(
      await kind { try await Photo(folder.file("nobody.png")).replacingBackground(with: "#ff0000").write(to: out) }
        == .badData)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Photo(path).applying(.portrait).write(to: out)
    }
    #expect(await kind { _ = try await cancelled.value } == .interrupted)
    #expect(folder.contents == ["me.png", "nobody.png", "text.jpg"])
  }

  /// A look that should hide the real background writes nothing if the background would be visible, unless the caller allows it.
  @Test func theRealBackgroundIsNotShownByAccident() async throws {
    let video = try Video("sim:talking?size=160x90&seconds=0.2")
    // Everything within ten metres is foreground, including the whole real background.
    let open = video.applying(.backdrop, ["cutoff": 10, "margin": 9], background: .color(.black))
    var shown = open
    shown.plan.analysis.mattes = .depth
    shown.plan.analysis.followsFace = false
    let closed = shown
    let error = await #expect(throws: BackdropError.self) { try await closed.write(to: folder.file("out.mkv")) }
    #expect(error?.kind == .badData && error?.hint?.code == "hideRealBackground")
    #expect(folder.contents.isEmpty)
    shown.plan.showsRealBackground = true
    let summary = try await shown.write(to: folder.file("out.mkv"))
    #expect(summary.framesShowingRealBackground == summary.frames && !summary.warnings.isEmpty)
    let weak = video.replacingBackground(with: .blur(sigma: 0.6))
    let legible = await #expect(throws: BackdropError.self) { try await weak.write(to: folder.file("weak.mkv")) }
    #expect(legible?.kind == .wrongArgument)
  }

  /// Depth and network combined; a stream remembers, and continues after a scene without depth.
  @Test(.enabled(if: hasNetworks, needsNetworks)) func mattesOfAStream() async throws {
    let mattes = MattePipeline(.stream)
    var (truth, count) = (0.0, 0)
    for try await scene in try Video("sim:talking?size=320x180&seconds=0.5").scenes {
      if count == 5 {
        let lost = Scene(image: scene.image, depthFault: BackdropError(.badData, "lost"), time: scene.time)
        #expect(throws: BackdropError(.badData, "lost")) { try mattes.matte(of: lost) }
      }
      let matte = try mattes.matte(of: scene)
      truth += matte.coverage
      count += 1
      #expect(mattes.evidence.subjectOrigin == .depthAndPerson)
    }
    #expect(count == 15 && truth / 15 > 0.2 && truth / 15 < 0.4)
    // A job gives the same mattes.
    var (job, jobCount) = (0.0, 0)
    var plan = Job.Plan()
    plan.matteOutput = try OutputTarget(folder.file("matte.mkv"))
    _ = try Job(try SceneInput.open("sim:talking?size=320x180&seconds=0.5"), plan).run(observe: { _, matte, _ in
      job += matte.coverage
      jobCount += 1
    })
    #expect(jobCount == 15 && abs(job - truth) < 0.01)
    // A different size is a different stream; without depth the network decides.
    let picture = try Picture(try photo("me.png")).image
    #expect(try mattes.matte(of: picture, at: 0).coverage > 0.1 && mattes.evidence.subjectOrigin == .person)
  }

  @Test(.enabled(if: hasNetworks, needsNetworks)) func aVideoBeforeAScene() async throws {
    try Self.film(folder.file("talk.mp4"))
    let summary = try await Video(folder.file("talk.mp4")).replacingBackground(with: .scenery(.dunes))
      .write(to: folder.file("out.mp4"))
    #expect(summary.frames == 10 && summary.standby.count == 0)
    #expect(try Video(folder.file("out.mp4")).width == 320)
  }

  @Test func backgroundsAsPeopleWriteThem() {
    let names: [(BackgroundChoice, String?)] = [
      (.color(RGBColor(red: 0.2, green: 0.4, blue: 1)), "#3366FF"), (.scenery(.loft), "scene:loft"),
      (.file("blur"), "./blur"), (.file("/a/b.jpg"), "/a/b.jpg"), (.blur(), "blur"), (.blur(sigma: 12.5), "blur:12.5"),
      (.bokeh(radius: 8), "bokeh:8"), (.transparent, "none"), ("scene:dunes", "scene:dunes"),
      (.picture(Picture(Image(.gray8, width: 1, height: 1))), "a picture"),
    ]
    for (choice, name) in names { #expect(choice.description == name && choice.isTransparent == (name == "none")) }
  }

  /// The photo keeps EXIF, profile and the portrait matte, as with the command, but not depth, which would show the real background.
  @Test func aPhotoKeepsWhatBelongsToIt() async throws {
    let portrait = try SimulatedCamera(address: "sim:talking?size=640x480").frame(0)
    var made = DepthPhoto(picture: DecodedPicture(portrait.frame.image.converted(to: .rgb8)))
    made.set(try PhotoDepth(#require(portrait.frame.depth), as: .uint8).auxiliary)
    made.set(AuxiliaryImage(.matte(.portrait), DecodedPicture(Matte(q15: portrait.alpha).image)))
    try folder.write(made.jpeg(), "portrait.jpg")
    let photo = try Photo(folder.file("portrait.jpg"))
    try await photo.replacingBackground(with: "scene:dunes").write(to: folder.file("out.jpg"))
    let after = try Photo(folder.file("out.jpg"))
    #expect(after.width == photo.width && after.height == photo.height)
    #expect(after.contents.mattes == photo.contents.mattes)
    #expect(try photo.contents.depth() != nil && after.contents.auxiliary(.depth) == nil)
    #expect(try MattePipeline().matte(of: after).coverage > 0.1)
  }
}
