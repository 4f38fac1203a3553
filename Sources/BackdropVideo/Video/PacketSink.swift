import BackdropImaging
import CFFmpeg

/// Takes the packets that a reader meets beside those of the video.
protocol PacketSink: AnyObject {
  /// Which streams it wants, by their index in the source.
  var sources: Set<Int> { get }
  /// `packet` may be changed, and is given back empty or as it was.
  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError)
}
