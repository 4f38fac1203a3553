import BackdropImaging
import Libc
import Synchronization

/// Keeps the pictures of a video that are far from a key frame and slow to decode, at preview size, so that they can be shown at once.
/// They are in an unnamed file, which ends with the video or the studio.
final class PreviewFrames: Sendable {
  /// The maximum size for one video in bytes: about eight minutes of 1280×720.
  static let maximumBytes = 1 << 30

  private struct Frame {
    var seconds: Double
    /// The position in the file, and the length; 0 for a picture near its key frame.
    var offset: Int, count: Int
  }

  private let descriptor: Int32
  private let state = Mutex((frames: [Frame](), byteCount: 0, isComplete: false))

  /// - Parameter path: the video's path; the file is created beside it.
  /// - Returns: `nil` if the file cannot be created; all pictures are then decoded.
  init?(beside path: String) {
    let name = path + ".frames"
    descriptor = FileCalls.openFile(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    guard descriptor >= 0 else { return nil }
    FileCalls.removeFile(name)
  }

  deinit { close(descriptor) }

  /// Adds the video's next picture; `jpeg` is `nil` for one that decodes quickly.
  func add(_ seconds: Double, _ jpeg: [UInt8]?) {
    let (offset, hasSpace) = state.withLock { ($0.byteCount, $0.byteCount < Self.maximumBytes) }
    var count = 0
    if let jpeg, hasSpace {
      // If the disk is full, this picture is decoded when needed.
      count = jpeg.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if count != jpeg.count { count = 0 }
    }
    state.withLock { state in
      state.frames.append(Frame(seconds: seconds, offset: offset, count: count))
      state.byteCount += count
    }
  }

  /// Records that no picture follows.
  func finish() { state.withLock { $0.isComplete = true } }

  /// The picture at a time, with its start and end; `nil` if it is not kept, or not yet.
  func picture(at seconds: Double) -> (jpeg: [UInt8], from: Double, until: Double)? {
    let found = state.withLock { state -> (Frame, Double)? in
      let next = state.frames.partitioningIndex { $0.seconds > seconds + 1e-6 }
      guard next > 0, next < state.frames.count || state.isComplete, state.frames[next - 1].count > 0 else {
        return nil
      }
      return (state.frames[next - 1], next < state.frames.count ? state.frames[next].seconds : .infinity)
    }
    guard let (frame, until) = found else { return nil }
    var bytes = [UInt8](repeating: 0, count: frame.count)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(frame.offset)) }
    return got == frame.count ? (bytes, frame.seconds, until) : nil
  }
}
