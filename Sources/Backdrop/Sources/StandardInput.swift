import BackdropCodecs
import BackdropImaging
import BackdropPhotos

/// What comes through standard input, told by its first bytes.
package enum StandardInput {
  /// The notation in place of a file's name.
  package static let name = "-"
  /// Its name in messages.
  package static let title = "standard input"
  /// Bytes of a picture at most: as many as of a file.
  private static let byteLimit = 1 << 30

  /// A picture of any kind that photos are read from, all of it read.
  case photo(DepthPhoto)
  /// What is left for the reader of YUV4MPEG2.
  case video(DescriptorInput)

  /// Reads a picture, or as much as tells that it is none.
  ///
  /// - Parameter isInterrupted: asked while the stream is waited for, so that a stalled one can be given up.
  /// - Throws: `unsupported` for other known kinds of files, named; `overLimit`, `badData` as for files; `interrupted`.
  package init(limits: ImageLimits, isInterrupted: (@Sendable () -> Bool)?) throws(BackdropError) {
    var input = DescriptorInput(descriptor: 0, isInterrupted: isInterrupted)
    // No more than is needed to tell: a stream may stall after its header.
    if try input.peek(10).elementsEqual("YUV4MPEG2 ".utf8) {
      self = .video(input)
      return
    }
    let head = try input.peek(4096)
    if DepthPhoto.container(of: head.span) == nil {
      switch FileContent(head.span) {
      case .video:
        throw BackdropError(
          .unsupported, "standard input holds a video that is not YUV4MPEG2",
          path: Self.title, hint: "convert it as you send it: ffmpeg -i INPUT -f yuv4mpegpipe -")
      case .otherPicture(let name), .document(let name):
        throw BackdropError(
          .unsupported, "Backdrop does not read \(name)", path: Self.title,
          hint: "convert it first, for example: ffmpeg -i INPUT -frames:v 1 picture.png")
      case .picture, .unknown:
        // Its reader says what is wrong with it.
        self = .video(input)
        return
      }
    }
    do throws(BackdropError) {
      self = .photo(try DepthPhoto.read(try input.rest(limit: Self.byteLimit), limits: limits))
    } catch {
      throw error.at(Self.title)
    }
  }
}

extension DepthPhoto {
  /// Reads a photo from a file, or from standard input where the name is `-`.
  ///
  /// - Throws: as ``/BackdropPhotos/DepthPhoto/read(_:limits:)-(String,_)``, and as ``StandardInput``.
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
