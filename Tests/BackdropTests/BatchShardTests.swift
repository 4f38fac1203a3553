import Backdrop
import Foundation
import TestSupport
import Testing

/// Splitting a batch over several processes.
@Suite struct BatchShardTests {
  /// Sums by the definitions of FNV-1a (64 bits) and of MurmurHash3's final mix, in Python integers. The sums must never change: processes
  /// of different versions would do some work twice.
  @Test(arguments: [
    ("00001.png", 6), ("00002.png", 7), ("IMG_0001.JPG", 8), ("\u{E9}.png", 2), ("walk", 5), ("photos/walk", 5),
    ("/a/b/walk/", 5), ("./00001.png", 6),
  ])
  func namesDecide(input: String, number: Int) throws {
    for other in 1...8 { #expect(try Batch.Shard(other, of: 8).contains(input) == (other == number)) }
  }

  /// Each name is in one shard, and the shards' sizes match chance: Pearson's χ² compared with the quantile of one in a million (Wilson and
  /// Hilferty's approximation).
  @Test(arguments: [1, 2, 3, 8, 16, 100], ["%05d.png", "IMG_%d.JPG", "%d"])
  func shardsAreEven(count: Int, pattern: String) throws {
    let names = (0..<5000).map { String(format: pattern, $0) }
    var total = 0
    var sum = 0.0
    let expected = Double(names.count) / Double(count)
    for number in 1...count {
      let shard = try Batch.Shard(number, of: count)
      let size = names.count(where: shard.contains)
      total += size
      sum += (Double(size) - expected) * (Double(size) - expected) / expected
    }
    #expect(total == names.count)
    let freedom = Double(count - 1)
    guard freedom > 0 else { return }
    let root = 1 - 2 / (9 * freedom) + 4.753 * (2 / (9 * freedom)).squareRoot()
    #expect(sum < freedom * root * root * root)
  }

  @Test(
    arguments: [
      ("3/8", nil), ("1/1", nil), ("0/8", "shard 0/8 does not exist"), ("9/8", "shard 9/8 does not exist"),
      ("3", "'3' is not a shard"),
      ("3/", "'3/' is not a shard"), ("a/8", "'a/8' is not a shard"), ("3/8/1", "'3/8/1' is not a shard"),
      ("1/0", "cannot split the inputs into 0 shards"), ("1/-2", "cannot split the inputs into -2 shards"),
      ("1/99999999999999999999", "is not a shard"),
    ] as [(String, String?)])
  func words(text: String, says: String?) throws {
    do {
      let shard = try Batch.Shard(text)
      #expect(says == nil && shard.description == text)
    } catch {
      #expect(error.kind == .wrongArgument && says.map { error.message.contains($0) } == true, "\(error)")
      #expect(error.hint != nil)
    }
  }

  /// Two shards find no folder and create it; neither removes it while the other is about to write to it.
  @Test func shardsMakeOneFolder() throws {
    let folder = TemporaryFolder()
    let batches = try (1...2).map { number in
      try Batch(
        ["sim:talking?size=64x48&seconds=0.1"], to: folder.path + "/out", making: .result,
        shard: try Batch.Shard(number, of: 2), Job.Plan())
    }
    #expect(batches.map(\.items.count).sorted() == [0, 1] && batches.allSatisfy { $0.inputCount == 1 })
    for batch in batches { #expect(try !batch.makeFolder()) }
    #expect(FileManager.default.fileExists(atPath: folder.path + "/out"))
  }
}
