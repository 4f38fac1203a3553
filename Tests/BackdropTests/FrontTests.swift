import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropModels
import Foundation
import TestSupport
import Testing

@testable import Backdrop

/// The verdicts of the Swift interface on the pictures of `Tests/Bindings/fronts.json`, which the command, the library and the service share.
@Suite struct FrontTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String, picture: String
    let options: [String: String]
    let refusal: String?
    let network: Bool?

    var testDescription: String { name }
  }

  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Bindings/fronts.json")

  static func cases(network: Bool) throws -> [Case] {
    try JSONDecoder().decode([Case].self, from: Data(contentsOf: file)).filter { ($0.network ?? false) == network }
  }

  private static let hasNetworks = NetworkRuntime.isInstalled && ModelStore().isComplete
  private let folder = TemporaryFolder()

  @Test(arguments: try cases(network: false)) func verdict(of one: Case) async throws { try await check(one) }

  @Test(.enabled(if: hasNetworks, "needs the networks"), arguments: try cases(network: true))
  func verdictOfANetwork(of one: Case) async throws { try await check(one) }

  private func check(_ one: Case) async throws {
    let file = folder.file("in.png")
    try Picture.save(try picture(one.picture), to: OutputFile(file, overwrite: true))
    var options = one.options
    let look = try Look.load(options.removeValue(forKey: "look") ?? "backdrop")
    let background = try options.removeValue(forKey: "background").map { try BackgroundChoice(parsing: $0) }
    let values = options.filter { name, _ in look.parameters.contains { $0.name == name } }
    var edit = try Photo(file).applying(look, values.compactMapValues(Double.init), background: background)
    for (name, text) in options where values[name] == nil {
      try Job.Plan.parameters.set(name, parsing: text, in: &edit.plan)
    }
    var refusal: String?
    do { try await edit.write(to: folder.file("out.png")) } catch { refusal = error.message }
    #expect((refusal == nil) == (one.refusal == nil), "\(refusal ?? "drawn")")
    if let word = one.refusal { #expect(refusal?.contains(word) ?? false, "\(refusal ?? "")") }
    #expect(FileManager.default.fileExists(atPath: folder.file("out.png")) == (one.refusal == nil))
  }

  private func picture(_ name: String) throws -> Image {
    Image.drawn(.rgb8, 320, 180) { x, y in
      switch name {
      case "screen": return abs(x - 160) < 40 && y >= 60 ? [120, 120, 120] : [26, 179, 64]
      case "grey": return [110, 110, 110]
      default:
        let (red, green) = (x * 255 / 320, y * 255 / 180)
        return [red, green, (x + y) % 256]
      }
    }
  }
}
