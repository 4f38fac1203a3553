import Backdrop
import BackdropHTTP
import BackdropImaging
import NIOCore
import Synchronization

/// A file that came with a request.
struct SentFile: Sendable {
  var bytes: ByteBuffer
  /// The ending of its name, where it has one.
  var ending: String
}

/// The files of one request, which go with it.
final class RequestFiles: Sendable {
  private let folder: DropFolder
  private let paths = Mutex<[String]>([])

  init(_ folder: DropFolder) { self.folder = folder }

  deinit {
    for path in paths.withLock({ $0 }) { folder.remove(path) }
  }

  /// Writes a file, for this user alone.
  ///
  /// - Throws: `system`, as where the disk is full.
  func write(_ file: SentFile) throws(BackdropError) -> String {
    let path = try folder.write(Array(buffer: file.bytes), ending: file.ending, reservation: nil)
    paths.withLock { $0.append(path) }
    return path
  }

  /// The name of a file that is to be written.
  func name(ending: String) -> String {
    let path = folder.name(ending: ending)
    paths.withLock { $0.append(path) }
    return path
  }

  /// Removes all but the result.
  func keep(only path: String) {
    let others = paths.withLock { paths in
      defer { paths = [path] }
      return paths.filter { $0 != path }
    }
    for other in others { folder.remove(other) }
  }

  /// Opens the file that a client sent. Every picture and video of a stranger is opened here and nowhere else.
  ///
  /// - Throws: what is wrong with the file.
  static func open(_ path: String, options: SceneInput.Options) throws(BackdropError) -> any SceneSource {
    do throws(BackdropError) {
      return try SceneInput.open(path, options: options)
    } catch {
      // The client knows no paths of this machine.
      throw BackdropError(error.kind, error.message, hint: error.remedy)
    }
  }
}
