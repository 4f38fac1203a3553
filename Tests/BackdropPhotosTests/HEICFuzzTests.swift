import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Damaged files may cause any error, but no trap, hang or excessive memory. `BACKDROP_FUZZ_SECONDS` sets the duration,
/// `BACKDROP_FUZZ_SEED` the first seed.
@Suite struct HEICFuzzTests {
  static let seconds = ProcessInfo.processInfo.environment["BACKDROP_FUZZ_SECONDS"].flatMap(Double.init)
  /// The number of files if no time is given.
  static let count: UInt64 = 300
  static let seed = ProcessInfo.processInfo.environment["BACKDROP_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

  /// Small files of all forms, with encoded pictures if there is an encoder.
  static let corpus: [[UInt8]] = {
    var result: [[UInt8]] = []
    for version in 0...2 {
      var made = MadeHEIC()
      (made.ilocVersion, made.ipmaVersion, made.hasWideIndices) = (version, version / 2, version == 1)
      (made.infeVersion, made.baseSize, made.indexSize) = (version == 2 ? 3 : 2, 4, version > 0 ? 4 : 0)
      made.irefVersion = version / 2
      made.hasLargeBoxes = version == 2
      made.properties = [
        .size(width: 32, height: 16), .auxiliaryType("urn:x"), .icc([1, 2, 3]), .bits([8, 8, 8]),
        HEICProperty(.rotation(quarters: 1)),
        HEICProperty(.cleanAperture(.init(width: .init(8), height: .init(8), offsetX: .init(0), offsetY: .init(0)))),
      ]
      made.items = [
        MadeHEIC.Item(id: 1, type: "grid", pieces: [[0, 0, 0, 1, 0, 32, 0, 16]], properties: [(1, true), (5, true)]),
        MadeHEIC.Item(
          id: 2, type: "hvc1", method: version > 0 ? 1 : 0, pieces: [[1], [2, 3]], properties: [(1, true)]),
        MadeHEIC.Item(id: 3, type: "iden", pieces: [], properties: [(1, true), (2, true), (6, true)]),
        MadeHEIC.Item(id: 4, contentType: "application/rdf+xml", pieces: [Array("<x/>".utf8)]),
        MadeHEIC.Item(id: 5, type: "Exif", pieces: [[0, 0, 0, 0, 77, 77, 0, 42]]),
      ]
      if version > 0 {
        made.items.append(MadeHEIC.Item(id: 6, method: 2, extents: [(1, 0, 2), (2, 1, 2)]))
        made.references.append(ItemReference("iloc", from: 6, to: [2, 1]))
      }
      made.references += [
        ItemReference("dimg", from: 1, to: [2, 2]), ItemReference("dimg", from: 3, to: [1]),
        ItemReference("auxl", from: 3, to: [1, 2]), ItemReference("cdsc", from: 4, to: [3, 1]),
        ItemReference("cdsc", from: 5, to: [1]), ItemReference("thmb", from: 2, to: [1]),
      ]
      result.append(made.bytes())
    }
    guard HEICTool.canEncode else { return result }
    do {
      var picture = HEICWriterTests.picture(48, 40, seed: 1)
      picture.color.space = ColorSpace(ColorProfile([1, 2, 3]))
      var photo = DepthPhoto(picture: DecodedPicture(picture), orientation: .rightMirrored)
      photo.metadata.exif = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
      let depth = DepthProperties(.disparity, .uint8, first: 1, last: 2)
      photo.set(
        AuxiliaryImage(
          .depth, DecodedPicture(Image(gray: HEICWriterTests.gray(24, 20, upTo: UInt8.max, seed: 2))), depth: depth))
      photo.set(
        AuxiliaryImage(
          .matte(.portrait), DecodedPicture(Image(gray: HEICWriterTests.gray(24, 20, upTo: UInt8.max, seed: 3)))))
      result.append(try photo.heic())
      var draft = HEICDraft()
      try draft.setPrimary(HEICWriterTests.picture(1026, 20, seed: 4))
      try draft.addAuxiliary(
        HEVCSource(HEICWriterTests.gray(33, 17, upTo: UInt16(1023), seed: 5), bitDepth: 10),
        urn: AuxiliaryKind.depthURN,
        subtype: DepthRepresentation(least: 1, greatest: 2, type: 1).subtype)
      result.append(try draft.encoded())
    } catch {
      // An encoder exists, so this is a failure; the missing files reveal it.
      return result
    }
    return result
  }()

  @Test(.enabled(if: HEICTool.canEncode, "needs libx265")) func codedPicturesAreDamagedToo() {
    #expect(Self.corpus.count == 5)
  }

  /// Calls every operation on a file.
  static func exercise(_ bytes: [UInt8]) throws(BackdropError) {
    var limits = HEICLimits.standard
    limits.picture = ImageLimits(side: 4096, pixels: 1_000_000)
    limits.metadata = 1 << 20
    let file = try HEICFile(bytes, limits: limits)
    func attempt(_ work: () throws(BackdropError) -> Void) {
      do { try work() } catch { _ = error.description }
    }
    for item in file.items.prefix(20) {
      attempt { () throws(BackdropError) in _ = try file.data(of: item, limit: 1 << 20) }
      attempt { () throws(BackdropError) in _ = try file.decode(item, threads: 2) }
      attempt { () throws(BackdropError) in _ = try file.xmp(of: item) }
    }
    attempt { () throws(BackdropError) in
      let photo = try DepthPhoto(file)
      attempt { () throws(BackdropError) in _ = try photo.depth() }
      for kind in photo.mattes { attempt { () throws(BackdropError) in _ = try photo.matte(kind) } }
      attempt { () throws(BackdropError) in _ = try DepthPhoto(HEICFile(try photo.heic(), limits: limits)) }
    }
    attempt { () throws(BackdropError) in
      var draft = try HEICDraft(copying: file)
      draft.turn(from: .up, to: .right)
      for auxiliary in file.auxiliaries.prefix(3) { draft.remove(auxiliary.item.id) }
      _ = try HEICFile(draft.encoded(), limits: limits)
    }
  }

  static func mutate(_ bytes: [UInt8], _ random: inout SeededRandom, with other: [UInt8]) -> [UInt8] {
    var result = bytes
    // Usually one change, so that files can still be opened.
    for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 4 : 1) {
      guard result.count > 16 else { break }
      let at = Int.random(in: 0..<result.count - 8, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0: result[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: result[at] = UInt8.random(in: .min ... .max, using: &random)
      case 2:
        let edges: [UInt32] = [0, 1, 7, 8, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        let value = edges[Int.random(in: 0..<edges.count, using: &random)]
        for index in 0..<4 { result[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
      case 3: result.removeSubrange(at..<min(at + Int.random(in: 1...16, using: &random), result.count))
      case 4: result.removeSubrange(at...)
      case 5:
        let count = Int.random(in: 1...32, using: &random)
        result.insert(contentsOf: result[at..<min(at + count, result.count)], at: at)
      case 6:
        // A piece of another file of the corpus.
        let from = Int.random(in: 0..<other.count - 8, using: &random)
        let piece = other[from..<min(from + Int.random(in: 1...64, using: &random), other.count)]
        result.replaceSubrange(at..<min(at + piece.count, result.count), with: piece)
      case 7: result.swapAt(at, at + Int.random(in: 1...7, using: &random))
      default:
        // Small numbers, like versions, counts and indices.
        result[at] = UInt8.random(in: 0...4, using: &random)
      }
    }
    return result
  }

  @Test func damagedFilesGiveErrors() throws {
    let start = ContinuousClock.now
    var seed = Self.seed
    var slowest = (seed: UInt64(0), time: 0.0)
    while Self.seconds.map({ ContinuousClock.now - start < .seconds($0) }) ?? (seed < Self.seed + Self.count) {
      var random = SeededRandom(seed: seed)
      let base = Self.corpus[Int(random.next() % UInt64(Self.corpus.count))]
      let other = Self.corpus[Int(random.next() % UInt64(Self.corpus.count))]
      let bytes = Self.mutate(base, &random, with: other)
      let time = processorSeconds {
        do throws(BackdropError) {
          try Self.exercise(bytes)
        } catch {
          #expect(!error.message.isEmpty && !error.message.contains("\n"), "seed \(seed)")
        }
      }
      if time > slowest.time { slowest = (seed, time) }
      seed += 1
    }
    // A file of a few kilobytes must not take longer.
    #expect(slowest.time < 60, "seed \(slowest.seed) takes \(slowest.time)")
    if Self.seconds != nil { print("fuzz: seeds \(Self.seed)..<\(seed), slowest \(slowest)") }
  }
}
