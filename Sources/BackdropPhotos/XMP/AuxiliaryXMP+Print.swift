extension AuxiliaryXMP {
  /// The packet in the form that iOS writes it.
  public var packet: [UInt8] {
    var properties: [XMPProperty] = []
    if let depth, kind == .depth || kind == nil { properties += Self.depthProperties(depth) }
    let pixelData = AppleNamespace.pixelData
    switch kind {
    case .depth:
      properties.append(XMPProperty(pixelData, "AuxiliaryImageType", depth?.quantity.rawValue ?? "disparity"))
    case .matte(.portrait):
      properties.append(XMPProperty(AppleNamespace.portraitMatte, "PortraitEffectsMatteVersion", "65536"))
      properties.append(XMPProperty(pixelData, "AuxiliaryImageType", "depth"))
      properties += Self.gray8
      properties.append(XMPProperty(pixelData, "AuxiliaryImageSubType", "portraiteffectsmatte"))
    case .matte(let matte):
      properties.append(XMPProperty(AppleNamespace.semanticMatte, "SemanticSegmentationMatteVersion", "65536"))
      properties.append(XMPProperty(pixelData, "AuxiliaryImageType", matte.urn))
      properties += Self.gray8
    case .gainMap:
      properties.append(XMPProperty(pixelData, "AuxiliaryImageType", AuxiliaryKind.gainMapURN))
      properties += Self.gray8
      properties.append(XMPProperty(AppleNamespace.gainMap, "HDRGainMapVersion", "65536"))
    case .other(let name): properties.append(XMPProperty(pixelData, "AuxiliaryImageType", name))
    case nil: break
    }
    return Array(XMPPrinter.packet(properties).utf8)
  }

  private static var gray8: [XMPProperty] {
    ["NativeFormat", "StoredFormat"].map { XMPProperty(AppleNamespace.pixelData, $0, "\(PixelCode.gray8)") }
  }

  private static func depthProperties(_ depth: DepthProperties) -> [XMPProperty] {
    let (pixelData, depthData) = (AppleNamespace.pixelData, AppleNamespace.depthData)
    var result: [XMPProperty] = []
    if let camera = depth.calibration {
      let inner = camera.intrinsics
      result.append(
        XMPProperty(depthData, "IntrinsicMatrix", [inner.fx, 0, 0, 0, inner.fy, 0, inner.cx, inner.cy, 1]))
      result.append(XMPProperty(depthData, "IntrinsicMatrixReferenceWidth", "\(inner.width)"))
      result.append(XMPProperty(depthData, "IntrinsicMatrixReferenceHeight", "\(inner.height)"))
      if let extrinsics = camera.extrinsics { result.append(XMPProperty(depthData, "ExtrinsicMatrix", extrinsics)) }
      if let size = camera.pixelSizeMillimetres { result.append(XMPProperty(depthData, "PixelSize", "\(size)")) }
      if let center = camera.distortionCenter {
        result.append(XMPProperty(depthData, "LensDistortionCenterOffsetX", "\(center.x)"))
        result.append(XMPProperty(depthData, "LensDistortionCenterOffsetY", "\(center.y)"))
      }
      if !camera.distortion.isEmpty {
        result.append(XMPProperty(depthData, "LensDistortionCoefficients", camera.distortion))
      }
      if !camera.inverseDistortion.isEmpty {
        result.append(XMPProperty(depthData, "InverseLensDistortionCoefficients", camera.inverseDistortion))
      }
    }
    result.append(XMPProperty(depthData, "DepthDataVersion", "\(depth.version ?? 65_538)"))
    result.append(XMPProperty(depthData, "Accuracy", depth.accuracy.rawValue))
    if let quality = depth.quality { result.append(XMPProperty(depthData, "Quality", quality.rawValue)) }
    if let isFiltered = depth.isFiltered {
      result.append(XMPProperty(depthData, "Filtered", isFiltered ? "True" : "False"))
    }
    if !depth.sample.isFloat {
      result.append(XMPProperty(pixelData, "IntMinValue", "\(depth.codes.lowerBound)"))
      result.append(XMPProperty(pixelData, "IntMaxValue", "\(depth.codes.upperBound)"))
      if let first = depth.first { result.append(XMPProperty(pixelData, "FloatMinValue", "\(first)")) }
      if let last = depth.last { result.append(XMPProperty(pixelData, "FloatMaxValue", "\(last)")) }
    }
    let native = PixelCode.native(depth.quantity, depth.nativeSample ?? .float16)
    result.append(XMPProperty(pixelData, "NativeFormat", "\(native)"))
    result.append(XMPProperty(pixelData, "StoredFormat", "\(PixelCode.stored(depth.quantity, depth.sample))"))
    return result
  }
}
