import BackdropImaging
import CFFmpeg
import Libc
import Synchronization

/// Stops FFmpeg's libraries from writing to stderr, and adds their first messages to our errors.
///
/// The libraries have one log for the whole process, so a message is matched to a call by its thread; messages of
/// decoder and encoder threads are dropped.
package enum FFmpegLog {
  private static let byThread = Mutex<[pthread_t: [String]]>([:])
  /// A damaged file can cause a message for every packet; only the first few are useful.
  private static let limit = 8

  private static let installed: Void = {
    bd_log_install { text in if let text { FFmpegLog.keep(text) } }
  }()

  private static func keep(_ text: UnsafePointer<CChar>) {
    let thread = pthread_self()
    guard byThread.withLock({ ($0[thread]?.count ?? limit) < limit }) else { return }
    let line = String(cString: text).split(whereSeparator: \.isNewline).joined(separator: " ")
    guard !line.isEmpty else { return }
    byThread.withLock { $0[thread]?.append(line) }
  }

  /// Silences the libraries; repeated calls are cheap.
  package static func install() { _ = installed }

  /// Makes a call, and adds the libraries' messages to the error of a failed one; `doing` completes "cannot …".
  package static func checking(_ doing: String, path: String? = nil, _ call: () -> Int32) throws(BackdropError) {
    let (code, messages) = capturing { FFmpegCode(call()) }
    try code.check(doing, messages: messages, path: path)
  }

  /// Runs `body` and returns the libraries' messages on this thread meanwhile.
  package static func capturing<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> (result: R, messages: [String]) {
    install()
    let thread = pthread_self()
    byThread.withLock { $0[thread] = [] }
    defer { byThread.withLock { $0[thread] = nil } }
    let result = try body()
    return (result, byThread.withLock { $0[thread] ?? [] })
  }
}

package struct FFmpegCode: Equatable {
  package var value: Int32

  package init(_ value: Int32) { self.value = value }

  package static let again = FFmpegCode(bd_averror(EAGAIN))
  package static let endOfFile = FFmpegCode(bd_averror_eof())
  package static let invalidData = FFmpegCode(bd_averror_invalid_data())
  package static let notImplemented = FFmpegCode(bd_averror_patchwelcome())

  package var isFailure: Bool { value < 0 }

  package var text: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      // The buffer has a capacity above zero, so it has an address.
      av_strerror(value, buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }

  /// Throws the error of a failed step; `doing` completes "cannot …".
  package func check(_ doing: String, messages: [String] = [], path: String? = nil) throws(BackdropError) {
    guard !isFailure else { throw error(doing, messages: messages, path: path) }
  }

  /// An error for a failed step; `doing` completes "cannot …".
  package func error(_ doing: String, messages: [String] = [], path: String?) -> BackdropError {
    let hint: Hint? =
      switch value {
      case bd_averror(ENOSPC), bd_averror(EDQUOT): "free some space, or choose another place"
      case bd_averror(EFBIG): "the file system or a limit of your account allows no larger file; choose another place"
      default: nil
      }
    let kind: BackdropError.Kind = self == .invalidData || self == .endOfFile ? .badData : .system
    let detail = messages.first.map { "\(text); \($0)" } ?? text
    return BackdropError(kind, "Backdrop cannot \(doing) (\(detail))", path: path, hint: hint)
  }
}
