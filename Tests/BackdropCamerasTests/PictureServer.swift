import Foundation
import Glibc

/// A network camera: sends the parts of a Motion JPEG stream, or any bytes, to its first reader over HTTP.
final class PictureServer: Sendable {
  let address: String
  private let listener: Int32

  /// - Parameter parts: the bytes to send, from the head of the answer on; the stream ends with them.
  init(_ parts: [Data], pause: useconds_t = 20_000) throws {
    signal(SIGPIPE, SIG_IGN)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    socketAddress.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    self.listener = listener
    address = "http://127.0.0.1:\(UInt16(bigEndian: socketAddress.sin_port))/stream"
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      var request = [UInt8](repeating: 0, count: 4096)
      _ = recv(client, &request, request.count, 0)
      for part in parts {
        let isSent = part.withUnsafeBytes { bytes in
          var done = 0
          while done < bytes.count {
            let now = send(client, bytes.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
            guard now > 0 else { return false }
            done += now
          }
          return true
        }
        guard isSent else { break }
        usleep(pause)
      }
      close(client)
    }
  }

  deinit { close(listener) }

  /// A Motion JPEG stream of these pictures.
  static func motionJPEG(_ pictures: [[UInt8]]) -> [Data] {
    let head = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=next\r\n\r\n"
    return [Data(head.utf8)]
      + pictures.map {
        Data("--next\r\nContent-Type: image/jpeg\r\nContent-Length: \($0.count)\r\n\r\n".utf8) + $0 + Data("\r\n".utf8)
      }
  }

  /// A stream of another kind, in pieces.
  static func stream(_ bytes: [UInt8], kind: String) -> [Data] {
    let head = Data("HTTP/1.0 200 OK\r\nContent-Type: \(kind)\r\n\r\n".utf8)
    return [head] + stride(from: 0, to: bytes.count, by: 4096).map { Data(bytes[$0..<min($0 + 4096, bytes.count)]) }
  }
}
