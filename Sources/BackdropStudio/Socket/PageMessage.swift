import Backdrop
import BackdropLive

/// A page's message: a ``BackdropLive/LiveCommand``, such as `{"do": "set", "name": "radius", "value": 5}`, or a command for the studio
/// only.
struct PageMessage: Decodable, Sendable {
  var `do`: String
  var name: String?
  var subscription: ViewSubscription?
  /// The wanted state of one of the studio's switches.
  var value: Bool?
  /// The command for the live session; `nil` for a command of the studio.
  var command: LiveCommand?

  private enum Key: String, CodingKey { case `do`, name, subscription, value }
  /// The commands that the studio performs itself.
  private static let own: Set = [
    "watch", "ping", "sources", "snapshot", "record", "virtual-camera", "save-preset", "preset", "remove-preset",
  ]

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.do = try values.decode(String.self, forKey: .do)
    guard Self.own.contains(self.do) else {
      command = try LiveCommand(from: decoder)
      return
    }
    name = try values.decodeIfPresent(String.self, forKey: .name)
    subscription = try values.decodeIfPresent(ViewSubscription.self, forKey: .subscription)
    value = try values.decodeIfPresent(Bool.self, forKey: .value)
  }

  init(_ text: String) throws(BackdropError) {
    do {
      self = try JSONReader.decode(PageMessage.self, from: Array(text.utf8))
    } catch {
      throw error as? BackdropError ?? BackdropError(.wrongArgument, "the studio does not understand the message")
    }
  }
}
