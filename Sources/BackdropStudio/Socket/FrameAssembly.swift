import NIOCore
import NIOWebSocket

/// Assembles a page's frames into messages (RFC 6455, sections 5.1 and 5.4 to 5.6), within limits.
///
/// `NIOWebSocketFrameAggregator` does not suffice: it has one limit for texts and pictures, closes without the codes of RFC 6455, and
/// checks neither masks, reserved bits nor UTF-8.
struct FrameAssembly {
  enum Step {
    case nothing
    case text(String)
    case data([UInt8])
    case answer(WebSocketFrame)
    /// The connection must end with this code and reason.
    case end(UInt16, String)
  }

  private let maximumText: Int, maximumData: Int
  private var opcode: WebSocketOpcode?
  private var payload = ByteBuffer()

  init(maximumText: Int, maximumData: Int) {
    (self.maximumText, self.maximumData) = (maximumText, maximumData)
  }

  mutating func add(_ frame: WebSocketFrame) -> Step {
    guard frame.maskKey != nil else { return .end(1002, "a frame has no mask") }
    guard !frame.rsv1 && !frame.rsv2 && !frame.rsv3 else { return .end(1002, "reserved bits") }
    switch frame.opcode {
    case .ping: return .answer(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
    case .pong: return .nothing
    case .connectionClose: return .end(1000, "")
    case .text, .binary:
      guard opcode == nil else { return .end(1002, "a message begins inside another") }
      opcode = frame.opcode
    case .continuation:
      guard opcode != nil else { return .end(1002, "a frame continues no message") }
    default: return .end(1002, "a frame has an unknown kind")
    }
    let limit = opcode == .text ? maximumText : maximumData
    guard payload.readableBytes + frame.length <= limit else { return .end(1009, "too long") }
    var data = frame.unmaskedData
    payload.writeBuffer(&data)
    guard frame.fin else { return .nothing }
    defer { (opcode, payload) = (nil, ByteBuffer()) }
    guard opcode == .text else { return .data(Array(buffer: payload)) }
    guard let text = String(validating: payload.readableBytesView, as: UTF8.self) else {
      return .end(1007, "not UTF-8")
    }
    return .text(text)
  }
}
