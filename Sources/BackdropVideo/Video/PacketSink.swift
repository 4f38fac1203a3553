import BackdropImaging
import CFFmpeg

/// Takes a packet, and may change it; afterwards the packet is empty or still the caller's.
typealias PacketOutput = (UnsafeMutablePointer<AVPacket>) throws(BackdropError) -> Void

/// Takes the packets of streams other than the video's.
package protocol PacketSink: AnyObject {
  /// The streams that it wants, by their index in the source.
  var sources: Set<Int> { get }
  /// Takes `packet`, and may change it; afterwards the packet is empty or still the caller's.
  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError)
}
