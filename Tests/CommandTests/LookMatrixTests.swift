import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropModels
import BackdropSimulation
import Foundation
import TestSupport
import Testing

/// Every look on every kind of input, with the built command. The result is a picture that differs from the input according to the look's
/// description, or a one-line reason.
@Suite(
  .enabled(
    if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install"))
struct LookMatrixTests {
  /// The inputs for the looks.
  enum Input: String, CaseIterable, Sendable {
    case photoWithDepth, photoWithMatte, portrait, video, recording, simulation, landscape
  }

  static let cases = Look.builtIn.map(\.id)
  private static let size = (width: 320, height: 180)

  @Test(arguments: cases) func everyInput(id: String) throws {
    let look = try #require(Look.named(id))
    let work = try Self.prepared()
    for input in Input.allCases {
      let comment = Comment(rawValue: "\(id) on \(input.rawValue)")
      let (name, isStream) = Self.name(input)
      let output = "\(id)-\(input.rawValue)." + (isStream ? "mkv" : "png")
      let behind = look.hasBackground ? " --background #00c000" : ""
      // The fastest networks are enough for people who are there.
      let quality = input == .landscape ? "" : " --quality live"
      let outcome = try work.run("apply \(id) \(name) -o \(output)\(behind)\(quality)" + (isStream ? " --force" : ""))
      guard input != .landscape else {
        // Without a person and without distances, no look has a subject.
        #expect(outcome.status == 2, comment)
        #expect(outcome.errors.contains("Backdrop found no person in the picture"), "\(comment) \(outcome.errors)")
        #expect(FileManager.default.fileExists(atPath: work.path(output)) == false, comment)
        continue
      }
      #expect(outcome.status == 0, "\(comment) \(outcome.errors)")
      guard outcome.status == 0 else { continue }
      if isStream {
        try MediaTool.make("-i \(work.path(output)) -frames:v 1", work.path(output + ".png"))
      }
      let drawn = try work.image(isStream ? output + ".png" : output)
      let plain = try work.image("frame.png")
      #expect(drawn.width == plain.width * look.widthFactor && drawn.height == plain.height, comment)
      if look.widthFactor == 1 {
        let (all, corner) = (Self.difference(drawn, plain, 0..<plain.width), Self.difference(drawn, plain, 0..<16))
        #expect(all > 0.4, "\(comment): as if nothing was done, \(all)")
        // A look that replaces the background shows nothing of the real background in the corner without people.
        if look.hasBackground { #expect(corner > 10, "\(comment): the room is seen, \(corner)") }
      }
    }
  }

  /// The mean difference of the samples of some columns, in levels.
  private static func difference(_ a: Image, _ b: Image, _ columns: Range<Int>) -> Double {
    var sum = 0
    for y in 0..<min(a.height, b.height) {
      let (one, other) = (a.row(y), b.row(y))
      for x in columns { for c in 0..<3 { sum += abs(Int(one[4 * x + c]) - Int(other[4 * x + c])) } }
    }
    return Double(sum) / Double(3 * columns.count * min(a.height, b.height))
  }

  private static func name(_ input: Input) -> (String, isStream: Bool) {
    switch input {
    case .photoWithDepth: ("depth.jpg", false)
    case .photoWithMatte: ("matte.jpg", false)
    case .portrait: ("frame.jpg", false)
    case .video: ("clip.mp4", true)
    case .recording: ("rec.mkv", true)
    case .simulation: ("sim:talking?size=320x180&seconds=0.2", true)
    case .landscape: ("landscape.jpg", false)
    }
  }

  private static let made = Result { try make() }

  private static func prepared() throws -> Workplace { try made.get() }

  private static func make() throws -> Workplace {
    let work = Workplace()
    let camera = try SimulatedCamera(address: "sim:talking?size=\(size.width)x\(size.height)&seconds=0.2")
    let first = camera.frame(0)
    try work.save(first.frame.image.converted(to: .rgba8), "frame.png")
    try Picture.save(
      first.frame.image.converted(to: .rgb8), to: OutputFile(work.path("frame.jpg"), overwrite: true), quality: 97)
    try work.save(first.trueDepth.image(unitsPerMetre: 1000), "d.png")
    try work.save(Matte(q15: first.alpha).image, "m.png")
    try work.succeed("photo embed frame.jpg --depth d.png -o depth.jpg")
    try work.succeed("photo embed frame.jpg --portrait-matte m.png -o matte.jpg")
    try work.succeed("record sim:talking?size=320x180&seconds=0.2 -o rec.mkv")
    for index in 0..<6 {
      try work.save(camera.frame(index).frame.image.converted(to: .rgba8), "v\(index).png")
    }
    try MediaTool.make(
      "-framerate 30 -i \(work.path("v%d.png")) -crf 12 -pix_fmt yuv420p", work.path("clip.mp4"))
    try work.save(Scenery.northern.image().filling(width: 480, height: 270), "landscape.jpg")
    return work
  }
}
