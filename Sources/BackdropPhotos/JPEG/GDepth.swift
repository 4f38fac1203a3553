import BackdropCodecs
import BackdropImaging

/// Depth inside the XMP of a JPEG file, as text ("Depthmap metadata", developers.google.com/depthmap-metadata).
enum GDepth {
  /// Finds depth, confidence and the original picture, usually in the extension of the standard packet.
  static func read(
    _ packet: XMPPacket, extended: XMPPacket?, limits: ImageLimits
  ) throws(BackdropError) -> DynamicDepth.Content {
    func field(_ namespace: String, _ name: String) -> String? {
      packet.text(namespace, name) ?? extended?.text(namespace, name)
    }
    var result = DynamicDepth.Content()
    if let data = field(GoogleNamespace.image, "Data") {
      result.original = try embedded(Base64.decode(data, "GImage:Data"), limits)
    }
    guard let data = field(GoogleNamespace.depth, "Data") else { return result }
    let range = try GoogleRange { field(GoogleNamespace.depth, $0) }
    let picture = try embedded(Base64.decode(data, "GDepth:Data"), limits)
    var confidence: (any PhotoPicture)?
    if let data = field(GoogleNamespace.depth, "Confidence") {
      do throws(BackdropError) {
        confidence = try embedded(Base64.decode(data, "GDepth:Confidence"), limits)
      } catch {
        result.faults.append(error.ofConfidence)
      }
    }
    result.auxiliaries = [
      AuxiliaryImage(.depth, picture, depth: range.properties(sample(of: picture)), confidence: confidence)
    ]
    return result
  }

  /// A picture file inside another; its first bytes, not its declared type, determine its format.
  static func embedded(
    _ bytes: [UInt8], in range: Range<Int>? = nil, _ limits: ImageLimits
  ) throws(BackdropError) -> any PhotoPicture {
    let range = range ?? bytes.indices
    switch FileContent(bytes.span.extracting(range)) {
    case .picture(.jpeg): return try JPEGPicture(bytes, in: range, limits: limits)
    case .picture(.png): return try CodedPicture(Array(bytes[range]), .png, limits: limits)
    default: throw BackdropError(damaged: "a picture inside the photo is neither PNG nor JPEG")
    }
  }

  static func sample(of picture: any PhotoPicture) -> DepthProperties.Sample {
    (picture as? CodedPicture)?.header.isDeepGray == true ? .uint16 : .uint8
  }
}
