import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import Foundation
import TestSupport
import Testing

/// All looks of a simulated scene match the reviewed pictures; `BACKDROP_WRITE_GOLDEN=1` draws these again.
@Suite struct GoldenPictureTests {
  @Test(arguments: Look.builtIn.map(\.id)) func look(id: String) throws { try check(id, isStill: true, "\(id)") }

  /// The looks that are drawn faster in a stream.
  @Test(arguments: ["bokeh", "big-head", "marching", "parallax", "anaglyph", "side-by-side"])
  func lookOfAStream(id: String) throws { try check(id, isStill: false, "streams/\(id)") }

  private func check(_ id: String, isStill: Bool, _ name: String) throws {
    let picture = try LookStage().draw(try #require(Look.named(id))) { $0.isStill = isStill }.image
    let path = GeneratedDocumentation.page("Tests/Golden/\(name).png")
    if ProcessInfo.processInfo.environment["BACKDROP_WRITE_GOLDEN"] == "1" {
      try Picture.save(picture, to: OutputFile(path, overwrite: true))
    }
    let golden = try Picture.load(path, as: .rgba8)
    let difference = try #require(PictureDifference(picture, golden))
    // CPU levels differ by rounding, which a curve may amplify.
    let isSame = difference.mean < 0.5 && difference.large < 0.001
    let paths = isSame ? "" : try Self.keep(picture, golden, name.replacing("/", with: "-"))
    #expect(isSame, "\(difference); \(paths)")
  }

  /// Writes the picture and its differences, amplified eight times, for review.
  private static func keep(_ picture: Image, _ golden: Image, _ name: String) throws -> String {
    let folder = GeneratedDocumentation.page(".build/golden")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var difference = picture
    for y in 0..<picture.height {
      let (one, other) = (picture.row(y), golden.row(y))
      var row = difference.mutableRow(y)
      for x in row.indices {
        row[x] = x % 4 == 3 ? 255 : UInt8(min(255, 8 * abs(Int(one[x]) - Int(other[x]))))
      }
    }
    let paths = ["\(folder)/\(name).png", "\(folder)/\(name)-difference.png"]
    for (image, path) in zip([picture, difference], paths) {
      try Picture.save(image, to: OutputFile(path, overwrite: true))
    }
    return "see " + paths.joined(separator: " and ")
  }
}
