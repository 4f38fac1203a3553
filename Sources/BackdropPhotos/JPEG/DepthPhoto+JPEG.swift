import BackdropImaging

extension DepthPhoto {
  static func readJPEG(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    DepthPhoto(picture: try JPEGPicture(bytes, limits: limits), container: .jpeg)
  }
}
