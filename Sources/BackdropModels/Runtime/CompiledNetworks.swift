import BackdropImaging
import Libc

/// Networks as they were compiled on this machine, kept in the user's cache (`$XDG_CACHE_HOME/backdrop/networks`): to compile one
/// takes longer than to run it on a picture.
///
/// Each is a file: what the runtime wrote, names of inputs and outputs, and a checksum of both. It is made beside its place and moved there when it is whole, so
/// neither a program that is killed nor two that compile at once leave half a network. What is damaged, or could have been changed by
/// others, is not opened. A cache that cannot be written is no matter: it is compiled each time.
package struct CompiledNetworks {
  /// Where they are.
  let folder: String
  /// So many bytes are kept, the newest networks first.
  var largestSize = 256 << 20
  private static let draft = ".new-"
  /// So old is a draft of a program that was killed, in seconds.
  private static let oldest = 3600

  /// Those of this user.
  package init() {
    self.init(folder: ProcessEnvironment.baseFolder("XDG_CACHE_HOME", usual: ".cache") + "/backdrop/networks")
  }

  init(folder: String) { self.folder = folder }

  /// The network of that name as the runtime wrote it, and the names that were kept with it; `nil` where none is kept, or what is
  /// kept is not to be trusted.
  func network(_ name: UInt64) -> (network: [UInt8], names: [String])? {
    let place = place(of: name)
    guard FileKind(place) == .file, let path = FileCalls.realPath(place) else { return nil }
    do throws(BackdropError) {
      try FileTrust.current.check(path)
      var bytes = try InputFile.read(path)
      guard let sum = Self.number(atEndOf: &bytes), sum == Checksum.words(bytes),
        let count = Self.number(atEndOf: &bytes), count <= bytes.count
      else { return nil }
      let names = String(decoding: bytes.suffix(Int(count)), as: UTF8.self)
      bytes.removeLast(Int(count))
      return (bytes, names.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init))
    } catch {
      return nil
    }
  }

  /// Keeps a network under a name that no other network, or form of it, has.
  ///
  /// - Parameters:
  ///   - names: kept with it.
  ///   - write: has the runtime write it to a file; whether that went well.
  func keep(_ name: UInt64, _ names: [String], _ write: (_ file: String) -> Bool) {
    do throws(BackdropError) {
      try Folder.make(folder)
    } catch {
      return
    }
    let made = folder + "/" + Self.draft + String(UInt64.random(in: .min ... .max), radix: 36)
    let descriptor = FileCalls.openFile(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    guard descriptor >= 0 else { return }
    close(descriptor)
    let place = place(of: name)
    guard write(made), seal(made, names), FileCalls.moveFile(made, to: place) == 0 else {
      remove(made)
      return
    }
    sweep()
  }

  /// Removes one that the runtime does not take.
  func drop(_ name: UInt64) { remove(place(of: name)) }

  /// Removes all.
  package func clear() { remove(folder) }

  private func place(of name: UInt64) -> String { folder + "/" + String(name, radix: 36) }

  private static let separator: Character = "\n"

  /// Puts the names and the checksum behind what the runtime wrote.
  private func seal(_ file: String, _ names: [String]) -> Bool {
    do throws(BackdropError) {
      let names = Array(names.joined(separator: String(Self.separator)).utf8)
      let end = names + Self.bytes(UInt64(names.count))
      let sum = Self.bytes(Checksum.words(try InputFile.read(file) + end))
      let descriptor = FileCalls.openFile(file, O_WRONLY | O_APPEND | O_NOFOLLOW)
      guard descriptor >= 0 else { return false }
      let failure = FileDescriptor(descriptor).write((end + sum).span)
      return close(descriptor) == 0 && failure == 0
    } catch {
      return false
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// Takes a number off the end of bytes.
  private static func number(atEndOf bytes: inout [UInt8]) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    let number = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    bytes.removeLast(8)
    return number
  }

  /// Removes the oldest of what is too much, and drafts that nobody will finish.
  private func sweep() {
    var kept: [(place: String, seconds: Int, size: Int)] = []
    let now = time(nil)
    for name in names {
      let place = folder + "/" + name
      guard let info = FileCalls.linkStatus(place) else { continue }
      let seconds = info.st_mtim.tv_sec
      if name.hasPrefix(Self.draft) {
        if now - seconds > Self.oldest { remove(place) }
        continue
      }
      kept.append((place, seconds, Int(info.st_size)))
    }
    var size = 0
    for entry in kept.sorted(by: { ($0.seconds, $0.place) > ($1.seconds, $1.place) }) {
      size += entry.size
      if size > largestSize { remove(entry.place) }
    }
  }

  private var names: [String] {
    do throws(BackdropError) { return try Folder.names(in: folder) } catch { return [] }
  }

  private func remove(_ place: String) {
    guard FileCalls.removeFile(place) != 0 else { return }
    // Somebody else has removed it then, or it stays.
    do throws(BackdropError) { try Folder.remove(place) } catch {}
  }
}
