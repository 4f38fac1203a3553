import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The cache of compiled networks: what is in it is whole and nobody else's, or it is not opened.
@Suite struct CompiledNetworksTests {
  /// Stands for the runtime: leaves a file where it finds none. Returns what it found, or `nil`.
  private static func compile(_ text: String) -> (String?) -> String? {
    { folder in
      guard let folder else { return nil }
      let file = folder + "/17.blob"
      if let found = FileManager.default.contents(atPath: file) { return String(decoding: found, as: UTF8.self) }
      #expect(FileManager.default.createFile(atPath: file, contents: Data(text.utf8)))
      return nil
    }
  }

  @Test func whatWasCompiledIsOpened() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.file("cache/networks"))
    #expect(try cache.compile(1, Self.compile("one")) == nil)
    #expect(try cache.compile(2, Self.compile("two")) == nil)
    #expect(try cache.compile(1, Self.compile("other")) == "one")
    #expect(try cache.compile(2, Self.compile("other")) == "two")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder).count == 2, "no drafts are left")
    cache.clear()
    #expect(try cache.compile(1, Self.compile("again")) == nil)
  }

  /// Each byte that is another, more or less of them, a checksum that is lost or another's.
  @Test func damageIsCompiledAnew() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.path)
    let place = folder.file(String(1, radix: 36))
    let (file, sum) = (place + "/17.blob", place + "/checksum")
    let damages: [() throws -> Void] = [
      { try Data("whole, but for one letteR".utf8).write(to: URL(fileURLWithPath: file)) },
      { try Data("whole".utf8).write(to: URL(fileURLWithPath: file)) },
      { try FileManager.default.removeItem(atPath: file) }, { try FileManager.default.removeItem(atPath: sum) },
      { try Data("1abc".utf8).write(to: URL(fileURLWithPath: sum)) },
      { try Data("another".utf8).write(to: URL(fileURLWithPath: place + "/18.blob")) },
      { try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file) },
      { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place) },
    ]
    for (index, damage) in damages.enumerated() {
      #expect(try cache.compile(1, Self.compile("whole, but for one letter")) == nil, "before \(index)")
      #expect(try cache.compile(1, Self.compile("x")) == "whole, but for one letter", "\(index)")
      try damage()
      #expect(try cache.compile(1, Self.compile("new")) == nil, "\(index)")
      #expect(try cache.compile(1, Self.compile("x")) == "new", "\(index)")
      cache.clear()
    }
  }

  /// A network that cannot be compiled leaves nothing behind, and neither does a folder that cannot be written keep one from use.
  @Test func faultsLeaveNothing() throws {
    let folder = TemporaryFolder()
    let cache = CompiledNetworks(folder: folder.path)
    #expect(throws: BackdropError.self) {
      try cache.compile(1) { (place) throws(BackdropError) -> Int in
        _ = Self.compile("half")(place)
        throw BackdropError(.badData, "no")
      }
    }
    #expect(folder.contents.isEmpty)
    #expect(try CompiledNetworks(folder: "/proc/networks").compile(1, Self.compile("x")) == nil)
    #expect(FileManager.default.createFile(atPath: folder.file("file"), contents: nil))
    #expect(try CompiledNetworks(folder: folder.file("file")).compile(1, Self.compile("x")) == nil)
  }

  /// The oldest go when there is too much, and what a killed program left an hour ago; a draft of a running one stays.
  @Test func staysSmall() throws {
    let folder = TemporaryFolder()
    var cache = CompiledNetworks(folder: folder.path)
    cache.largestSize = 2500
    func age(_ name: String, _ seconds: Double) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: folder.file(name))
    }
    for name in [".new-old", ".new-now"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    }
    try age(".new-old", 4000)
    for key in 1...4 as ClosedRange<UInt64> {
      _ = try cache.compile(key, Self.compile(String(repeating: "x", count: 1000)))
      try age(String(key, radix: 36), Double(100 - key))
    }
    #expect(folder.contents == [".new-now", "3", "4"])
  }

  /// The runtime itself: the second time it opens what it made, and the network does the same.
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
    func files() throws -> [String] {
      try folder.contents.flatMap { name in
        try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).map { "\(name)/\($0)" }.sorted()
      }
    }
    let made = try files()
    #expect(made.count == 2 && made.contains { $0.hasSuffix(".blob") })
    let dates = try made.map {
      try FileManager.default.attributesOfItem(atPath: folder.file($0))[.modificationDate] as? Date
    }
    #expect(try result() == first)
    #expect(try files() == made)
    #expect(
      try made.map { try FileManager.default.attributesOfItem(atPath: folder.file($0))[.modificationDate] as? Date }
        == dates)
    _ = try Network.load(path, Network.Form(threads: 2), cache: cache)
    #expect(try files().count == 4, "another form has a place of its own")
  }
}
