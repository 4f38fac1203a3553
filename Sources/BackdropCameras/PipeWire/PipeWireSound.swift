/// A sound format in PipeWire's description (spa/param/audio/raw.h): one channel of 32-bit floats, the only format that
/// Backdrop requests.
struct PipeWireSound: Equatable {
  /// Samples per second.
  var rate: Int

  private enum Key {
    static let type: UInt32 = 1
    static let subtype: UInt32 = 2
    static let format: UInt32 = 0x10001
    static let rate: UInt32 = 0x10003
    static let channels: UInt32 = 0x10004
    static let position: UInt32 = 0x10005
  }
  private static let audio: UInt32 = 1
  private static let raw: UInt32 = 1
  private static let floats: UInt32 = 283
  /// The single channel; stereo microphones are mixed to it.
  private static let mono: UInt32 = 2

  var request: PodObject {
    PodObject(
      PodObject.format, id: 3,
      [
        Key.type: .id(Self.audio), Key.subtype: .id(Self.raw), Key.format: .id(Self.floats),
        Key.rate: .int(Int32(clamping: rate)), Key.channels: .int(1), Key.position: .array([.id(Self.mono)]),
      ])
  }
}

extension PipeWireSound {
  /// The format in an object; `nil` for any other.
  init?(_ object: PodObject) {
    guard object.kind == PodObject.format, object[Key.type]?.preferred == .id(Self.audio),
      object[Key.subtype]?.preferred == .id(Self.raw), object[Key.format]?.preferred == .id(Self.floats),
      object[Key.channels]?.preferred == .int(1), case .int(let rate) = object[Key.rate]?.preferred,
      (8000...96_000).contains(rate)
    else { return nil }
    self.rate = Int(rate)
  }
}
