import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Passes on a decoder's pictures, and joins the fields of interlaced ones from the first of them on. A progressive video passes unchanged.
struct FieldJoiner {
  private(set) var hasJoined = false
  private var deinterlacer: Deinterlacer?
  /// The previous picture, which completes the first interlaced one; kept if fields are expected.
  private let previous: FrameBuffer
  private var hasPrevious = false
  private let expectsFields: Bool
  /// A picture of another size, which waits until earlier ones are out.
  private let held: FrameBuffer
  private var isHolding = false

  /// - Parameter expectsFields: whether the file may contain interlaced pictures.
  init(expectsFields: Bool) throws(BackdropError) {
    self.expectsFields = expectsFields
    (previous, held) = (try FrameBuffer(), try FrameBuffer())
  }

  /// Forgets earlier pictures, before reading another part of the file.
  mutating func forget() {
    deinterlacer = nil
    av_frame_unref(previous.pointer)
    av_frame_unref(held.pointer)
    (hasPrevious, isHolding) = (false, false)
  }

  /// The next whole picture, in `frame`, into which `decode` puts the decoder's next; returns the result of `decode` if there is none.
  mutating func receive(into frame: FrameBuffer, decode: () -> FFmpegCode) throws(BackdropError) -> FFmpegCode {
    while true {
      if let deinterlacer {
        let code = deinterlacer.receive(into: frame)
        if !code.isFailure { return code }
        if code == .endOfFile {
          guard isHolding else { return code }
          av_frame_move_ref(frame.pointer, held.pointer)
          isHolding = false
          try begin(with: frame)
          continue
        }
      }
      let code = decode()
      guard !code.isFailure else {
        guard code == .endOfFile, let deinterlacer, !deinterlacer.isEnding else { return code }
        deinterlacer.end()
        continue
      }
      if let deinterlacer {
        if deinterlacer.accepts(frame) {
          try deinterlacer.send(frame)
        } else {
          av_frame_move_ref(held.pointer, frame.pointer)
          isHolding = true
          deinterlacer.end()
        }
      } else if bd_frame_is_interlaced(frame.pointer) != 0 {
        hasJoined = true
        try begin(with: frame)
      } else {
        if expectsFields {
          av_frame_unref(previous.pointer)
          hasPrevious = av_frame_ref(previous.pointer, frame.pointer) >= 0
        }
        return code
      }
    }
  }

  private mutating func begin(with frame: FrameBuffer) throws(BackdropError) {
    let made = try Deinterlacer(like: frame)
    if hasPrevious && made.accepts(previous) { try made.send(previous, isSilent: true) }
    av_frame_unref(previous.pointer)
    hasPrevious = false
    try made.send(frame)
    deinterlacer = made
  }
}
