import BackdropImaging
import Libc
import Synchronization

/// Pictures of a video that are far behind a key frame, which would take long to decode: kept at the preview's size in a file
/// without a name, so that each is at hand when somebody looks there. It goes with the video, or with the studio.
final class PreviewFrames: Sendable {
  /// Bytes for one video: some eight minutes of 1280×720.
  static let maximumBytes = 1 << 30

  private struct Frame {
    var seconds: Double
    /// Where it is in the file, and its length; 0 for a picture that is near its key frame.
    var offset: Int, count: Int
  }

  private let descriptor: Int32
  private let state = Mutex((frames: [Frame](), byteCount: 0, isComplete: false))

  /// - Parameter path: of the video; the file is made beside it.
  /// - Returns: `nil` where none can be made: pictures are decoded then.
  init?(beside path: String) {
    let name = path + ".frames"
    descriptor = FileCalls.openFile(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    guard descriptor >= 0 else { return nil }
    FileCalls.removeFile(name)
  }

  deinit { close(descriptor) }

  /// Adds the video's next picture.
  ///
  /// - Parameters:
  ///   - seconds: when it is seen.
  ///   - jpeg: what to keep; `nil` for a picture that is quickly decoded.
  func add(_ seconds: Double, _ jpeg: [UInt8]?) {
    let (offset, hasSpace) = state.withLock { ($0.byteCount, $0.byteCount < Self.maximumBytes) }
    var count = 0
    if let jpeg, hasSpace {
      // Where the disk is full it is decoded like the others.
      count = jpeg.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if count != jpeg.count { count = 0 }
    }
    state.withLock { state in
      state.frames.append(Frame(seconds: seconds, offset: offset, count: count))
      state.byteCount += count
    }
  }

  /// No picture follows.
  func finish() { state.withLock { $0.isComplete = true } }

  /// The picture that is seen at a time, from when until when; `nil` where it is not kept, or not yet.
  func picture(at seconds: Double) -> (jpeg: [UInt8], from: Double, until: Double)? {
    let found = state.withLock { state -> (Frame, Double)? in
      var (low, high) = (0, state.frames.count)
      while low < high {
        let middle = (low + high) / 2
        if state.frames[middle].seconds <= seconds + 1e-6 { low = middle + 1 } else { high = middle }
      }
      guard low > 0, low < state.frames.count || state.isComplete, state.frames[low - 1].count > 0 else { return nil }
      return (state.frames[low - 1], low < state.frames.count ? state.frames[low].seconds : .infinity)
    }
    guard let (frame, until) = found else { return nil }
    var bytes = [UInt8](repeating: 0, count: frame.count)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(frame.offset)) }
    return got == frame.count ? (bytes, frame.seconds, until) : nil
  }
}
