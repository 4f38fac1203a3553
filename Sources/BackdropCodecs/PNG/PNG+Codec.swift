import BackdropImaging
import CSPNG

extension PNG: PictureCodec {
  package static let name = "png"
  package static let holdsAlpha = true
  package static let compression = PictureCompression.lossless
  package static let metadataFields: PictureMetadata.Fields = [.comments, .keywords, .density]

  package static func matches(_ head: Span<UInt8>) -> Bool {
    FileSignature.Mark.at(0, [0x89, 0x50, 0x4E, 0x47]).isFound(in: head)
  }

  package static func header(of bytes: Span<UInt8>, limits: ImageLimits) throws(BackdropError) -> PictureHeader {
    try bytes.withUnsafeBytes { file throws(BackdropError) in
      // PNG specification, sections 5.2 and 11.2.1: the header chunk is the first.
      guard file.count > 33, file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
        throw BackdropError(damaged: "this is not a PNG picture")
      }
      let (width, height) = (PNGChunks.number(file, at: 16), PNGChunks.number(file, at: 20))
      try limits.check(width: width, height: height)
      let (depth, color) = (Int(file[24]), file[25])
      // A transparent colour (section 11.3.1.1) gives grey alpha.
      let last = PNGChunks(file).first { $0.name == "tRNS" || $0.name == "IDAT" || !$0.isWhole }
      return PictureHeader(
        width: width, height: height, colorSpace: try colorSpace(of: file), metadata: metadata(of: bytes),
        bitsPerSample: max(8, depth), isDeepGray: depth == 16 && color == 0 && last?.name != "tRNS")
    }
  }

  package static func pixels(
    of bytes: Span<UInt8>, as wanted: PixelFormat?, mapsTones: Bool, limits: ImageLimits
  ) throws(BackdropError) -> Image {
    try bytes.withUnsafeBytes { file throws(BackdropError) in
      var image = try withContext { context throws(BackdropError) in try decode(file, context, mapsTones, limits) }
      image.orientation = orientation(of: file)
      return image
    }
  }

  package static func encode(
    _ image: Image, quality: Int, isLossless: Bool, isFast: Bool, metadata: PictureMetadata
  ) throws(BackdropError) -> [UInt8] {
    try encode(image, compression: isFast ? .fast : .default, metadata: metadata)
  }
}
