import CLCMS

extension ColorSpace {
  /// The ICC profile to write beside pictures, of another kind for grey ones: their original one, or a new one; `nil` for sRGB, which needs
  /// none, and for a high dynamic range, which none can describe.
  package func profileBytes(forGray isGray: Bool) -> [UInt8]? {
    // An unreadable profile is kept for other programs.
    if let profile, profile.kind == (isGray ? .gray : .rgb) || profile.kind == .unknown { return profile.bytes }
    guard !matches(.sRGB), !(isGray && transfer == .srgb), let model else { return nil }
    return model.profile(name: name, white: primaries.chromaticities?.white, isGray: isGray)
  }

  /// A space that a file describes in numbers: without chromaticities sRGB's, without the power from samples to light (`gamma`) with sRGB's
  /// curve. `nil` for numbers that describe no space.
  package init?(_ chromaticities: Chromaticities?, gamma: Double?) {
    let chromaticities = chromaticities ?? Primaries.bt709.chromaticities
    // By convention 1/2.2 means sRGB (PNG specification, third edition, section 11.3.2.5).
    let curve = gamma.map { abs($0 - 2.2) < 0.005 ? ToneCurve.srgb : .power($0) } ?? .srgb
    guard let chromaticities, let toPCS = chromaticities.toPCS, curve.isUsable else { return nil }
    let model = ColorModel(curves: [curve, curve, curve], toPCS: toPCS)
    let (primaries, transfer) = model.names
    if primaries != .custom && transfer != .custom {
      self.init(primaries, transfer)
    } else {
      self.init(ColorProfile(model.profile(name: "Described by numbers", white: chromaticities.white, isGray: false)))
    }
  }
}

extension ColorModel {
  /// An ICC profile of version 4 (ICC.1:2010), for grey with only the green curve. `white` is the screen's before adaptation to the
  /// connection space, if known. Equal spaces give equal bytes.
  fileprivate func profile(name: String, white: Chromaticities.Point?, isGray: Bool) -> [UInt8] {
    guard let profile = cmsCreateProfilePlaceholder(nil) else { preconditionFailure("no memory") }
    defer { cmsCloseProfile(profile) }
    cmsSetProfileVersion(profile, 4.3)
    cmsSetDeviceClass(profile, cmsSigDisplayClass)
    cmsSetColorSpace(profile, isGray ? cmsSigGrayData : cmsSigRgbData)
    cmsSetPCS(profile, cmsSigXYZData)
    cmsSetHeaderRenderingIntent(profile, UInt32(INTENT_RELATIVE_COLORIMETRIC))
    Self.write(name, cmsSigProfileDescriptionTag, profile)
    Self.write("No copyright, use freely", cmsSigCopyrightTag, profile)
    cmsWriteTag(profile, cmsSigMediaWhitePointTag, cmsD50_XYZ())
    if let white, let adaptation = Chromaticities.adaptation(from: white) {
      cmsWriteTag(profile, cmsSigChromaticAdaptationTag, Array(adaptation.rows.joined()))
    }
    if !isGray {
      for (tag, column) in zip([cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag], colorants) {
        cmsWriteTag(profile, tag, column)
      }
    }
    let tags = isGray ? [cmsSigGrayTRCTag] : [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
    for (index, tag) in tags.enumerated() {
      let curve = curves[isGray ? 1 : index]
      if let same = curves[..<index].firstIndex(of: curve) {
        cmsLinkTag(profile, tag, tags[same])
      } else {
        let made = curve.made
        cmsWriteTag(profile, tag, UnsafeRawPointer(made))
        cmsFreeToneCurve(made)
      }
    }
    var count: UInt32 = 0
    cmsSaveProfileToMem(profile, nil, &count)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    cmsSaveProfileToMem(profile, &bytes, &count)
    // The time of writing.
    bytes.replaceSubrange(24..<36, with: [7, 234, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    return bytes
  }

  private static func write(_ text: String, _ tag: cmsTagSignature, _ profile: cmsHPROFILE) {
    let words = cmsMLUalloc(nil, 1)
    cmsMLUsetWide(words, "en", "US", text.utf16.map(wchar_t.init) + [0])
    cmsWriteTag(profile, tag, UnsafeRawPointer(words))
    cmsMLUfree(words)
  }

  /// The colours' columns, rounded as profiles store them so that an exact white of the connection space stays exact.
  private var colorants: [[Double]] {
    let unit = 65536.0
    var columns = (0..<3).map { toPCS.column($0).map { ($0 * unit).rounded() / unit } }
    for row in 0..<3 {
      let missing = (Matrix3.d50[row] * unit).rounded() / unit - columns[0][row] - columns[1][row] - columns[2][row]
      // The sum of three rounded numbers is off by 2 at most.
      if abs(missing) <= 2 / unit { columns[1][row] += missing }
    }
    return columns
  }
}

extension ToneCurve {
  /// The caller frees it with `cmsFreeToneCurve`.
  fileprivate var made: OpaquePointer? {
    switch self {
    case .table(let values): cmsBuildTabulatedToneCurve16(nil, UInt32(values.count), values)
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      // Little CMS counts the functions of section 10.18 from 1.
      if a == 1 && b == 0 && d == 0 && e == 0 {
        cmsBuildParametricToneCurve(nil, 1, [g])
      } else if e == 0 && f == 0 {
        cmsBuildParametricToneCurve(nil, 4, [g, a, b, c, d])
      } else {
        cmsBuildParametricToneCurve(nil, 5, [g, a, b, c, d, e, f])
      }
    }
  }
}
