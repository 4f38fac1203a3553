extension ColorSpace {
  /// The ICC profile to write beside pictures: their original one, or a new one; `nil` for sRGB, which needs none, and for a high dynamic
  /// range, which none can describe.
  ///
  /// - Parameter isGray: whether the picture is grey, which needs another kind of profile.
  package func profileBytes(forGray isGray: Bool) -> [UInt8]? {
    // An unreadable profile is kept for other programs.
    if let profile, profile.kind == (isGray ? .gray : .rgb) || profile.kind == .unknown { return profile.bytes }
    guard !matches(.sRGB), !(isGray && transfer == .srgb), let model else { return nil }
    return ICCWriter(model, name: name, white: primaries.chromaticities?.white, isGray: isGray).bytes
  }

  /// A space that a file describes in numbers; without chromaticities, sRGB's.
  ///
  /// - Parameter gamma: the power from samples to light; `nil` for sRGB's curve.
  /// - Returns: `nil` for numbers that describe no space.
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
      let profile = ICCWriter(model, name: "Described by numbers", white: chromaticities.white, isGray: false)
      self.init(ColorProfile(profile.bytes))
    }
  }
}

/// Makes ICC profiles of version 4 (ICC.1:2010) from primaries and curves.
struct ICCWriter {
  /// The profile.
  private(set) var bytes: [UInt8]

  /// - Parameters:
  ///   - white: the screen's white before adaptation to the connection space, if known.
  ///   - isGray: whether to write only the green curve.
  init(_ model: ColorModel, name: String, white: Chromaticities.Point?, isGray: Bool) {
    var tags: [(String, [UInt8])] = [
      ("desc", Self.text(name)), ("cprt", Self.text("No copyright, use freely")), ("wtpt", Self.xyz(Matrix3.d50)),
    ]
    if let white, let adaptation = Chromaticities.adaptation(from: white) {
      tags.append(("chad", Self.element("sf32") + adaptation.rows.joined().flatMap { Self.word(Self.fixed($0)) }))
    }
    if isGray {
      tags.append(("kTRC", Self.curve(model.curves[1])))
    } else {
      for (name, column) in zip(["rXYZ", "gXYZ", "bXYZ"], Self.colors(model.toPCS)) {
        tags.append((name, Self.element("XYZ ") + column.flatMap(Self.word)))
      }
      for (name, curve) in zip(["rTRC", "gTRC", "bTRC"], model.curves) { tags.append((name, Self.curve(curve))) }
    }

    var table = Self.word(UInt32(tags.count))
    var data: [UInt8] = []
    var places: [[UInt8]: Int] = [:]
    let start = 128 + 4 + 12 * tags.count
    for (name, content) in tags {
      // Equal tags may share data.
      let place = places[content] ?? start + data.count
      if places[content] == nil {
        places[content] = place
        data += content
        while !data.count.isMultiple(of: 4) { data.append(0) }
      }
      table += Array(name.utf8) + Self.word(UInt32(place)) + Self.word(UInt32(content.count))
    }
    bytes = Self.header(size: start + data.count, isGray: isGray) + table + data
  }

  private static func header(size: Int, isGray: Bool) -> [UInt8] {
    var header = word(UInt32(size)) + word(0) + word(0x0430_0000)
    header += Array("mntr".utf8) + Array((isGray ? "GRAY" : "RGB ").utf8) + Array("XYZ ".utf8)
    // A date is required; equal spaces must give equal bytes.
    for part: UInt16 in [2026, 1, 1, 0, 0, 0] { header += [UInt8(part >> 8), UInt8(part & 255)] }
    header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 24)
    // The media-relative intent; the white of the connection space.
    header += word(1) + Matrix3.d50.flatMap { word(fixed($0)) }
    return header + [UInt8](repeating: 0, count: 128 - header.count)
  }

  // MARK: - Elements (section 10)

  private static func element(_ type: String) -> [UInt8] { Array(type.utf8) + word(0) }

  private static func xyz(_ values: [Double]) -> [UInt8] { element("XYZ ") + values.flatMap { word(fixed($0)) } }

  /// The colours' columns, rounded so that an exact white of the connection space stays exact.
  private static func colors(_ matrix: Matrix3) -> [[UInt32]] {
    var columns = (0..<3).map { matrix.column($0).map { Int32(bitPattern: fixed($0)) } }
    for row in 0..<3 {
      let sum = columns[0][row] &+ columns[1][row] &+ columns[2][row]
      let white = Int32(bitPattern: fixed(Matrix3.d50[row]))
      // The sum of three rounded numbers is off by 2 at most.
      if abs(white - sum) <= 2 { columns[1][row] += white - sum }
    }
    return columns.map { $0.map { UInt32(bitPattern: $0) } }
  }

  private static func curve(_ curve: ToneCurve) -> [UInt8] {
    switch curve {
    case .table(let values):
      return element("curv") + word(UInt32(values.count)) + values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      let isPower = a == 1 && b == 0 && d == 0 && e == 0
      let isPlain = e == 0 && f == 0
      let (type, numbers): (UInt8, [Double]) =
        isPower ? (0, [g]) : isPlain ? (3, [g, a, b, c, d]) : (4, [g, a, b, c, d, e, f])
      return element("para") + [0, type, 0, 0] + numbers.flatMap { word(fixed($0)) }
    }
  }

  private static func text(_ text: String) -> [UInt8] {
    let units = Array(text.utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return element("mluc") + word(1) + word(12) + Array("enUS".utf8) + word(UInt32(units.count)) + word(28) + units
  }

  private static func fixed(_ value: Double) -> UInt32 {
    UInt32(bitPattern: Int32((min(max(value, -32768), 32767) * 65536).rounded()))
  }

  private static func word(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
