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
    // HEIC files need an encoder that systems may lack.
    guard !seeds.isEmpty || !name.hasPrefix("heic") && name != "photo-heic" else { return }
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

  /// Changing one byte of a seed, at every position, causes no trap.
  @Test(arguments: FuzzTarget.all.map(\.name)) func changedSeeds(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try target.seeds()
    var refused = 0
    for seed in seeds {
      for place in stride(from: 0, to: seed.count, by: max(1, seed.count / 50)) {
        var bytes = seed
        bytes[place] ^= 0x41
        if !target.accepts(bytes) { refused += 1 }
      }
    }
    #expect(refused > 0 || seeds.isEmpty, "\(name) takes everything")
  }
}
