import BackdropImaging
import CFFmpeg

/// Takes a packet; it may change it, and returns it empty or unchanged.
typealias PacketOutput = (UnsafeMutablePointer<AVPacket>) throws(BackdropError) -> Void

/// Takes the packets of streams other than the video's.
package protocol PacketSink: AnyObject {
  /// The streams that it wants, by their index in the source.
  var sources: Set<Int> { get }
  /// It may change `packet`, and returns it empty or unchanged.
  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError)
}
