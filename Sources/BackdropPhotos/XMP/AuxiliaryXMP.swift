import BackdropDepth
import BackdropImaging

/// The contents of an auxiliary image's XMP packet in Apple's namespaces.
///
/// The namespaces `pixeldatainfo` and `depthData` are not published. Names and forms are those in files of iOS 11 to 18, with the meanings
/// of `AVDepthData` and `AVCameraCalibrationData`.
package struct AuxiliaryXMP: Sendable, Equatable {
  /// The image's purpose; `nil` if the packet does not have it.
  package var kind: AuxiliaryKind?
  package var depth: DepthProperties?
}

extension AuxiliaryXMP {
  /// Parses a packet.
  ///
  /// A missing range of values is not an error here: mattes need none.
  /// - Throws: `badData`, `unsupported` or `overLimit` for XML that XMP does not allow; `badData` for invalid numbers.
  package init(_ packet: [UInt8]) throws(BackdropError) {
    let xmp = try XMPPacket(packet)
    let type = xmp.text(AppleNamespace.pixelData, "AuxiliaryImageType")
    let subtype = xmp.text(AppleNamespace.pixelData, "AuxiliaryImageSubType")
    kind = type.map { Self.kind($0, subtype: subtype) }
    // A HEIC file marks depth in another way, and a packet may contain only the camera.
    let describesDepth = kind == .depth || (kind == nil && xmp[AppleNamespace.depthData, "DepthDataVersion"] != nil)
    depth = describesDepth ? try Self.depth(xmp, type: type) : nil
  }

  /// The types `disparity` and `depth` mean depth, but a matte also has the type `depth`, with a different subtype.
  private static func kind(_ type: String, subtype: String?) -> AuxiliaryKind {
    if let subtype {
      if let matte = MatteKind.allCases.first(where: { $0.urn.hasSuffix(":" + subtype) }) { return .matte(matte) }
      if subtype != "depth" && subtype != "disparity" { return .other(subtype) }
    }
    return type == "disparity" || type == "depth" ? .depth : AuxiliaryKind(urn: type)
  }

  private static func depth(_ xmp: XMPPacket, type: String?) throws(BackdropError) -> DepthProperties {
    let native = try integer(xmp, AppleNamespace.pixelData, "NativeFormat").flatMap(PixelCode.init)
    let stored = try integer(xmp, AppleNamespace.pixelData, "StoredFormat").flatMap(PixelCode.init)
    let isDisparity = type == "disparity" || (type != "depth" && native?.quantity != .depth)
    let sample = stored?.sample ?? .uint8
    var result = DepthProperties(isDisparity ? .disparity : .depth, sample)
    result.nativeSample = native?.quantity == nil ? nil : native?.sample
    let low = try integer(xmp, AppleNamespace.pixelData, "IntMinValue") ?? 0
    let high = try integer(xmp, AppleNamespace.pixelData, "IntMaxValue") ?? sample.greatestCode
    guard low <= high else {
      throw BackdropError(damaged: "the depth has stored values from \(low) to \(high), which is not possible")
    }
    result.codes = low...high
    result.first = try number(xmp, AppleNamespace.pixelData, "FloatMinValue")
    result.last = try number(xmp, AppleNamespace.pixelData, "FloatMaxValue")
    result.accuracy = xmp.text(AppleNamespace.depthData, "Accuracy")?.lowercased() == "absolute" ? .absolute : .relative
    result.isFiltered = xmp.text(AppleNamespace.depthData, "Filtered").map { ["true", "1"].contains($0.lowercased()) }
    result.quality = xmp.text(AppleNamespace.depthData, "Quality").flatMap {
      DepthProperties.Quality(rawValue: $0.lowercased())
    }
    result.version = try integer(xmp, AppleNamespace.depthData, "DepthDataVersion")
    result.calibration = try calibration(xmp)
    return result
  }

  private static func calibration(_ xmp: XMPPacket) throws(BackdropError) -> CameraCalibration? {
    guard let matrix = try numbers(xmp, "IntrinsicMatrix") else { return nil }
    let width = try integer(xmp, AppleNamespace.depthData, "IntrinsicMatrixReferenceWidth") ?? 0
    let height = try integer(xmp, AppleNamespace.depthData, "IntrinsicMatrixReferenceHeight") ?? 0
    guard matrix.count == 9, (1...1_000_000).contains(width), (1...1_000_000).contains(height) else {
      throw BackdropError(
        damaged:
          "the camera matrix has \(matrix.count) numbers and a picture size of \(width)×\(height), which is not possible"
      )
    }
    var result = CameraCalibration(
      intrinsics: Intrinsics(fx: matrix[0], fy: matrix[4], cx: matrix[6], cy: matrix[7], width: width, height: height))
    result.extrinsics = try numbers(xmp, "ExtrinsicMatrix")
    result.pixelSizeMillimetres = try number(xmp, AppleNamespace.depthData, "PixelSize")
    if let x = try number(xmp, AppleNamespace.depthData, "LensDistortionCenterOffsetX"),
      let y = try number(xmp, AppleNamespace.depthData, "LensDistortionCenterOffsetY")
    {
      result.distortionCenter = CameraCalibration.Point(x: x, y: y)
    }
    result.distortion = try numbers(xmp, "LensDistortionCoefficients") ?? []
    result.inverseDistortion = try numbers(xmp, "InverseLensDistortionCoefficients") ?? []
    return result
  }

  private static func numbers(_ xmp: XMPPacket, _ name: String) throws(BackdropError) -> [Double]? {
    guard let value = xmp[AppleNamespace.depthData, name] else { return nil }
    guard value.items.count <= 4096 else { throw BackdropError(.overLimit, "\(name) has too many numbers") }
    return try value.items.map { item throws(BackdropError) in try XMPNumber.real(item.text ?? "", name) }
  }

  private static func number(_ xmp: XMPPacket, _ namespace: String, _ name: String) throws(BackdropError) -> Double? {
    try xmp[namespace, name].map { value throws(BackdropError) in try XMPNumber.real(value.text ?? "", name) }
  }

  private static func integer(_ xmp: XMPPacket, _ namespace: String, _ name: String) throws(BackdropError) -> Int? {
    try xmp[namespace, name].map { value throws(BackdropError) in try XMPNumber.integer(value.text ?? "", name) }
  }
}

/// Numbers in XMP's form (ISO 16684-1, section 8.2.1).
enum XMPNumber {
  static func real(_ text: String, _ name: String) throws(BackdropError) -> Double {
    guard let value = Double(text.trimmed), value.isFinite else { throw none(text, name) }
    return value
  }

  static func integer(_ text: String, _ name: String) throws(BackdropError) -> Int {
    let text = text.trimmed
    if let value = Int32(text) { return Int(value) }
    // Some writers give integers a fraction.
    guard let value = Double(text), value == value.rounded(), abs(value) < 0x1p32 else { throw none(text, name) }
    return Int(value)
  }

  private static func none(_ text: String, _ name: String) -> BackdropError {
    BackdropError(damaged: "\(name) is “\(text.excerpt)”, which is not a number")
  }
}

/// Apple's four-character codes for pixel formats (`CVPixelBuffer.h`).
struct PixelCode {
  var sample: DepthProperties.Sample
  /// `nil` for grey without such a meaning.
  var quantity: DepthProperties.Quantity?

  static let gray8 = 0x4C30_3038

  init?(_ code: Int) {
    switch code {
    case 0x6864_6973: (sample, quantity) = (.float16, .disparity)  // hdis
    case 0x6664_6973: (sample, quantity) = (.float32, .disparity)  // fdis
    case 0x6864_6570: (sample, quantity) = (.float16, .depth)  // hdep
    case 0x6664_6570: (sample, quantity) = (.float32, .depth)  // fdep
    case Self.gray8: (sample, quantity) = (.uint8, nil)  // L008
    case 0x4C30_3136: (sample, quantity) = (.uint16, nil)  // L016
    case 0x4C30_3068: (sample, quantity) = (.float16, nil)  // L00h
    case 0x4C30_3066: (sample, quantity) = (.float32, nil)  // L00f
    default: return nil
    }
  }

  /// The code of depth or disparity in the camera.
  static func native(_ quantity: DepthProperties.Quantity, _ sample: DepthProperties.Sample) -> Int {
    switch (quantity, sample == .float32) {
    case (.disparity, false): 0x6864_6973
    case (.disparity, true): 0x6664_6973
    case (.depth, false): 0x6864_6570
    case (.depth, true): 0x6664_6570
    }
  }

  static func stored(_ quantity: DepthProperties.Quantity, _ sample: DepthProperties.Sample) -> Int {
    switch sample {
    case .uint8: gray8
    case .uint16: 0x4C30_3136
    case .float16, .float32: native(quantity, sample)
    }
  }
}
