import CLCMS

/// The parts of an ICC profile that Little CMS reads (ICC.1:2022; ICC.1:2001-04 for version 2).
package struct ICCContent: Sendable {
  private(set) var kind = ColorProfile.Kind.unknown
  private(set) var name: String?
  private(set) var model: ColorModel?
  private(set) var hasTables = false
  private(set) var fault: BackdropError?
  /// Whether a decoder process has read it, so that this one must not read its tables.
  private(set) var isReadElsewhere = false

  /// Reads a profile where files are decoded now.
  init(of bytes: [UInt8]) {
    do throws(BackdropError) { self = try ICCReading().result(bytes.span) { ICCContent(bytes) } } catch {
      self.init(fault: error)
    }
  }

  /// Reads a profile in this process.
  init(_ bytes: [UInt8]) {
    do throws(BackdropError) {
      try read(bytes)
    } catch {
      fault = error
    }
  }

  /// Content that a decoder process has read.
  init(
    kind: ColorProfile.Kind = .unknown, name: String? = nil, model: ColorModel? = nil, hasTables: Bool = false,
    fault: BackdropError?
  ) {
    (self.kind, self.name, self.model, self.hasTables, self.fault) = (kind, name, model, hasTables, fault)
    isReadElsewhere = true
  }

  private mutating func read(_ bytes: [UInt8]) throws(BackdropError) {
    // Little CMS refuses such profiles without a reason; these checks give one.
    guard bytes.count > 128, bytes[36..<40].elementsEqual("acsp".utf8) else { throw Self.damaged("no header") }
    switch Self.text(bytes[16..<20]) {
    case "RGB ": kind = .rgb
    case "GRAY": kind = .gray
    case let space:
      kind = .other
      throw BackdropError(.unsupported, "it is for '\(space)' pictures, not for RGB or grey")
    }
    guard [2, 4].contains(bytes[8]) else { throw BackdropError(.unsupported, "it has version \(bytes[8])") }
    // Profiles that link devices, or name colours, describe no space.
    guard ["scnr", "mntr", "prtr", "spac"].contains(Self.text(bytes[12..<16])) else {
      throw BackdropError(.unsupported, "it is a profile of kind '\(Self.text(bytes[12..<16]))'")
    }
    guard let profile = cmsOpenProfileFromMem(bytes, UInt32(clamping: bytes.count)) else {
      throw Self.damaged("no list of tags")
    }
    defer { cmsCloseProfile(profile) }
    name = Self.name(of: profile)
    if kind == .gray {
      let curve = try Self.curve(cmsSigGrayTRCTag, "grey", of: profile)
      // The primaries do not matter for grey.
      guard let toPCS = ColorSpace.Primaries.bt709.chromaticities?.toPCS else { throw Self.damaged("no white") }
      model = ColorModel(curves: [curve, curve, curve], toPCS: toPCS)
    } else if cmsIsTag(profile, cmsSigRedColorantTag) != 0 {
      model = try Self.colors(of: profile)
    } else {
      hasTables = ICCTransform(bytes, bd_cms_rgb8, to: nil, bd_cms_rgb8) != nil
      guard hasTables else { throw Self.damaged("neither primaries nor tables") }
    }
  }

  private static func colors(of profile: cmsHPROFILE) throws(BackdropError) -> ColorModel {
    guard cmsGetPCS(profile) == cmsSigXYZData else {
      throw BackdropError(.unsupported, "it connects its primaries to a space other than XYZ")
    }
    var columns: [[Double]] = []
    for tag in [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag] {
      guard let color = cmsReadTag(profile, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee else {
        throw damaged("a primary is missing")
      }
      columns.append([color.X, color.Y, color.Z])
    }
    let toPCS = Matrix3(columns: columns[0], columns[1], columns[2])
    guard toPCS.rows.joined().allSatisfy({ abs($0) <= 4 }), abs(toPCS.determinant) > 1e-3 else {
      throw damaged("its primaries span no colours")
    }
    let curves = [
      try curve(cmsSigRedTRCTag, "red", of: profile), try curve(cmsSigGreenTRCTag, "green", of: profile),
      try curve(cmsSigBlueTRCTag, "blue", of: profile),
    ]
    return ColorModel(curves: curves, toPCS: toPCS)
  }

  private static func curve(
    _ tag: cmsTagSignature, _ channel: String, of profile: cmsHPROFILE
  ) throws(BackdropError) -> ToneCurve {
    guard let address = cmsReadTag(profile, tag) else { throw damaged("no curve of \(channel)") }
    let read = OpaquePointer(address)
    var curve = ToneCurve.table([])
    if let p = cmsGetToneCurveParams(read), cmsGetToneCurveParametricType(read) > 0 {
      // One more than the function type in ICC.1, section 10.18.
      switch cmsGetToneCurveParametricType(read) {
      case 1: curve = .power(p[0])
      case 2 where p[1] > 0: curve = .parametric(g: p[0], a: p[1], b: p[2], d: max(0, -p[2] / p[1]))
      case 3 where p[1] > 0:
        curve = .parametric(g: p[0], a: p[1], b: p[2], d: max(0, -p[2] / p[1]), e: p[3], f: p[3])
      case 4: curve = .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4])
      case 5: curve = .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4], e: p[5], f: p[6])
      default: break
      }
    } else {
      let count = Int(cmsGetToneCurveEstimatedTableEntries(read))
      curve = .table(Array(UnsafeBufferPointer(start: cmsGetToneCurveEstimatedTable(read), count: count)))
    }
    guard curve.isUsable else { throw damaged("a curve of \(channel) that does not rise from black to white") }
    return curve
  }

  /// The description, without control characters and at most 80 characters.
  private static func name(of profile: cmsHPROFILE) -> String? {
    var codes = [UInt32](repeating: 0, count: 81)
    let size = codes.withUnsafeMutableBytes {
      cmsGetProfileInfo(
        profile, cmsInfoDescription, "en", "US", $0.assumingMemoryBound(to: wchar_t.self).baseAddress, UInt32($0.count))
    }
    guard size > 0 else { return nil }
    let scalars = codes.prefix { $0 != 0 }.compactMap(Unicode.Scalar.init)
    let shown = String(scalars.filter { $0.value >= 32 && !(127...159).contains($0.value) }.map(Character.init))
    return shown.isEmpty ? nil : shown
  }

  private static func text(_ code: ArraySlice<UInt8>) -> String {
    String(code.map { Character(UnicodeScalar(max(32, min(126, $0)))) })
  }

  private static func damaged(_ what: String) -> BackdropError { BackdropError(.badData, "it is damaged (\(what))") }
}
