import BackdropImaging

package enum StreamTarget: WireValue {
  case sound(SoundCodec)
  case text(TextCodec)

  package init(from wire: inout WireReader) throws(BackdropError) {
    self = try wire.read(Bool.self) ? .sound(try wire.read()) : .text(try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    switch self {
    case .sound(let codec): wire.write(true, codec)
    case .text(let codec): wire.write(false, codec)
    }
  }
}

extension SoundCodec: WireValue {}
extension TextCodec: WireValue {}
