import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The cache of compiled networks opens a file only if it is complete and no other user can write it.
@Suite struct CompiledNetworksTests {
  private static func keep(_ text: String, as name: UInt64, in cache: CompiledNetworks) {
    // The runtime writes into the existing file.
    cache.keep(name, ["in", "", "out"]) { FileManager.default.createFile(atPath: $0, contents: Data(text.utf8)) }
  }

  private static func kept(_ name: UInt64, in cache: CompiledNetworks) -> String? {
    guard let kept = cache.network(name) else { return nil }
    #expect(kept.names == ["in", "", "out"])
    return String(decoding: kept.network, as: UTF8.self)
  }

  @Test func whatIsKeptIsFound() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.file("cache/networks"))
    #expect(Self.kept(1, in: cache) == nil)
    Self.keep("one", as: 1, in: cache)
    Self.keep("two", as: 2, in: cache)
    #expect(Self.kept(1, in: cache) == "one" && Self.kept(2, in: cache) == "two" && Self.kept(3, in: cache) == nil)
    Self.keep("another", as: 2, in: cache)
    #expect(Self.kept(2, in: cache) == "another")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder).count == 2, "no drafts are left")
    cache.drop(1)
    #expect(Self.kept(1, in: cache) == nil && Self.kept(2, in: cache) == "another")
    cache.clear()
    #expect(Self.kept(2, in: cache) == nil)
  }

  /// The cache rejects every changed byte, missing or extra bytes, a missing checksum, and a file that others can write.
  @Test func damageIsNotOpened() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.path)
    let file = URL(fileURLWithPath: folder.file("1"))
    let text = "whole, but for one letter"
    Self.keep(text, as: 1, in: cache)
    let whole = try Data(contentsOf: file)
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x20
      try damaged.write(to: file)
      #expect(Self.kept(1, in: cache) == nil, "byte \(index)")
    }
    for damaged in [Data(), whole.dropLast(), whole.dropLast(8), whole + whole, whole + [0], whole.suffix(8)] {
      try damaged.write(to: file)
      #expect(Self.kept(1, in: cache) == nil, "\(damaged.count) bytes")
    }
    try whole.write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(Self.kept(1, in: cache) == text)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path)
    #expect(Self.kept(1, in: cache) == nil)
    Self.keep(text, as: 1, in: cache)
    #expect(Self.kept(1, in: cache) == text)
  }

  /// A failed write leaves nothing behind, and a folder that is not writable does not prevent the network's use.
  @Test func faultsLeaveNothing() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.path)
    cache.keep(1, []) { file in
      #expect(FileManager.default.createFile(atPath: file, contents: Data("half".utf8)))
      return false
    }
    #expect(folder.contents.isEmpty)
    #expect(FileManager.default.createFile(atPath: folder.file("file"), contents: nil))
    for path in ["/proc/networks", folder.file("file")] {
      let none = CompiledNetworks(folder: path)
      Self.keep("x", as: 1, in: none)
      #expect(Self.kept(1, in: none) == nil)
    }
  }

  /// The cache removes the oldest files if there are too many, and a killed program's drafts after an hour. It keeps the draft of a running
  /// program.
  @Test func staysSmall() throws {
    let folder = TemporaryFolder()
    var cache = CompiledNetworks(folder: folder.path)
    cache.largestSize = 2500
    func age(_ name: String, _ seconds: Double) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: folder.file(name))
    }
    for name in [".new-old", ".new-now"] {
      #expect(FileManager.default.createFile(atPath: folder.file(name), contents: Data()))
    }
    try age(".new-old", 4000)
    for key in 1...4 as ClosedRange<UInt64> {
      Self.keep(String(repeating: "x", count: 1000), as: key, in: cache)
      try age(String(key, radix: 36), Double(100 - key))
    }
    #expect(folder.contents == [".new-now", "3", "4"])
  }

  /// The second time the runtime opens its own compiled file, and the network works the same.
  @Test(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
  func theRuntimeOpensIt() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.path)
    let path = try #require(ModelStore().path(of: NetworkDescription.selfieGeneral.file))
    func result() throws -> [Float] {
      let network = try Network.load(path, Network.Form(), cache: cache)
      for index in network.input().indices { network.input()[index] = Float(index % 251) / 251 }
      try network.run()
      return Array(network.output())
    }
    let first = try result()
    let made = folder.contents
    #expect(made.count == 1)
    func date() throws -> Date? {
      try FileManager.default.attributesOfItem(atPath: folder.file(made[0]))[.modificationDate] as? Date
    }
    let before = try date()
    #expect(try result() == first)
    #expect(try folder.contents == made && date() == before)
    _ = try Network.load(path, Network.Form(threads: 2), cache: cache)
    #expect(folder.contents.count == 2, "another form has a file of its own")
    // If the runtime rejects a file, the cache creates it again.
    cache.keep(try #require(UInt64(made[0], radix: 36)), []) {
      FileManager.default.createFile(atPath: $0, contents: Data("?".utf8))
    }
    #expect(try result() == first)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.file(made[0]))[.size] as? Int ?? 0 > 1000)
  }
}
