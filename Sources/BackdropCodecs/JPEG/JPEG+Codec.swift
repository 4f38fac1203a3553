import BackdropImaging

extension JPEG: PictureCodec {
  package static let name = "jpeg"
  package static let fileExtensions = ["jpg", "jpeg", "jpe"]
  package static let holdsAlpha = false
  package static let compression = PictureCompression.lossy
  package static let metadataFields: PictureMetadata.Fields = [
    .imageResources, .comments, .density, .extendedXMP, .shortEXIF,
  ]

  package static func matches(_ head: Span<UInt8>) -> Bool { FileSignature.Mark.at(0, [0xFF, 0xD8]).isFound(in: head) }

  package static func header(of bytes: Span<UInt8>, limits: ImageLimits) throws(BackdropError) -> PictureHeader {
    try bytes.withUnsafeBytes { file throws(BackdropError) in
      let structure = try JPEGStructure(file, limits: limits)
      func first(_ mark: [UInt8]) -> [UInt8]? {
        structure.payloads(0xE1, mark: mark, in: file).first.map { Array(file[$0]) }
      }
      return PictureHeader(
        width: structure.width, height: structure.height, orientation: EXIF.orientation(of: structure, in: file),
        colorSpace: structure.colorSpace(in: file) ?? .sRGB,
        metadata: PictureMetadata(
          exif: first(JPEGStructure.Segment.exifMark).flatMap(PictureMetadata.tiff),
          xmp: first(JPEGStructure.Segment.xmpMark)), bitsPerSample: max(8, structure.precision))
    }
  }

  package static func encode(
    _ image: Image, quality: Int, isLossless: Bool, isFast: Bool, metadata: PictureMetadata
  ) throws(BackdropError) -> [UInt8] {
    try encode(image, quality: quality)
  }
}
