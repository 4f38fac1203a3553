import Backdrop
import BackdropHTTP
import BackdropImaging
import NIOCore
import Synchronization

/// A file in a request.
struct SentFile: Sendable {
  var bytes: ByteBuffer
  /// The extension of its name; empty without one.
  var ending: String
}

/// The files of one request; they are removed with it.
final class RequestFiles: Sendable {
  private let folder: DropFolder
  private let paths = Mutex<[String]>([])

  init(_ folder: DropFolder) { self.folder = folder }

  deinit {
    for path in paths.withLock({ $0 }) { folder.remove(path) }
  }

  /// Writes a file that only this user can read.
  ///
  /// - Throws: `system`, for example if the disk is full.
  func write(_ file: SentFile) throws(BackdropError) -> String {
    let path = try folder.write(Array(buffer: file.bytes), ending: file.ending, reservation: nil)
    paths.withLock { $0.append(path) }
    return path
  }

  /// A path for a file to write.
  func name(ending: String) -> String {
    let path = folder.name(ending: ending)
    paths.withLock { $0.append(path) }
    return path
  }

  /// Removes all files except the result.
  func keep(only path: String) {
    let others = paths.withLock { paths in
      defer { paths = [path] }
      return paths.filter { $0 != path }
    }
    for other in others { folder.remove(other) }
  }

  /// Opens a client's file. All pictures and videos of clients are opened here and nowhere else.
  ///
  /// - Throws: the errors of the file, without its path.
  static func open(_ path: String, options: SceneInput.Options) throws(BackdropError) -> any SceneSource {
    do throws(BackdropError) {
      return try SceneInput.open(path, options: options)
    } catch {
      // Clients must not learn paths of this machine.
      throw BackdropError(error.kind, error.message, hint: error.remedy)
    }
  }
}
