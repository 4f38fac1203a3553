import BackdropImaging
import BackdropLive
import Foundation

/// What a page says: `{"do": "set", "name": "radius", "to": 5}`.
struct PageMessage: Decodable, Sendable {
  /// A value of any kind that there is.
  enum Value: Decodable, Sendable, Equatable {
    case truth(Bool), number(Double), text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let truth = try? container.decode(Bool.self) {
        self = .truth(truth)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var truth: Bool? { if case .truth(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self, value.isFinite { value } else { nil } }
    var text: String? { if case .text(let value) = self, value.utf8.count <= 4096 { value } else { nil } }
  }

  var `do`: String
  var name: String?
  var to: Value?
  var wish: TabWish?

  /// Reads one.
  ///
  /// - Throws: `wrongArgument` for anything else.
  init(_ text: String) throws(BackdropError) {
    do {
      self = try JSONDecoder().decode(PageMessage.self, from: Data(text.utf8))
    } catch {
      throw BackdropError(.wrongArgument, "a message that is not understood")
    }
  }

  /// The command of the live session that it stands for; `nil` if it is none.
  ///
  /// - Throws: `wrongArgument` where what belongs to it is missing.
  func command() throws(BackdropError) -> LiveCommand? {
    switch self.do {
    case "background": .background(try text())
    case "next-background": .nextBackground
    case "previous-background": .previousBackground
    case "look": .look(try text())
    case "set": .set(try named(), try number())
    case "reset": .reset(try named())
    case "mirror": .mirror(to?.truth)
    case "freeze": .freeze(to?.truth)
    case "panic": .panic(to?.truth)
    case "pause": .pause(to?.truth)
    case "camera": .camera(try text())
    case "stop-recording": .stopRecording
    default: nil
    }
  }

  private func missing(_ what: String) -> BackdropError {
    BackdropError(.wrongArgument, "'\(self.do.prefix(40))' comes without \(what)")
  }

  func text() throws(BackdropError) -> String {
    guard let text = to?.text else { throw missing("a text") }
    return text
  }

  private func number() throws(BackdropError) -> Double {
    guard let number = to?.number else { throw missing("a number") }
    return number
  }

  private func named() throws(BackdropError) -> String {
    guard let name, name.utf8.count <= 100 else { throw missing("a name") }
    return name
  }
}
