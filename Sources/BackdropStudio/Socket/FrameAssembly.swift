import FlyingFox
import Foundation

/// Puts the frames of a page together to messages (RFC 6455, sections 5.4 to 5.6), within limits.
struct FrameAssembly {
  enum Step {
    case nothing
    case text(String)
    case data([UInt8])
    /// A frame to send back.
    case answer(WSFrame)
    /// The connection is over, with this code.
    case end(UInt16, String)
  }

  private let maximumText: Int, maximumData: Int
  private var opcode: WSFrame.Opcode?
  private var payload = Data()

  init(maximumText: Int, maximumData: Int) {
    (self.maximumText, self.maximumData) = (maximumText, maximumData)
  }

  mutating func add(_ frame: WSFrame) -> Step {
    guard !frame.rsv1 && !frame.rsv2 && !frame.rsv3 else { return .end(1002, "reserved bits") }
    switch frame.opcode {
    case .ping, .pong, .close:
      guard frame.fin && frame.payload.count <= 125 else { return .end(1002, "control frame") }
      if frame.opcode == .ping {
        return .answer(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
      }
      return frame.opcode == .close ? .end(1000, "") : .nothing
    case .text, .binary:
      guard opcode == nil else { return .end(1002, "a message inside of another") }
      opcode = frame.opcode
      payload = Data()
    case .continuation:
      guard opcode != nil else { return .end(1002, "nothing to continue") }
    default: return .end(1002, "an unknown kind of frame")
    }
    let limit = opcode == .text ? maximumText : maximumData
    guard payload.count + frame.payload.count <= limit else { return .end(1009, "too long") }
    payload.append(frame.payload)
    guard frame.fin else { return .nothing }
    defer { (opcode, payload) = (nil, Data()) }
    guard opcode == .text else { return .data(Array(payload)) }
    guard let text = String(data: payload, encoding: .utf8) else { return .end(1007, "not UTF-8") }
    return .text(text)
  }
}
