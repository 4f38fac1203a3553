import BackdropDepth
import BackdropImaging

/// A photo with its depth, mattes, gain map, camera calibration and metadata.
///
/// Each part is decoded only on request: reading depth and mattes does not decode the colour picture.
///
///     let photo = try DepthPhoto.read("portrait.heic")
///     let picture = try photo.image()
///     let disparity = try photo.depth()?.disparity
///     let person = try photo.matte(.portrait)
///
/// All parts are stored with the same orientation; ``orientation`` says how to turn them, and the methods return upright pictures by
/// default.
public struct DepthPhoto: Sendable {
  /// The kind of file from which it was read, or `nil`.
  public var container: (any PhotoContainer)?
  package var picture: any PhotoPicture
  /// All other images, in the file's order.
  package var auxiliaries: [AuxiliaryImage]
  /// How to turn all pictures upright.
  public var orientation: Orientation
  /// EXIF, XMP and similar data.
  public var metadata: PhotoMetadata
  /// The picture before the camera's blur, if the file has it.
  package var original: (any PhotoPicture)?
  package internal(set) var stereo: StereoPair?
  /// The number of pictures in the file, of which the photo is the main one; more than one in an animation or a burst.
  public internal(set) var frameCount = 1
  /// Errors in unreadable parts of the file, which are left out. Requesting a missing part throws the first of these, since it may be the
  /// cause.
  public internal(set) var faults: [BackdropError] = []
  /// Parts that ``replacing(picture:_:)`` left out and a user may miss, one sentence each.
  public internal(set) var omissions: [String] = []

  package init(
    picture: any PhotoPicture, auxiliaries: [AuxiliaryImage] = [], orientation: Orientation = .up,
    metadata: PhotoMetadata = PhotoMetadata(), container: (any PhotoContainer)? = nil
  ) {
    self.picture = picture
    self.auxiliaries = auxiliaries
    self.orientation = orientation
    self.metadata = metadata
    self.container = container
  }

  /// Width of the upright picture.
  public var width: Int { orientation.swapsSides ? picture.height : picture.width }
  /// Height of the upright picture.
  public var height: Int { orientation.swapsSides ? picture.width : picture.height }

  package func auxiliary(_ kind: AuxiliaryKind) -> AuxiliaryImage? { auxiliaries.first { $0.kind == kind } }

  /// The kinds of mattes in the photo.
  public var mattes: [MatteKind] {
    MatteKind.allCases.filter { auxiliary(.matte($0)) != nil }
  }

  /// The camera's calibration, for the picture as stored.
  public var calibration: CameraCalibration? { auxiliary(.depth)?.depth?.calibration }

  /// The colour picture, in its own colours: ``/BackdropImaging/ColorDescription/space`` names them.
  ///
  /// - Parameters:
  ///   - format: the pixel format; `nil` for the file's natural one.
  ///   - upright: whether to turn it; if not, the result's ``/BackdropImaging/Image/orientation`` has its orientation.
  /// - Throws: `badData`, `unsupported` or `overLimit` if the picture cannot be decoded.
  public func image(as format: PixelFormat? = nil, upright: Bool = true) throws(BackdropError) -> Image {
    var image = try picture.decoded(as: format)
    image.orientation = orientation
    return upright ? image.upright() : image
  }

  /// The depth; `nil` if there is none.
  ///
  /// - Throws: `badData` if its range is missing, or errors of decoding; the first of ``faults`` if there is none.
  public func depth(upright: Bool = true) throws(BackdropError) -> PhotoDepth? {
    guard let found = auxiliary(.depth) else { return try absent() }
    guard let properties = found.depth else {
      throw BackdropError(
        .badData, "the depth comes without a description",
        hint: "without it, the depth has no meaning; use another photo")
    }
    // Check the description before decoding, because that costs nothing.
    if !properties.sample.isFloat { _ = try properties.line() }
    var depth = try PhotoDepth(samples: found.samples(), properties: properties)
    if let confidence = found.confidence {
      // The depth is useful without its confidence.
      do throws(BackdropError) {
        depth.confidence = try confidence.decoded(as: .grayFloat).plane(as: Float.self)
      } catch {
        depth.confidenceFault = error.ofConfidence
      }
    }
    return upright ? depth.oriented(orientation) : depth
  }

  /// A matte, linear, at its own size; `nil` if there is none of that kind.
  ///
  /// - Throws: `badData` if its aspect differs from the picture's, or errors of decoding; the first of ``faults`` if there is none.
  public func matte(_ kind: MatteKind, upright: Bool = true) throws(BackdropError) -> Matte? {
    guard let samples = try samples(of: .matte(kind), upright: upright) else { return nil }
    let values = samples.converted(to: .gray16).plane(as: UInt16.self)
    return Matte(q15: values.map { UInt16((Int($0) * 32_768 + 32_767) / 65_535) })
  }

  /// The grey samples of an image that is not depth, as stored; `nil` if there is none of that kind.
  ///
  /// - Throws: as ``matte(_:upright:)``.
  public func samples(of kind: AuxiliaryKind, upright: Bool = true) throws(BackdropError) -> Image? {
    guard let found = auxiliary(kind) else { return try absent() }
    if case .matte = kind {
      let size = found.picture
      try Self.checkAspect(kind.title, (size.width, size.height), picture: (picture.width, picture.height), .badData)
    }
    var image = try found.samples()
    image.orientation = orientation
    return upright ? image.upright() : image
  }

  /// The result for a part that is missing: `nil`, or the first of ``faults``, thrown.
  private func absent<Part>() throws(BackdropError) -> Part? {
    if let fault = faults.first { throw fault }
    return nil
  }

  /// Replaces the first image of this kind, or appends the image if there is none.
  package mutating func set(_ image: AuxiliaryImage) {
    if let index = auxiliaries.firstIndex(where: { $0.kind == image.kind }) {
      auxiliaries[index] = image
    } else {
      auxiliaries.append(image)
    }
  }

  /// Removes all images of a kind.
  public mutating func remove(_ kind: AuxiliaryKind) { auxiliaries.removeAll { $0.kind == kind } }
}
