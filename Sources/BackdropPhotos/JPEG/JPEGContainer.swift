import BackdropCodecs
import BackdropImaging

/// JPEG photos, with depth and mattes in Apple's or Google's form.
struct JPEGContainer: PictureContainer {
  var format: PictureFormat { .jpeg }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    try DepthPhoto.readJPEG(bytes, limits: limits)
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try photo.jpeg(options)
  }
}
