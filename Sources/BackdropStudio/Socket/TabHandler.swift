import FlyingFox
import Foundation

/// The pages' sockets: RFC 6455 above its frames, with limits.
struct TabHandler: WSHandler {
  /// The longest text and the longest picture that a page may send.
  static let maximumText = 1 << 16, maximumData = 4 << 20

  private let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  /// Turns a request into a socket, for this studio's own page only.
  func upgrade(_ request: HTTPRequest) async throws -> HTTPResponse {
    // Browsers always say where a socket is opened from.
    guard request.headers[HTTPHeader("Origin")] != nil else {
      return Answer.refusal(.forbidden, "there is no Origin")
    }
    return try await WebSocketHTTPHandler(handler: self).handleRequest(request)
  }

  func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
    guard let tab = hub.open() else {
      let payload = Data([0x03, 0xF5]) + Data("too many pages".utf8)
      return AsyncStream { continuation in
        continuation.yield(WSFrame(fin: true, opcode: .close, mask: nil, payload: payload))
        continuation.finish()
      }
    }
    let reader = Task {
      var assembly = FrameAssembly(maximumText: Self.maximumText, maximumData: Self.maximumData)
      do {
        reading: for try await frame in client {
          switch assembly.add(frame) {
          case .nothing: break
          case .text(let text): hub.receive(.text(text), from: tab)
          case .data(let bytes): hub.receive(.data(bytes), from: tab)
          case .answer(let frame): tab.answer(frame)
          case .end(let code, let reason):
            tab.close(code: code, reason)
            break reading
          }
        }
      } catch {
        // A connection that broke ends like one that was closed.
      }
      hub.close(tab)
    }
    let line = Line(reader: reader, tab: tab, hub: hub)
    return AsyncStream {
      let frame = await line.tab.next()
      if frame == nil { line.end() }
      return frame
    } onCancel: {
      line.end()
    }
  }

  /// What belongs to one connection. It ends with it, however that ends: a connection that cannot be written to is given up
  /// without a word, and then only this goes.
  private final class Line: Sendable {
    let tab: Tab
    private let reader: Task<Void, Never>
    private let hub: Hub

    init(reader: Task<Void, Never>, tab: Tab, hub: Hub) { (self.reader, self.tab, self.hub) = (reader, tab, hub) }

    deinit { end() }

    func end() {
      reader.cancel()
      hub.close(tab)
    }
  }
}
