import BackdropImaging
import Dispatch
import FlyingFox
import Foundation

/// Work with pictures, which must not block the threads that connections are served on.
struct Offload: Sendable {
  private let queue: DispatchQueue

  /// Work that is done one after the other.
  init(_ name: String) { queue = DispatchQueue(label: "backdrop.studio." + name, qos: .userInitiated) }

  /// Does it, and waits without holding a thread.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Does it some time.
  func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

extension HTTPRequest {
  /// Whether something comes behind the head.
  var hasBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
  }

  /// The body.
  ///
  /// - Parameter limit: bytes at most; what says that it is longer is not read at all.
  /// - Throws: `overLimit` for more.
  func body(limit: Int) async throws -> Data {
    func tooLong() -> BackdropError {
      BackdropError(
        .overLimit, "more than \(limit >> 20) MiB were sent", hint: "send a smaller file, or use the command line")
    }
    if let length = headers[.contentLength].flatMap(Int.init), length > limit { throw tooLong() }
    var data = Data()
    for try await chunk in bodySequence {
      guard data.count + chunk.count <= limit else { throw tooLong() }
      data.append(chunk)
    }
    return data
  }

  /// What the address says under a name.
  func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
