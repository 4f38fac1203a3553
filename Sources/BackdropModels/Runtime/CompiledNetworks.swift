import BackdropImaging
import Libc

/// Compiled networks in the user's cache (`$XDG_CACHE_HOME/backdrop/networks`), because compiling one takes longer than running it on a
/// picture.
///
/// Each is a file: the runtime's data, the names of inputs and outputs, and a checksum of both. It is written beside its final path and
/// moved there when complete, so that neither a killed program nor two that compile at once leave a partial network. A damaged file, or one
/// that others could have changed, is not opened. If the cache cannot be written, networks are compiled each time.
package struct CompiledNetworks {
  let folder: String
  /// The maximum size in bytes; the newest networks stay.
  var largestSize = 256 << 20
  private static let draft = ".new-"
  /// The minimum age of an abandoned draft, in seconds.
  private static let oldest = 3600

  /// The compiled networks of this user.
  package init() {
    self.init(folder: ProcessEnvironment.baseFolder("XDG_CACHE_HOME", usual: ".cache") + "/backdrop/networks")
  }

  init(folder: String) { self.folder = folder }

  /// The network of that name in the runtime's form, and the saved names; `nil` if there is none, or it cannot be trusted.
  func network(_ name: UInt64) -> (network: [UInt8], names: [String])? {
    let saved = path(of: name)
    guard FileKind(saved) == .file, let path = FileCalls.realPath(saved) else { return nil }
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

  /// Saves a network, with the names of its inputs and outputs, under a name unique to it and its form. `write` makes the runtime write it
  /// to a file, and returns whether it succeeded.
  func keep(_ name: UInt64, _ names: [String], _ write: (_ file: String) -> Bool) {
    guard (try? Folder.make(folder)) != nil else { return }
    let made = folder + "/" + Self.draft + String(UInt64.random(in: .min ... .max), radix: 36)
    let descriptor = FileCalls.openFile(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    guard descriptor >= 0 else { return }
    close(descriptor)
    let path = self.path(of: name)
    guard write(made), seal(made, names), FileCalls.moveFile(made, to: path) == 0 else {
      remove(made)
      return
    }
    sweep()
  }

  /// Removes a network that the runtime refuses.
  func drop(_ name: UInt64) { remove(path(of: name)) }

  package func clear() { remove(folder) }

  private func path(of name: UInt64) -> String { folder + "/" + String(name, radix: 36) }

  private static let separator: Character = "\n"

  /// Appends the names and the checksum to the runtime's data.
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

  /// Removes a number from the end of bytes.
  private static func number(atEndOf bytes: inout [UInt8]) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    let number = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    bytes.removeLast(8)
    return number
  }

  /// Removes the oldest networks over the limit, and abandoned drafts.
  private func sweep() {
    var kept: [(path: String, seconds: Int, size: Int)] = []
    let now = time(nil)
    // An unreadable folder contains none.
    for name in (try? Folder.names(in: folder)) ?? [] {
      let path = folder + "/" + name
      guard let info = FileCalls.linkStatus(path) else { continue }
      let seconds = info.st_mtim.tv_sec
      if !name.hasPrefix(Self.draft) {
        kept.append((path, seconds, Int(info.st_size)))
      } else if now - seconds > Self.oldest {
        remove(path)
      }
    }
    var size = 0
    for entry in kept.sorted(by: { ($0.seconds, $0.path) > ($1.seconds, $1.path) }) {
      size += entry.size
      if size > largestSize { remove(entry.path) }
    }
  }

  private func remove(_ path: String) {
    guard FileCalls.removeFile(path) != 0 else { return }
    // Another process has removed it, or it cannot be removed.
    do throws(BackdropError) { try Folder.remove(path) } catch {}
  }
}
