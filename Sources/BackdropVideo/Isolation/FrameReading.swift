import BackdropImaging

/// Reads a frame of the video that ``VideoOpening`` opened, and the packets of other streams that come before it.
package struct FrameReading: IsolatedFunction {
  package static let name = "frame"
  package static let library = DecoderLibrary.ffmpeg

  enum Step: WireValue {
    case next
    case rewind
    /// Returns the frame at a time.
    case search(Double)
    /// Begins to convert a stream, and returns its new description.
    case convert(Int, StreamTarget)
    /// Begins to return the packets of some streams.
    case attach([Int])
    /// Returns the rest of converted sound.
    case finish

    init(from wire: inout WireReader) throws(BackdropError) {
      switch try wire.read(UInt8.self) {
      case 0: self = .next
      case 1: self = .rewind
      case 2: self = .search(try wire.read())
      case 3: self = .convert(try wire.read(), try wire.read())
      case 4: self = .attach(try wire.read())
      case 5: self = .finish
      default: throw WireReader.damaged
      }
    }

    func write(to wire: inout WireWriter) {
      switch self {
      case .next: wire.write(UInt8(0))
      case .rewind: wire.write(UInt8(1))
      case .search(let seconds): wire.write(UInt8(2), seconds)
      case .convert(let stream, let target): wire.write(UInt8(3), stream, target)
      case .attach(let streams): wire.write(UInt8(4), streams)
      case .finish: wire.write(UInt8(5))
      }
    }
  }

  private let step: Step
  /// The size that a frame must have.
  private let width: Int, height: Int

  init(_ step: Step, width: Int, height: Int) { (self.step, self.width, self.height) = (step, width, height) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (step, width, height) = try (wire.read(), wire.read(), wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(step, width, height) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> FrameAnswer {
    guard let video = file?.reader as? OpenVideo else { throw WireReader.damaged }
    let reader = video.reader
    var (frame, description): (VideoFrame?, StreamDescription?)
    switch step {
    case .next: frame = try reader.next()
    case .rewind: try reader.rewind()
    case .search(let seconds): frame = try reader.frame(at: seconds)
    case .convert(let stream, let target):
      guard (0..<reader.input.streamCount).contains(stream) else { throw WireReader.damaged }
      try reader.convert(stream, to: target)
      description = StreamDescription(reader.stream(stream))
    case .attach(let streams): try video.collect(Set(streams))
    case .finish: try reader.finishStreams()
    }
    return FrameAnswer(frame: frame, packets: video.packets(), description: description, state: VideoState(reader))
  }

  package func accepts(_ answer: FrameAnswer, byteCount: Int) -> Bool {
    guard let frame = answer.frame else { return true }
    let hasSize = { (width: Int, height: Int) in width == self.width && height == self.height }
    guard hasSize(frame.image.width, frame.image.height), frame.timeBase.isPositive, frame.duration >= 0 else {
      return false
    }
    return frame.alpha.map { hasSize($0.width, $0.height) } ?? true
      && frame.deep.map { hasSize($0.width, $0.height) } ?? true
  }
}

/// The result of a step, and the state of the video after it.
package struct FrameAnswer {
  var frame: VideoFrame?
  var packets: [StreamPacket]
  var description: StreamDescription?
  var state: VideoState
}

extension FrameAnswer: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    (frame, packets, description, state) = try (wire.read(), wire.read(), wire.read(), wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(frame, packets, description, state) }
}

extension VideoFrame: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(image: wire.read(), time: wire.read(), duration: wire.read(), timeBase: wire.read())
    alpha = try wire.read(Image?.self).map { alpha throws(BackdropError) in
      guard alpha.format == .gray8 else { throw WireReader.damaged }
      return alpha.plane()
    }
    deep = try wire.read()
  }

  package func write(to wire: inout WireWriter) {
    wire.write(image, time, duration, timeBase, alpha.map { Image(gray: $0) }, deep)
  }
}

extension DeepFrame: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let (bits, color): (Int, ColorDescription) = try (wire.read(), wire.read())
    func plane() throws(BackdropError) -> Plane<UInt16> {
      let image = try wire.read(Image.self)
      guard image.format == .gray16 else { throw WireReader.damaged }
      return image.plane(as: UInt16.self)
    }
    let (luma, cb, cr) = (try plane(), try plane(), try plane())
    let halves = { (whole: Int, part: Int) in part == whole || part == (whole + 1) / 2 }
    guard (8...16).contains(bits), cb.width == cr.width, cb.height == cr.height, halves(luma.width, cb.width),
      halves(luma.height, cb.height)
    else { throw WireReader.damaged }
    self.init(luma: luma, cb: cb, cr: cr, bits: bits, color: color)
  }

  package func write(to wire: inout WireWriter) {
    wire.write(bits, color)
    for plane in [luma, cb, cr] { wire.write(Image(gray16: plane)) }
  }
}
