import BackdropImaging

extension AuxiliaryXMP {
  /// The packet in iOS' form.
  package var packet: [UInt8] {
    var properties: [XMPProperty] = []
    if let depth, kind == .depth || kind == nil { properties += Self.depthProperties(depth) }
    switch kind {
    case .matte(.portrait):
      properties.append(XMPProperty(AppleNamespace.portraitMatte, "PortraitEffectsMatteVersion", "65536"))
    case .matte:
      properties.append(XMPProperty(AppleNamespace.semanticMatte, "SemanticSegmentationMatteVersion", "65536"))
    case .gainMap: properties.append(XMPProperty(AppleNamespace.gainMap, "HDRGainMapVersion", "65536"))
    case .depth, .other, nil: break
    }
    return Array(XMPPrinter.packet(properties + identity).utf8)
  }

  /// Adds the image's purpose to a packet, which JPEG files need and HEIC files do not.
  static func naming(
    _ kind: AuxiliaryKind, _ depth: DepthProperties?, in packet: [UInt8]
  ) throws(BackdropError) -> [UInt8] {
    guard try AuxiliaryXMP(packet).kind != kind else { return packet }
    let properties = AuxiliaryXMP(kind: kind, depth: depth).identity
    let names = Set(properties.map(\.name)).union([XMLName(AppleNamespace.pixelData, "AuxiliaryImageSubType")])
    var editor = XMPEditor(packet)
    try editor.remove { names.contains($0.name) }
    try editor.add(properties)
    return editor.packet
  }

  private var identity: [XMPProperty] {
    func property(_ name: String, _ text: String) -> XMPProperty {
      XMPProperty(AppleNamespace.pixelData, name, text)
    }
    switch kind {
    case .depth:
      var result = [property("AuxiliaryImageType", (depth?.quantity ?? .disparity).rawValue)]
      if let depth {
        result.append(property("NativeFormat", "\(PixelCode.native(depth.quantity, depth.nativeSample ?? .float16))"))
        result.append(property("StoredFormat", "\(PixelCode.stored(depth.quantity, depth.sample))"))
      }
      return result
    case .matte(.portrait):
      // iOS gives this matte the type of depth, and a subtype of its own.
      return [property("AuxiliaryImageType", "depth")] + Self.gray8
        + [property("AuxiliaryImageSubType", "portraiteffectsmatte")]
    case .matte(let matte): return [property("AuxiliaryImageType", matte.urn)] + Self.gray8
    case .gainMap: return [property("AuxiliaryImageType", AuxiliaryKind.gainMapURN)] + Self.gray8
    case .other(let name): return [property("AuxiliaryImageType", name)]
    case nil: return []
    }
  }

  private static var gray8: [XMPProperty] {
    ["NativeFormat", "StoredFormat"].map { XMPProperty(AppleNamespace.pixelData, $0, "\(PixelCode.gray8)") }
  }

  private static func depthProperties(_ depth: DepthProperties) -> [XMPProperty] {
    var result: [XMPProperty] = []
    func add(_ name: String, _ value: (some Sendable)?, in namespace: String = AppleNamespace.depthData) {
      if let value { result.append(XMPProperty(namespace, name, "\(value)")) }
    }
    func add(_ name: String, numbers: [Double]) {
      result.append(XMPProperty(AppleNamespace.depthData, name, numbers))
    }
    if let camera = depth.calibration {
      let (inner, center) = (camera.intrinsics, camera.distortionCenter)
      add("IntrinsicMatrix", numbers: [inner.fx, 0, 0, 0, inner.fy, 0, inner.cx, inner.cy, 1])
      add("IntrinsicMatrixReferenceWidth", inner.width)
      add("IntrinsicMatrixReferenceHeight", inner.height)
      if let extrinsics = camera.extrinsics { add("ExtrinsicMatrix", numbers: extrinsics) }
      add("PixelSize", camera.pixelSizeMillimetres)
      add("LensDistortionCenterOffsetX", center?.x)
      add("LensDistortionCenterOffsetY", center?.y)
      if !camera.distortion.isEmpty { add("LensDistortionCoefficients", numbers: camera.distortion) }
      if !camera.inverseDistortion.isEmpty {
        add("InverseLensDistortionCoefficients", numbers: camera.inverseDistortion)
      }
    }
    add("DepthDataVersion", depth.version ?? 65_538)
    add("Accuracy", depth.accuracy.rawValue)
    add("Quality", depth.quality?.rawValue)
    add("Filtered", depth.isFiltered.map { $0 ? "True" : "False" })
    if !depth.sample.isFloat {
      add("IntMinValue", depth.codes.lowerBound, in: AppleNamespace.pixelData)
      add("IntMaxValue", depth.codes.upperBound, in: AppleNamespace.pixelData)
      add("FloatMinValue", depth.first, in: AppleNamespace.pixelData)
      add("FloatMaxValue", depth.last, in: AppleNamespace.pixelData)
    }
    return result
  }
}
