import BackdropCodecs
import BackdropImaging

/// JPEG photos, with depth and mattes in Apple's or Google's form.
package struct JPEGContainer: WritablePhotoContainer {
  package var name: String { "jpeg" }
  package var endings: [String] { PictureKind.jpeg.endings }
  package var alphaRefusal: String { "a JPEG picture cannot be transparent" }

  package init() {}

  package func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(.jpeg) }

  package func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    try DepthPhoto.readJPEG(bytes, limits: limits)
  }

  package func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try photo.jpeg(options)
  }

  package func omissions(of photo: DepthPhoto) -> [String] { photo.metadata.fitted(to: .jpeg).remarks }
}
