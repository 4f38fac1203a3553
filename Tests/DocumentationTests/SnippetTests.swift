import Backdrop
import Foundation
import TestSupport
import Testing

/// Every program in `Snippets/` runs on a photo and a video of the simulated camera, and creates the promised results.
@Suite struct SnippetTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL
  /// The folder of the built snippets, which is that of the tests.
  private static let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  private static let hasNetworks = NetworkRuntime.isInstalled && ModelStore().isComplete

  /// The files that a snippet leaves in its folder, and its output.
  private struct Promise: Sendable {
    /// Files that the snippet creates.
    var files: [String] = []
    /// The minimum number of printed lines.
    var lines = 0
    /// A string in the printed lines.
    var prints: String?
    /// Whether the snippet reads a portrait with depth and matte.
    var readsPortrait = false
  }

  private static let promises: [String: Promise] = [
    "PhotoBackground": Promise(files: ["out.jpg"]),
    "PhotoLook": Promise(files: ["cutout.png", "matte.png", "portrait.jpg"]),
    "PhotoMatte": Promise(files: ["matte.png"]),
    "PhotoDepth": Promise(files: ["depth.png"], lines: 1, prints: "portrait", readsPortrait: true),
    "VideoBackground": Promise(files: ["out.mp4"], lines: 1, prints: "10 frames, 0 of them"),
    "VideoMattes": Promise(lines: 10, prints: "0.9"),
    "CameraScenes": Promise(lines: 10, prints: "640×360 with depth"),
    "CameraMattes": Promise(lines: 20, prints: "depth and person"),
    "CameraBackground": Promise(files: (1...10).map { "frame\($0).png" }),
    "CameraUntilDone": Promise(lines: 1, prints: "scenes"),
    "OwnLook": Promise(files: ["grey-room.jpg"]),
    "LookFile": Promise(files: ["mine.jpg"], lines: 4, prints: "gamma – "),
  ]

  /// A folder with the snippets' inputs.
  private func stage(withPortrait hasPortrait: Bool) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    var source = try SceneInput.open("sim:talking?size=640x480&fps=10&seconds=1")
    let output = try StreamOutput(
      folder.file("talk.mp4"), for: StreamOutput.Stream(source))
    var tick: Int64 = 0
    while let scene = try source.next() {
      if tick == 0 { try Picture(scene.image).write(to: folder.file("me.jpg")) }
      try output.write(scene.image, time: tick, duration: 1)
      tick += 1
    }
    try output.commit()
    try Picture(Scenery.dunes.image().filling(width: 320, height: 240)).write(to: folder.file("beach.jpg"))
    try JSONEncoder().encode(Look.halo).write(to: URL(filePath: folder.file("mine.json")))
    guard hasPortrait else { return folder }
    let person = try SimulatedCamera(address: "sim:talking?size=640x480").frame(0)
    var portrait = DepthPhoto(picture: DecodedPicture(person.frame.image.converted(to: .rgb8)))
    portrait.set(try PhotoDepth(#require(person.frame.depth), as: .uint8).auxiliary)
    portrait.set(AuxiliaryImage(.matte(.portrait), DecodedPicture(Matte(q15: person.alpha).image)))
    try folder.write(portrait.jpeg(), "portrait.jpg")
    try folder.write(portrait.heic(), "portrait.heic")
    return folder
  }

  @Test(.enabled(if: hasNetworks, "needs the network runtime: make setup-test"), arguments: promises.keys.sorted())
  func snippetsDoWhatTheySay(name: String) throws {
    let promise = try #require(Self.promises[name])
    let folder = try stage(withPortrait: promise.readsPortrait)
    let given = Set(folder.contents)
    let outcome = try Program(Self.programs.appending(path: name).path, [], folder: folder.path).wait()
    #expect(outcome.status == 0, "\(outcome.errors.prefix(2000))")
    #expect(Set(folder.contents).subtracting(given) == Set(promise.files))
    for file in promise.files where !file.hasSuffix(".mp4") {
      let image = try Picture(folder.file(file)).image
      #expect(image.width > 100 && image.height > 100, "\(file)")
    }
    let text = String(decoding: outcome.output, as: UTF8.self)
    #expect(text.split(separator: "\n").count >= promise.lines && promise.prints.map(text.contains) ?? true, "\(text)")
  }

  @Test func everySnippetIsRun() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Snippets").path)
    #expect(Set(names) == Set(Self.promises.keys.map { $0 + ".swift" }))
  }
}
