import BackdropImaging

extension DepthPhoto {
  /// The photo with `image`, which is upright, in place of its own picture, and with everything that still applies. Its colours are those
  /// of `image`.
  ///
  /// Rewrites the metadata without anything that contains or describes the old picture: previews of every kind, sizes, positions of moved
  /// faces, marks of removed parts. Keeps depth and mattes if nothing in the picture moved; keeps depth, and mattes other than the
  /// subject's, only with the old background. Leaves out a gain map, a video, and the picture before the camera's blur, because they belong
  /// to the old picture. ``omissions`` lists parts that a user may miss.
  /// - Parameters:
  ///   - image: the picture.
  ///   - change: the differences from the photo's own picture.
  public func replacing(picture image: Image, _ change: PictureReplacement) -> DepthPhoto {
    var result = self
    result.original = nil
    result.stereo = nil
    var image = image
    var hadGainMap = false
    var left: [AuxiliaryImage] = []
    var lost: [String] = []
    var others = 0
    for auxiliary in auxiliaries {
      switch auxiliary.kind {
      case .depth, .matte:
        guard change.keepsGeometry else { continue }
        if change.keepsBackground || auxiliary.kind == .matte(.portrait) {
          left.append(auxiliary)
        } else if auxiliary.depth?.origin != .stereoPair {
          lost.append(auxiliary.kind.title)
        }
      case .gainMap: hadGainMap = true
      case .other:
        if auxiliary.describesGainMap { hadGainMap = true } else if auxiliary.kind.mpfType != nil { others += 1 }
      }
    }
    result.auxiliaries = left
    if !lost.isEmpty {
      result.omissions.append("Backdrop leaves out parts that show the old background: \(lost.joined(separator: ", "))")
    }
    // Further pictures of a JPEG file: another eye's, or a preview.
    if others > 0 { result.omissions.append("Backdrop leaves out other pictures in the file: \(others)") }
    if change.keepsGeometry {
      image.orientation = orientation.inverse
      image = image.upright()
    } else {
      result.orientation = .up
    }
    if let coded = picture as? JPEGPicture {
      result.metadata.extendedXMP = coded.extendedXMP(of: metadata.xmp)
      result.omissions += coded.partsOfOldPicture
    }
    let remarks = result.metadata.describe(change, dropsGainMap: &hadGainMap)
    if hadGainMap { result.omissions.append("Backdrop leaves out the HDR gain map, which fits only the old picture") }
    result.omissions += remarks
    result.metadata.setSize(width: image.width, height: image.height, result.orientation)
    result.picture = DecodedPicture(image)
    return result
  }
}

extension AuxiliaryImage {
  /// Whether its packet describes a gain map in a form other than Apple's.
  fileprivate var describesGainMap: Bool {
    xmp.map { String(decoding: $0, as: UTF8.self).contains("http://ns.adobe.com/hdr-gain-map/1.0/") } ?? false
  }
}
