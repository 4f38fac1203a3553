import BackdropImaging

extension DepthPhoto {
  /// The photo with another picture in the place of its own, which is upright, and with all that is still true of it: EXIF,
  /// XMP, and, where what is in the picture kept its place, depth and mattes, untouched. Its colours are those of `image`.
  ///
  /// A gain map and the picture before the camera's blur are left out: they are made for the old picture's light.
  /// - Parameters:
  ///   - image: the picture.
  ///   - keepsGeometry: whether everything in the picture is where it was.
  public func replacing(picture image: Image, keepsGeometry: Bool) -> DepthPhoto {
    var result = self
    result.original = nil
    result.stereo = nil
    var image = image
    if keepsGeometry {
      result.auxiliaries.removeAll { auxiliary in
        switch auxiliary.kind {
        case .depth, .matte: false
        case .gainMap, .other: true
        }
      }
      image.orientation = orientation.inverse
      image = image.upright()
    } else {
      result.auxiliaries = []
      result.orientation = .up
    }
    result.picture = DecodedPicture(image)
    return result
  }
}
