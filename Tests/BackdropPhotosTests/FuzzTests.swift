import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Parsers under random damage return a value or an error, quickly.
///
/// With `BACKDROP_FUZZ_SECONDS` the tests run for that long, with a new seed that they print.
@Suite struct FuzzTests {
  /// One small file of each format.
  static func corpus() throws -> [[UInt8]] {
    let photo = try MadePhoto.photo()
    return try [
      photo.jpeg(), photo.jpeg(PhotoFileOptions(form: .dynamicDepth)),
      MadePhoto.gDepth(MadePhoto.gray(32, 24), confidence: MadePhoto.gray(32, 24)),
    ]
  }

  struct Mutator {
    var random: SeededRandom

    /// A file with a few bytes changed, removed or doubled, or with numbers at their limits.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
      var result = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) where !result.isEmpty {
        // Damage in headers has the largest effect.
        let reach = Bool.random(using: &random) ? min(result.count, 2000) : result.count
        let at = Int.random(in: 0..<reach, using: &random)
        let end = min(result.count, at + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: result[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: result[at] = UInt8.random(in: 0...255, using: &random)
        case 2: result.removeSubrange(at..<end)
        case 3: result.insert(contentsOf: Array(result[at..<end]), at: at)
        case 4:
          let limits: [[UInt8]] = [
            [0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [128, 0, 0, 0], [0, 0, 0, 1],
          ]
          let limit = limits[Int.random(in: 0..<limits.count, using: &random)]
          for (offset, byte) in limit.enumerated() where at + offset < result.count { result[at + offset] = byte }
        case 5: result = Array(result[..<at])
        default:
          let tokens = [
            "&#x0;", "<!--", "]]>", "<rdf:li>", "</", "\"", "1e999", "-1", "99999999999", "\u{0}", "<a ", "&lt;",
          ]
          result.insert(contentsOf: Array(tokens[Int.random(in: 0..<tokens.count, using: &random)].utf8), at: at)
        }
      }
      return result
    }
  }

  /// Runs `read` on mutations of the corpus: `count` of them, or for the time in the environment.
  static func run(_ name: String, _ corpus: [[UInt8]], count: Int, _ read: ([UInt8]) throws(BackdropError) -> Void) {
    let seconds = ProcessInfo.processInfo.environment["BACKDROP_FUZZ_SECONDS"].flatMap(Double.init)
    let seed: UInt64 = seconds == nil ? 1 : .random(in: .min ... .max)
    if seconds != nil { FileHandle.standardError.write(Data("fuzz \(name): seed \(seed)\n".utf8)) }
    var mutator = Mutator(random: SeededRandom(seed: seed))
    let start = ContinuousClock.now
    var (done, failed) = (0, 0)
    while seconds.map({ ContinuousClock.now - start < .seconds($0) }) ?? (done < count) {
      let bytes = mutator.mutated(corpus[done % corpus.count])
      let took = processorSeconds {
        do throws(BackdropError) {
          try read(bytes)
        } catch {
          failed += 1
          if error.message.contains("\n") { Issue.record("seed \(seed), case \(done): an error of two lines") }
        }
      }
      if took > 60 { Issue.record("\(name): seed \(seed), case \(done) took \(took) s") }
      done += 1
    }
    // Mutations that change nothing would test nothing.
    #expect(failed > done / 20, "\(name): \(failed) of \(done)")
  }

  @Test func photos() throws {
    Self.run("photos", try Self.corpus(), count: 20_000, BadPhotoTests.readAll)
  }

  @Test func packets() throws {
    let corpus =
      try Self.corpus().compactMap { try DepthPhoto.read($0).metadata.xmp }
      + [
        AuxiliaryXMP(kind: .depth, depth: MadePhoto.depth().properties).packet,
        AuxiliaryXMP(kind: .matte(.hair)).packet,
        MadePhoto.packet("GDepth:Near=\"1\"", "<dc:a><rdf:Bag><rdf:li>1</rdf:li></rdf:Bag></dc:a><![CDATA[x]]>"),
      ]
    Self.run("packets", corpus, count: 10_000) { bytes throws(BackdropError) in
      _ = try AuxiliaryXMP(bytes)
      var editor = XMPEditor(bytes)
      try editor.remove { GoogleNamespace.describesDepth($0.name) }
      try editor.add([XMPProperty(GoogleNamespace.depth, "Near", "1")])
      _ = try XMPPacket(editor.packet)
    }
  }

  @Test func metadata() throws {
    var exif = PhotoMetadata()
    exif.setEXIFOrientation(.right)
    let corpus = [try #require(exif.exif), Array(MPFIndex.payload(count: 4).dropFirst(4))]
    Self.run("metadata", corpus, count: 10_000) { bytes throws(BackdropError) in
      var metadata = PhotoMetadata(exif: bytes)
      _ = metadata.shot
      metadata.setEXIFOrientation(.down)
      _ = try MPFIndex(bytes, in: bytes.indices)
    }
  }

  @Test func floatMaps() {
    let corpus = [PFM.encode(Plane(repeating: 1.5, width: 9, height: 5))]
    Self.run("float maps", corpus, count: 5000) { bytes throws(BackdropError) in _ = try PFM.decode(bytes) }
  }
}
