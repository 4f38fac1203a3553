import BackdropImaging
import CFFmpeg
import Libc
import Synchronization

/// Stops FFmpeg's libraries from writing to stderr, and adds their first messages to our errors.
///
/// The libraries have one log for the whole process, so a message is matched to a call by its thread; messages of
/// decoder and encoder threads are dropped.
package enum FFmpegLog {
  private struct State: Sendable {
    var byThread: [UInt: [String]] = [:]
  }

  private static let state = Mutex(State())
  /// A damaged file can cause a message for every packet; only the first few are useful.
  private static let limit = 8

  private static let installed: Void = {
    bd_log_install { text in if let text { FFmpegLog.keep(text) } }
  }()

  private static var thread: UInt { UInt(bitPattern: Int(truncatingIfNeeded: threadNumber())) }

  private static func keep(_ text: UnsafePointer<CChar>) {
    let key = thread
    let wanted = state.withLock { ($0.byThread[key]?.count ?? limit) < limit }
    guard wanted else { return }
    let line = String(cString: text).split(whereSeparator: \.isNewline).joined(separator: " ")
    guard !line.isEmpty else { return }
    state.withLock { $0.byThread[key]?.append(line) }
  }

  /// Silences the libraries; repeated calls are cheap.
  package static func install() { _ = installed }

  /// Runs `body` and returns the libraries' messages on this thread meanwhile.
  package static func capturing<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> (result: R, messages: [String]) {
    install()
    let key = thread
    state.withLock { $0.byThread[key] = [] }
    defer { state.withLock { $0.byThread[key] = nil } }
    let result = try body()
    return (result, state.withLock { $0.byThread[key] ?? [] })
  }
}

private func threadNumber() -> Int {
  #if canImport(Glibc)
    Int(bitPattern: UInt(pthread_self()))
  #else
    Int(bitPattern: pthread_self())
  #endif
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

  /// An error for a failed step; `doing` completes "cannot …".
  package func error(_ doing: String, messages: [String] = [], path: String?) -> BackdropError {
    let kind: BackdropError.Kind
    var hint: String?
    switch value {
    case bd_averror(ENOSPC), bd_averror(EDQUOT):
      kind = .system
      hint = "free some space, or choose another place"
    case bd_averror(EFBIG):
      kind = .system
      hint = "the file system or a limit of your account allows no larger file; choose another place"
    case FFmpegCode.invalidData.value, FFmpegCode.endOfFile.value: kind = .badData
    default: kind = .system
    }
    let detail = messages.first.map { "\(text); \($0)" } ?? text
    return BackdropError(kind, "Backdrop cannot \(doing) (\(detail))", path: path, hint: hint)
  }
}
