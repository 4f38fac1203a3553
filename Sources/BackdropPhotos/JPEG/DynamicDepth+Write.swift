import BackdropCodecs
import BackdropDepth
import BackdropImaging

extension DynamicDepth {
  /// A file to append after the picture.
  struct Item {
    var mime: String
    var uri: String
    var bytes: [UInt8]

    /// A picture in its coded form, or else as a PNG file.
    init(_ picture: any PhotoPicture, uri: String) throws(BackdropError) {
      self.uri = uri
      switch picture {
      case let coded as JPEGPicture: (mime, bytes) = ("image/jpeg", coded.bytes)
      case let coded as CodedPicture where coded.format == .png: (mime, bytes) = ("image/png", coded.bytes)
      default:
        var image = try picture.decoded(as: nil)
        image.orientation = .up
        (mime, bytes) = ("image/png", try PNG.encode(image))
      }
    }
  }

  /// The files after a photo's picture, in order, and their XMP; empty without depth and portrait matte.
  static func items(of photo: DepthPhoto) throws(BackdropError) -> (items: [Item], properties: [XMPProperty]) {
    var items: [Item] = []
    var cameras: [XMPValue] = []
    if let found = photo.auxiliary(.depth), let depth = try photo.depth(upright: false) {
      let (picture, properties) = try whole(depth, codedAs: found.picture)
      items.append(try Item(picture, uri: depthURI))
      var map = fields(try GoogleRange.describing(properties).range, uri: depthURI, semantic: "Depth")
      if let confidence = found.confidence {
        items.append(try Item(confidence, uri: confidenceURI))
        map[XMLName(GoogleNamespace.depthMap, "ConfidenceURI")] = .text(confidenceURI)
      }
      cameras.append(camera(map, properties.calibration))
    }
    if let matte = photo.auxiliary(.matte(.portrait)) {
      items.append(try Item(matte.picture, uri: segmentationURI))
      let range = GoogleRange(format: .rangeLinear, near: 0, far: 1, metres: nil)
      cameras.append(camera(fields(range, uri: segmentationURI, semantic: "Segmentation"), nil))
    }
    guard !items.isEmpty else { return ([], []) }

    let primary = fields(
      GoogleNamespace.item, ["Mime": "image/jpeg", "Length": "0", "Padding": "0", "DataURI": "primary_image"])
    let directory =
      [primary]
      + items.map {
        fields(
          GoogleNamespace.item, ["Mime": $0.mime, "Length": "\($0.bytes.count)", "Padding": "0", "DataURI": $0.uri])
      }
    let list = directory.map { XMPValue.structure([XMLName(GoogleNamespace.container, "Item"): .structure($0)]) }
    let profile: [XMLName: XMPValue] = [
      XMLName(GoogleNamespace.profile, "Type"): .text("DepthPhoto"),
      XMLName(GoogleNamespace.profile, "CameraIndices"): .array(cameras.indices.map { .text("\($0)") }),
    ]
    return (
      items,
      [
        XMPProperty(
          GoogleNamespace.device, "Container",
          .structure([XMLName(GoogleNamespace.container, "Directory"): .array(list)])),
        XMPProperty(
          GoogleNamespace.device, "Profiles",
          .array([.structure([XMLName(GoogleNamespace.device, "Profile"): .structure(profile)])])),
        XMPProperty(GoogleNamespace.device, "Cameras", .array(cameras)),
      ]
    )
  }

  /// Samples that use all codes of 8 or 16 bits, from the near end up, and their meaning.
  private static func whole(
    _ depth: PhotoDepth, codedAs picture: any PhotoPicture
  ) throws(BackdropError) -> (any PhotoPicture, DepthProperties) {
    var (samples, properties) = (depth.samples, depth.properties)
    let greatest = samples.format == .gray8 ? 255 : 65_535
    var isAsCoded = true
    if samples.format == .grayFloat || properties.codes != 0...greatest {
      let sample: DepthProperties.Sample = samples.format == .gray8 ? .uint8 : .uint16
      let again =
        properties.quantity == .depth
        ? PhotoDepth(depth.depth, as: sample, accuracy: properties.accuracy, calibration: properties.calibration)
        : PhotoDepth(depth.disparity, as: sample, calibration: properties.calibration)
      (samples, properties, isAsCoded) = (again.samples, again.properties, false)
      if depth.properties.measure == .opticRay && !depth.isAlongAxis { properties.measure = .opticRay }
    }
    let isReversed = try GoogleRange.describing(properties).isReversed
    if isReversed {
      samples = samples.inverted(over: properties.codes)
      (properties.first, properties.last) = (properties.last, properties.first)
      isAsCoded = false
    }
    return (isAsCoded ? picture : DecodedPicture(samples), properties)
  }

  private static func fields(_ range: GoogleRange, uri: String, semantic: String) -> [XMLName: XMPValue] {
    fields(
      GoogleNamespace.depthMap,
      [
        "Format": range.format.rawValue, "Near": "\(range.near)", "Far": "\(range.far)",
        "Units": range.metres == nil ? "None" : "Meters", "DepthURI": uri, "ItemSemantic": semantic,
        "MeasureType": range.measure == .opticRay ? "OpticRay" : "OpticalAxis",
      ])
  }

  private static func fields(_ namespace: String, _ values: [String: String]) -> [XMLName: XMPValue] {
    Dictionary(uniqueKeysWithValues: values.map { (XMLName(namespace, $0.key), .text($0.value)) })
  }

  private static func camera(_ map: [XMLName: XMPValue], _ calibration: CameraCalibration?) -> XMPValue {
    var result: [XMLName: XMPValue] = [
      XMLName(GoogleNamespace.camera, "DepthMap"): .structure(map),
      XMLName(GoogleNamespace.camera, "Image"): .structure(
        fields(GoogleNamespace.cameraImage, ["ItemSemantic": "Primary", "ItemURI": "primary_image"])),
    ]
    if let inner = calibration?.intrinsics {
      result[XMLName(GoogleNamespace.camera, "ImagingModel")] = .structure(
        fields(
          GoogleNamespace.imagingModel,
          [
            "FocalLengthX": "\(inner.fx)", "FocalLengthY": "\(inner.fy)", "ImageWidth": "\(inner.width)",
            "ImageHeight": "\(inner.height)", "PrincipalPointX": "\(inner.cx / Double(inner.width))",
            "PrincipalPointY": "\(inner.cy / Double(inner.height))",
          ]))
    }
    return .structure([XMLName(GoogleNamespace.device, "Camera"): .structure(result)])
  }
}
