import BackdropCodecs
import BackdropImaging

/// HEIC photos, with depth, mattes and alpha as auxiliary pictures.
struct HEICContainer: WritablePhotoContainer {
  var name: String { "heic" }
  var fileExtensions: [String] { ["heic", "heif"] }
  var holdsAlpha: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .heic }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    try DepthPhoto(HEICFile(bytes, limits: HEICLimits(picture: limits)))
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try photo.heic(HEICPhotoOptions(quality: HEICQuality(jpegQuality: options.quality)))
  }

  func omissions(of photo: DepthPhoto) -> [String] { photo.metadata.fitted(to: []).remarks }
}
