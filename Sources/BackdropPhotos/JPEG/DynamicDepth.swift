import BackdropDepth
import BackdropImaging

/// Depth after the picture of a JPEG file, listed in its XMP ("Dynamic Depth", version 1.0, Google 2019: sections "Concatenated File
/// Container", "Container", "Item", "Camera", "Depth Map", "Image", "Imaging Model").
enum DynamicDepth {
  struct Content {
    var auxiliaries: [AuxiliaryImage] = []
    var original: (any PhotoPicture)?
    /// The end of the last known part after the picture; 0 without any.
    var end = 0
    /// Errors in omitted parts other than the depth.
    var faults: [BackdropError] = []
  }

  static let depthURI = "android/depthmap"
  static let confidenceURI = "android/confidencemap"
  static let segmentationURI = "android/segmentationmap"
  /// More than any device writes.
  private static let itemLimit = 1000

  /// Finds the packet's files, which follow the colour picture that ends at `primaryEnd`.
  static func read(
    _ packet: XMPPacket, _ bytes: [UInt8], primaryEnd: Int, limits: ImageLimits
  ) throws(BackdropError) -> Content {
    var result = Content()
    let cameras = packet[GoogleNamespace.device, "Cameras"]?.items ?? []
    guard !cameras.isEmpty else { return result }
    guard cameras.count <= itemLimit else { throw BackdropError(.overLimit, "the photo lists too many cameras") }
    let items = try self.items(packet, bytes, primaryEnd: primaryEnd)
    func picture(_ uri: String) throws(BackdropError) -> any PhotoPicture {
      guard let range = items[uri] else {
        throw BackdropError(
          .badData, "the photo refers to “\(uri.excerpt)” but does not contain it", hint: "copy the original again")
      }
      result.end = max(result.end, range.upperBound)
      return try GDepth.embedded(bytes, in: range, limits)
    }
    for entry in cameras {
      let camera = entry[GoogleNamespace.device, "Camera"] ?? entry
      if let map = camera[GoogleNamespace.camera, "DepthMap"] {
        func field(_ name: String) -> String? { map[GoogleNamespace.depthMap, name]?.text }
        guard let uri = field("DepthURI") else { continue }
        let found = try picture(uri)
        if field("ItemSemantic")?.lowercased() == "segmentation" {
          result.auxiliaries.append(AuxiliaryImage(.matte(.portrait), found))
        } else {
          var properties = try GoogleRange(field).properties(GDepth.sample(of: found))
          properties.calibration = try calibration(camera[GoogleNamespace.camera, "ImagingModel"])
          var confidence: (any PhotoPicture)?
          do throws(BackdropError) {
            confidence = try field("ConfidenceURI").map { uri throws(BackdropError) in try picture(uri) }
          } catch {
            result.faults.append(error.ofConfidence)
          }
          result.auxiliaries.append(AuxiliaryImage(.depth, found, depth: properties, confidence: confidence))
        }
      }
      if let image = camera[GoogleNamespace.camera, "Image"],
        image[GoogleNamespace.cameraImage, "ItemSemantic"]?.text?.lowercased() == "original",
        let uri = image[GoogleNamespace.cameraImage, "ItemURI"]?.text, items[uri] != nil
      {
        result.original = try picture(uri)
      }
    }
    return result
  }

  /// The ranges of the files after the picture, by their names.
  private static func items(
    _ packet: XMPPacket, _ bytes: [UInt8], primaryEnd: Int
  ) throws(BackdropError) -> [String: Range<Int>] {
    let container = packet[GoogleNamespace.device, "Container"]
    let directory =
      (container?[GoogleNamespace.container, "Directory"] ?? packet[GoogleNamespace.container, "Directory"])?.items
      ?? []
    guard directory.count <= itemLimit else { throw BackdropError(.overLimit, "the photo lists too many items") }
    var result: [String: Range<Int>] = [:]
    var position = primaryEnd
    for (index, entry) in directory.enumerated() {
      let item = entry[GoogleNamespace.container, "Item"] ?? entry
      func number(_ name: String) throws(BackdropError) -> Int {
        guard let text = item[GoogleNamespace.item, name]?.text else { return 0 }
        return try XMPNumber.integer(text, "Item:\(name)")
      }
      // The first item is the picture itself, whose length does not count.
      let length = index == 0 ? 0 : try number("Length")
      let padding = try number("Padding")
      guard length >= 0 && padding >= 0 && position + length + padding <= bytes.count else {
        throw BackdropError(
          .badData,
          "item \(index + 1) of the photo is at bytes \(position)…\(position + length), but the file has \(bytes.count)",
          hint: "the file was cut off; copy the original again")
      }
      if length > 0, let uri = (item[GoogleNamespace.item, "DataURI"] ?? item[GoogleNamespace.item, "URI"])?.text {
        result[uri] = position..<position + length
      }
      position += length + padding
    }
    return result
  }

  /// Focal lengths are in pixels, the principal point is a fraction of the picture's size.
  private static func calibration(_ model: XMPValue?) throws(BackdropError) -> CameraCalibration? {
    guard let model else { return nil }
    func number(_ name: String) throws(BackdropError) -> Double? {
      guard let text = model[GoogleNamespace.imagingModel, name]?.text else { return nil }
      return try XMPNumber.real(text, "ImagingModel:\(name)")
    }
    guard let fx = try number("FocalLengthX"), let fy = try number("FocalLengthY"),
      let width = try number("ImageWidth"), let height = try number("ImageHeight"),
      (1...1e6).contains(width), (1...1e6).contains(height)
    else { return nil }
    return CameraCalibration(
      intrinsics: Intrinsics(
        fx: fx, fy: fy, cx: (try number("PrincipalPointX") ?? 0.5) * width,
        cy: (try number("PrincipalPointY") ?? 0.5) * height, width: Int(width), height: Int(height)))
  }
}
