import BackdropImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Networks as they were compiled on this machine, kept in the user's cache (`$XDG_CACHE_HOME/backdrop/networks`): to compile one
/// takes longer than to run it on a picture.
///
/// Each has a folder of its own with what the runtime wrote into it, and the checksum of that. It is made beside its place and moved
/// there when it is whole, so neither a program that is killed nor two that compile at once leave half a network. What is damaged, or
/// could have been changed by others, is not opened. A cache that cannot be written is no matter: it is compiled each time.
package struct CompiledNetworks {
  /// Where they are.
  let folder: String
  /// So many bytes are kept, the newest networks first.
  var largestSize = 256 << 20
  private static let sumName = "checksum", ending = ".blob", draft = ".new-"
  /// So old is a draft of a program that was killed, in seconds.
  private static let oldest = 3600

  /// Those of this user.
  package init() {
    self.init(folder: ProcessEnvironment.baseFolder("XDG_CACHE_HOME", usual: ".cache") + "/backdrop/networks")
  }

  init(folder: String) { self.folder = folder }

  /// A sum over bytes that tells damage, not malice, and one network from another: FNV-1a over words of 8 bytes.
  static func sum(_ bytes: [UInt8]) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    bytes.withUnsafeBytes { bytes in
      let words = bytes.count / 8
      for index in 0..<words {
        sum = (sum ^ bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)) &* 0x100_0000_01b3
      }
      for index in 8 * words..<bytes.count { sum = (sum ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    }
    return (sum ^ UInt64(bytes.count)) &* 0x100_0000_01b3
  }

  /// Compiles a network, or opens what was compiled before.
  ///
  /// - Parameters:
  ///   - name: what no other network, or form of it, is called.
  ///   - compile: does it; told the folder in which the runtime finds it, or is to leave it; `nil` for none.
  /// - Throws: what `compile` throws.
  func compile<Result>(
    _ name: UInt64, _ compile: (String?) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let place = folder + "/" + String(name, radix: 36)
    if isWhole(place) { return try compile(place) }
    let made = folder + "/" + Self.draft + String(UInt64.random(in: .min ... .max), radix: 36)
    guard begin(made) else { return try compile(nil) }
    let result: Result
    do throws(BackdropError) {
      result = try compile(made)
    } catch {
      remove(made)
      throw error
    }
    if !finish(made, place) { remove(made) }
    return result
  }

  /// Removes all.
  package func clear() { remove(folder) }

  private func begin(_ made: String) -> Bool {
    do throws(BackdropError) {
      try Folder.make(folder)
    } catch {
      return false
    }
    guard FileCalls.makeFolder(made, mode: 0o700) == 0 else { return false }
    return true
  }

  /// Moves a draft into its place; false if it has to go.
  private func finish(_ made: String, _ place: String) -> Bool {
    guard let bytes = content(of: made) else { return false }
    let sum = Array(String(Self.sum(bytes), radix: 36).utf8)
    do throws(BackdropError) {
      try OutputFile(made + "/" + Self.sumName, overwrite: false).write(sum.span)
    } catch {
      return false
    }
    // One that is damaged, or that another program has just made.
    if FileKind(place) != .absent { remove(place) }
    guard FileCalls.moveFile(made, to: place) == 0 else { return false }
    sweep()
    return true
  }

  private func isWhole(_ place: String) -> Bool {
    guard FileKind(place) == .folder, let bytes = content(of: place) else { return false }
    do throws(BackdropError) {
      return try InputFile.read(place + "/" + Self.sumName, limit: 100)
        == Array(String(Self.sum(bytes), radix: 36).utf8)
    } catch {
      return false
    }
  }

  /// The bytes of the one network in a folder; `nil` if there is none, or others can change it.
  private func content(of place: String) -> [UInt8]? {
    do throws(BackdropError) {
      let names = try Folder.names(in: place).filter { $0.hasSuffix(Self.ending) }
      guard names.count == 1, let path = FileCalls.realPath(place + "/" + names[0]) else { return nil }
      try FileTrust.current.check(path)
      return try InputFile.read(path)
    } catch {
      return nil
    }
  }

  /// Removes the oldest of what is too much, and drafts that nobody will finish.
  private func sweep() {
    var kept: [(place: String, seconds: Int, size: Int)] = []
    let now = time(nil)
    for name in names(in: folder) {
      let place = folder + "/" + name
      guard let info = FileCalls.linkStatus(place) else { continue }
      let seconds = info.st_mtim.tv_sec
      if name.hasPrefix(Self.draft) {
        if now - seconds > Self.oldest { remove(place) }
        continue
      }
      let size = names(in: place).reduce(0) {
        $0 + (FileCalls.linkStatus(place + "/" + $1).map { Int($0.st_size) } ?? 0)
      }
      kept.append((place, seconds, size))
    }
    var size = 0
    for entry in kept.sorted(by: { ($0.seconds, $0.place) > ($1.seconds, $1.place) }) {
      size += entry.size
      if size > largestSize { remove(entry.place) }
    }
  }

  private func names(in place: String) -> [String] {
    do throws(BackdropError) { return try Folder.names(in: place) } catch { return [] }
  }

  private func remove(_ place: String) {
    // Somebody else has removed it then, or it stays.
    do throws(BackdropError) { try Folder.remove(place) } catch {}
  }
}
