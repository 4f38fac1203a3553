import BackdropImaging
import Foundation
import TestSupport
import Testing

/// The seeds of `make fuzz`, and the inputs that it found.
@Suite struct FuzzTargetTests {
  /// Targets accept their seeds, so fuzzing begins behind the first checks of a parser.
  @Test(arguments: FuzzTarget.all.map(\.name)) func seedsAreAccepted(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try target.seeds()
    #expect(!seeds.isEmpty)
    for (number, seed) in seeds.enumerated() {
      #expect(seed.count <= target.maximumLength, "seed \(number) of \(name) has \(seed.count) bytes")
      #expect(throws: Never.self, "seed \(number) of \(name)") { try target.read(seed) }
    }
  }

  @Test func namesAreDifferent() {
    #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
  }

  /// Inputs that revealed a bug, in a folder with the target's name, must give a value or an error.
  @Test func regressions() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "regression")
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() where path.contains("/") {
      let name = path.prefix { $0 != "/" }
      let target = try #require(FuzzTarget.all.first { $0.name == name }, "there is no target \(name)")
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: path)))
      let seconds = processorSeconds { _ = target.accepts(bytes) }
      #expect(seconds < 30, "\(path)")
    }
  }

  /// Seeds with a few random changes cause no trap, hang, or error of another kind than the parser's own.
  @Test(arguments: FuzzTarget.all.map(\.name)) func damagedSeeds(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try target.seeds()
    let rounds = ["photo-jpeg": 20_000, "heic-pictures": 300][name] ?? 4000
    var refused = 0
    for round in 0..<rounds {
      var random = SeededRandom(seed: UInt64(round))
      let other = try #require(seeds.randomElement(using: &random))
      let bytes = random.damaged(seeds[round % seeds.count], with: other)
      let seconds = processorSeconds { refused += target.accepts(bytes) ? 0 : 1 }
      // A file of a few kilobytes must not take longer.
      if seconds > 60 { Issue.record("\(name): seed \(round) takes \(seconds) s") }
    }
    #expect(refused > 0, "\(name) takes everything")
  }
}
