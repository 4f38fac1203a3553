import BackdropDepth
import BackdropImaging

/// A maker's own data after the picture of a JPEG file.
struct DepthTrailerContent {
  /// Bytes with small values for near points, row by row.
  var samples: Plane<UInt8>
  /// How to turn them upright; `nil` if they match the picture.
  var orientation: Orientation?
  /// The picture before the camera's blur.
  var original: (any PhotoPicture)?
  /// Errors in `original`, which is then left out.
  var faults: [BackdropError] = []
}

/// A maker's own form of depth after the picture of a JPEG file, recognized by the file's end.
///
/// To add a form, write such a type in a separate file and list it in ``DepthPhoto/trailers``.
protocol DepthTrailer: SendableMetatype {
  /// The file's contents; `nil` if it does not end in this form, or has no depth in it.
  ///
  /// - Parameter start: the end of the pictures in other known forms.
  /// - Throws: `badData` if it ends in this form and is damaged; `overLimit` for a map beyond `limits`.
  static func read(
    _ bytes: [UInt8], from start: Int, besides picture: JPEGPicture, limits: ImageLimits
  ) throws(BackdropError) -> DepthTrailerContent?
}

extension DepthPhoto {
  /// The supported forms; to add one, add a line here.
  static let trailers: [any DepthTrailer.Type] = [SamsungTrailer.self, HuaweiTrailer.self]

  /// Adds depth of a maker's own form, if the file has no other.
  mutating func addTrailer(_ picture: JPEGPicture, _ bytes: [UInt8], from start: Int, limits: ImageLimits) {
    guard auxiliary(.depth) == nil else { return }
    for trailer in Self.trailers {
      do throws(BackdropError) {
        guard let found = try trailer.read(bytes, from: start, besides: picture, limits: limits) else { continue }
        var samples = found.samples
        if let turn = found.orientation { samples = samples.oriented(turn).oriented(orientation.inverse) }
        try Self.checkAspect(
          "depth", (samples.width, samples.height), picture: (picture.width, picture.height), .badData)
        // Makers give no unit: only the order of distances is known.
        let properties = DepthProperties(.disparity, .uint8, first: 1, last: 0)
        auxiliaries.append(AuxiliaryImage(.depth, DecodedPicture(Image(gray: samples)), depth: properties))
        original = original ?? found.original
        faults += found.faults
      } catch {
        faults.append(error)
      }
      return
    }
  }
}

extension Plane<UInt8> {
  /// The samples at a position in a file.
  init(_ bytes: [UInt8], at start: Int, width: Int, height: Int, limits: ImageLimits) throws(BackdropError) {
    try limits.check(width: width, height: height)
    guard start >= 0, width * height <= bytes.count - start else {
      throw BackdropError(
        .badData, "the depth of \(width)×\(height) is longer than the file", hint: "fetch the original again")
    }
    self.init(Array(bytes[start..<start + width * height]), width: width, height: height)
  }
}
