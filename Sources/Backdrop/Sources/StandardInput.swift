/// The content of standard input, recognized by its first bytes.
package enum StandardInput {
  /// The name that stands for standard input in place of a file's name.
  package static let name = "-"
  /// Its name in messages.
  package static let title = "standard input"
  /// The largest picture in bytes, the same as for a file.
  private static let byteLimit = 1 << 30

  /// A picture in any photo format, read completely.
  case photo(DepthPhoto)
  /// Anything else, for the YUV4MPEG2 reader.
  case video(DescriptorInput)

  /// Reads a picture, or just enough of the stream to see that it is not one.
  ///
  /// - Parameter isInterrupted: called while waiting for the stream; `true` gives up, for example on a stalled stream.
  package init(limits: ImageLimits, isInterrupted: (@Sendable () -> Bool)?) throws(BackdropError) {
    var input = DescriptorInput(descriptor: 0, isInterrupted: isInterrupted)
    // Read no more than the decision needs: a stream may stall after its header.
    if try input.peek(10).elementsEqual("YUV4MPEG2 ".utf8) {
      self = .video(input)
      return
    }
    let head = try input.peek(4096)
    if DepthPhoto.container(of: head.span) == nil {
      let content = FileContent(head.span)
      if case .video = content {
        throw BackdropError(
          .unsupported, "standard input holds a video that is not YUV4MPEG2",
          path: Self.title, hint: "convert it as you send it: ffmpeg -i INPUT -f yuv4mpegpipe -")
      }
      if let refusal = content.refusal { throw refusal.at(Self.title) }
      // The YUV4MPEG2 reader reports the error.
      self = .video(input)
      return
    }
    do throws(BackdropError) {
      self = .photo(try DepthPhoto.read(try input.rest(limit: Self.byteLimit), limits: limits))
    } catch {
      throw error.at(Self.title)
    }
  }
}

extension DepthPhoto {
  /// Reads a photo from a file, or from standard input if the name is `-`.
  package static func named(
    _ name: String, limits: ImageLimits, isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(BackdropError) -> DepthPhoto {
    guard name == StandardInput.name else { return try read(name, limits: limits) }
    guard case .photo(let photo) = try StandardInput(limits: limits, isInterrupted: isInterrupted) else {
      throw BackdropError(
        .badData, "this is not a \(names(of: containers)) picture", path: StandardInput.title, hint: "give a picture")
    }
    return photo
  }
}
