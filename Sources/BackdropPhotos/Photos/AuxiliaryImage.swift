import BackdropImaging

/// An image that comes with a photo's colour picture.
public struct AuxiliaryImage: Sendable {
  /// Its purpose.
  public let kind: AuxiliaryKind
  /// Its pixels, decoded when asked for; they lie as the colour picture's do, before any turning.
  public let picture: any PhotoPicture
  /// The meaning of the samples, for depth.
  public let depth: DepthProperties?
  /// The XMP packet that describes it, as the file has it; kept, so that what is not understood here lives on.
  public let xmp: [UInt8]?
  /// How sure the camera is of each sample of depth, where the file says so: grey, white is sure.
  public let confidence: (any PhotoPicture)?

  /// An image of a kind, with the packet that describes it.
  ///
  /// - Parameters:
  ///   - kind: its kind.
  ///   - picture: its samples.
  ///   - depth: the meaning of the samples; for ``AuxiliaryKind/depth`` only.
  ///   - xmp: the packet; without it one is made from `depth` when the image is written.
  ///   - confidence: how sure each value is; `nil` if that is not known.
  public init(
    _ kind: AuxiliaryKind, _ picture: any PhotoPicture, depth: DepthProperties? = nil, xmp: [UInt8]? = nil,
    confidence: (any PhotoPicture)? = nil
  ) {
    self.kind = kind
    self.picture = picture
    self.depth = kind == .depth ? depth : nil
    self.xmp = xmp
    self.confidence = confidence
  }

  /// The same with another confidence.
  func adding(confidence: (any PhotoPicture)?) -> AuxiliaryImage {
    AuxiliaryImage(kind, picture, depth: depth, xmp: xmp, confidence: confidence)
  }

  /// The image as stored, in grey: `gray8`, `gray16` or `grayFloat`, whichever holds it without loss.
  ///
  /// - Throws: errors of decoding; `overLimit` or `badData` for an impossible size.
  public func samples() throws(BackdropError) -> Image {
    try ImageLimits.standard.check(width: picture.width, height: picture.height)
    let image = try picture.decoded(as: nil)
    switch image.format {
    case .gray8, .gray16, .grayFloat: return image
    // Google's grey maps are often stored as colour: one channel tells all.
    case .rgba8, .bgra8, .rgb8: return image.greenChannel
    case .i420, .nv12: return Image(gray: image.plane(0))
    case .yuyv: return image.converted(to: .gray8)
    }
  }
}

extension Image {
  /// The green samples of an interleaved 8-bit colour image, which for a grey picture are the grey exactly.
  fileprivate var greenChannel: Image {
    let step = format == .rgb8 ? 3 : 4
    var gray = Plane<UInt8>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let from = row(y)
      var to = gray.mutableRow(y)
      for x in to.indices { to[x] = from[step * x + 1] }
    }
    return Image(gray: gray)
  }
}
