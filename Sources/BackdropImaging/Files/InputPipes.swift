import CBackdropKernels
import Libc
import Synchronization

// The method below has the same name.
private let posixRead = read

/// The contents of pipes that are inputs: named pipes, and those of a shell's `<(…)`.
///
/// Inputs are opened several times, to recognize them and by several readers, but a pipe can be read only once. A program that ends with
/// its work, such as a command, keeps pipes: the first that opens one reads it to its end into memory, and all get that copy. A program
/// that runs for long does not, since it cannot know when a copy is out of date; it refuses pipes that need recognizing.
package enum InputPipes {
  package struct Keeping: Sendable {
    /// The largest contents in bytes, the same as for a file.
    package var limit = 1 << 30
    /// Called while reading waits; `true` gives up.
    package var isInterrupted: @Sendable () -> Bool
    /// Called once for a pipe that no program has opened to write into it, with its name.
    package var waiting: @Sendable (String) -> Void

    package init(isInterrupted: @escaping @Sendable () -> Bool, waiting: @escaping @Sendable (String) -> Void) {
      (self.isInterrupted, self.waiting) = (isInterrupted, waiting)
    }
  }

  private static let keeping = Mutex<Keeping?>(nil)
  /// The descriptors of the copies, open until the program ends.
  private static let copies = Mutex<[FileNumber: Int32]>([:])

  package static func keep(_ how: Keeping) { keeping.withLock { $0 = how } }

  /// Refuses longer contents than this many bytes; what is larger than a file may be changes nothing.
  package static func limit(to byteCount: Int) {
    keeping.withLock { if let limit = $0?.limit { $0?.limit = min(limit, byteCount) } }
  }

  /// Whether it is a pipe whose contents are kept, so that it serves as a file.
  package static func serves(_ path: String) -> Bool { isPipe(path) && keeping.withLock { $0 != nil } }

  static func isPipe(_ path: String) -> Bool {
    FileCalls.status(path).map { $0.st_mode & S_IFMT == S_IFIFO } ?? false
  }

  /// The path of the copy of a pipe, which this call reads if it is the first; `nil` for anything but a pipe, and if none are kept.
  ///
  /// - Throws: `overLimit` if the contents are too long, `interrupted`, `system`.
  package static func copy(of path: String) throws(BackdropError) -> String? {
    guard isPipe(path), let how = keeping.withLock({ $0 }), let number = FileNumber(path) else { return nil }
    // The lock is held while reading, so that a second thread does not read a part.
    let found = try copies.withLock { (copies) throws(BackdropError) in
      if let copy = copies[number] { return copy }
      let copy = try read(path, how)
      copies[number] = copy
      return copy
    }
    #if canImport(Glibc)
      return "/proc/self/fd/\(found)"
    #else
      return "/dev/fd/\(found)"
    #endif
  }

  /// Reads a pipe to its end; returns the descriptor of the copy.
  private static func read(_ path: String, _ how: Keeping) throws(BackdropError) -> Int32 {
    // A blocking call would wait for a writer, deaf to interruptions.
    let pipe = FileCalls.openFile(path, O_RDONLY | O_NONBLOCK)
    guard pipe >= 0 else { throw failure("open", path) }
    defer { close(pipe) }
    let copy = bd_memory_file()
    guard copy >= 0 else { throw failure("keep", path) }
    do throws(BackdropError) {
      try read(pipe, into: copy, path, how)
      return copy
    } catch {
      close(copy)
      throw error
    }
  }

  private static func read(_ pipe: Int32, into copy: Int32, _ path: String, _ how: Keeping) throws(BackdropError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var (total, rounds) = (0, 0)
    while true {
      if how.isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      let count = posixRead(pipe, &buffer, buffer.count)
      guard count <= 0 else {
        total += count
        guard total <= how.limit else {
          throw BackdropError(
            .overLimit, "the pipe's contents are longer than \(how.limit) bytes", path: path,
            hint: "save them to a file first")
        }
        guard FileDescriptor(copy).write(buffer.span.extracting(..<count)) == 0 else { throw failure("keep", path) }
        continue
      }
      guard count == 0 || errno == EAGAIN || errno == EINTR else { throw failure("read", path) }
      // 0 means that no program has it open for writing: the last one has closed it, or the first is yet to come.
      if count == 0 && total > 0 { return }
      var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, 100)
      if count == 0 && waiting.revents == Int16(POLLHUP) { return }
      rounds += 1
      if count == 0 && rounds == 10 { how.waiting(path) }
    }
  }

  private static func failure(_ verb: String, _ path: String) -> BackdropError {
    BackdropError(.system, "Backdrop cannot \(verb) the pipe (\(systemReason()))", path: path)
  }
}
