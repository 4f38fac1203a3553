import BackdropImaging

package struct AuxiliaryImage: Sendable {
  package let kind: AuxiliaryKind
  /// Its pixels, decoded on request; they have the orientation of the stored colour picture.
  package let picture: any PhotoPicture
  package let depth: DepthProperties?
  /// The XMP packet that describes it, in its original form, so that unknown parts survive.
  package let xmp: [UInt8]?
  /// The camera's confidence in each sample of depth, if the file has it: grey, white is certain.
  package internal(set) var confidence: (any PhotoPicture)?

  /// An image; without its descriptive packet, writing makes one from `depth`.
  ///
  /// - Parameter depth: the meaning of the samples; for ``AuxiliaryKind/depth`` only.
  package init(
    _ kind: AuxiliaryKind, _ picture: any PhotoPicture, depth: DepthProperties? = nil, xmp: [UInt8]? = nil,
    confidence: (any PhotoPicture)? = nil
  ) {
    self.kind = kind
    self.picture = picture
    self.depth = kind == .depth ? depth : nil
    self.xmp = xmp
    self.confidence = confidence
  }

  /// The image as stored, in grey: `gray8`, `gray16` or `grayFloat`, whichever is lossless.
  package func samples() throws(BackdropError) -> Image {
    try ImageLimits.standard.check(width: picture.width, height: picture.height)
    let image = try picture.decoded(as: nil)
    switch image.format {
    case .gray8, .gray16, .grayFloat: return image
    // Google's grey maps are often stored as colour: one channel is enough.
    case .rgba8, .bgra8, .rgb8: return Image(gray: image.channel(1))
    case .i420, .nv12: return Image(gray: image.plane(0))
    case .yuyv: return image.converted(to: .gray8)
    }
  }
}
