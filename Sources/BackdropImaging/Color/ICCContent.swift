/// What can be read of the bytes of an ICC profile (ICC.1:2022; ICC.1:2001-04 for version 2).
///
/// All counts and offsets are checked against the bytes that there are, before anything is taken by them.
struct ICCContent: Sendable {
  private(set) var kind = ColorProfile.Kind.unknown
  private(set) var name: String?
  private(set) var model: ColorModel?
  private(set) var fault: BackdropError?

  private static let headerSize = 128
  /// More tags than any profile has.
  private static let largestTagCount = 200
  /// Entries of a curve: one for each sample of 16 bits.
  private static let largestCurve = 65_536

  private let bytes: [UInt8]
  private var tags: [UInt32: Range<Int>] = [:]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    do throws(BackdropError) {
      try readHeader()
      name = readName()
      model = try kind == .gray ? readGray() : readColors()
    } catch {
      fault = error
    }
  }

  // MARK: - Header and tags

  private mutating func readHeader() throws(BackdropError) {
    guard bytes.count >= Self.headerSize + 4, word(36) == code("acsp") else { throw Self.damaged("no header") }
    let space = word(16)
    switch space {
    case code("RGB "): kind = .rgb
    case code("GRAY"): kind = .gray
    default:
      kind = .other
      throw BackdropError(.unsupported, "it is for '\(Self.text(space))' pictures, not for RGB or grey")
    }
    guard [2, 4].contains(bytes[8]) else { throw BackdropError(.unsupported, "it has version \(bytes[8])") }
    // Profiles that link devices, or name colours, describe no space.
    let known = ["scnr", "mntr", "prtr", "spac"].map(code)
    guard known.contains(try uint32(12)) else {
      throw BackdropError(.unsupported, "it is a profile of kind '\(Self.text(try uint32(12)))'")
    }
    let count = Int(try uint32(Self.headerSize))
    guard count <= Self.largestTagCount, bytes.count >= Self.headerSize + 4 + 12 * count else {
      throw Self.damaged("\(count) tags")
    }
    for index in 0..<count {
      let entry = Self.headerSize + 4 + 12 * index
      let (tag, start, size) = (try uint32(entry), Int(try uint32(entry + 4)), Int(try uint32(entry + 8)))
      // What is not needed may be damaged.
      guard start >= Self.headerSize, start <= bytes.count, size <= bytes.count - start, tags[tag] == nil else {
        continue
      }
      tags[tag] = start..<start + size
    }
  }

  private func readColors() throws(BackdropError) -> ColorModel {
    guard tags[code("rXYZ")] != nil else {
      let hasTables = ["A2B0", "A2B1", "A2B2"].contains { tags[code($0)] != nil }
      guard hasTables else { throw Self.damaged("neither primaries nor tables") }
      throw BackdropError(.unsupported, "it has only tables")
    }
    guard try uint32(20) == code("XYZ ") else {
      throw BackdropError(.unsupported, "it connects to '\(Self.text(try uint32(20)))'")
    }
    let toPCS = Matrix3(columns: try readXYZ("rXYZ"), try readXYZ("gXYZ"), try readXYZ("bXYZ"))
    guard toPCS.rows.joined().allSatisfy({ abs($0) <= 4 }), abs(toPCS.determinant) > 1e-3 else {
      throw Self.damaged("its primaries span no colours")
    }
    return ColorModel(curves: [try readCurve("rTRC"), try readCurve("gTRC"), try readCurve("bTRC")], toPCS: toPCS)
  }

  private func readGray() throws(BackdropError) -> ColorModel {
    let curve = try readCurve("kTRC")
    // The primaries do not matter for grey.
    guard let toPCS = ColorSpace.Primaries.bt709.chromaticities?.toPCS else { throw Self.damaged("no white") }
    return ColorModel(curves: [curve, curve, curve], toPCS: toPCS)
  }

  // MARK: - Elements (section 10)

  private func readXYZ(_ tag: String) throws(BackdropError) -> [Double] {
    let range = try element(tag, atLeast: 20)
    guard try uint32(range.lowerBound) == code("XYZ ") else { throw Self.damaged("no colour in '\(tag)'") }
    var result: [Double] = []
    for index in 0..<3 { result.append(try fixed(range.lowerBound + 8 + 4 * index)) }
    return result
  }

  private func readCurve(_ tag: String) throws(BackdropError) -> ToneCurve {
    let range = try element(tag, atLeast: 12)
    let curve: ToneCurve
    switch try uint32(range.lowerBound) {
    case code("curv"): curve = try readTable(tag, range)
    case code("para"): curve = try readFunction(tag, range)
    default: throw Self.damaged("no curve in '\(tag)'")
    }
    guard curve.isUsable else { throw Self.damaged("a curve in '\(tag)' that does not rise from black to white") }
    return curve
  }

  private func readTable(_ tag: String, _ range: Range<Int>) throws(BackdropError) -> ToneCurve {
    let count = Int(try uint32(range.lowerBound + 8))
    guard count <= Self.largestCurve, range.count >= 12 + 2 * count else {
      throw Self.damaged("a curve of \(count) steps in '\(tag)'")
    }
    switch count {
    case 0: return .power(1)
    case 1: return .power(Double(uint16(range.lowerBound + 12)) / 256)
    default: return .table((0..<count).map { uint16(range.lowerBound + 12 + 2 * $0) })
    }
  }

  private func readFunction(_ tag: String, _ range: Range<Int>) throws(BackdropError) -> ToneCurve {
    let type = Int(uint16(range.lowerBound + 8))
    let counts = [1, 3, 4, 5, 7]
    guard type < counts.count, range.count >= 12 + 4 * counts[type] else {
      throw Self.damaged("a curve of type \(type) in '\(tag)'")
    }
    var p: [Double] = []
    for index in 0..<counts[type] { p.append(try fixed(range.lowerBound + 12 + 4 * index)) }
    switch type {
    case 0: return .power(p[0])
    case 1, 2:
      guard p[1] > 0 else { throw Self.damaged("a curve in '\(tag)' that does not rise from black to white") }
      let offset = type == 2 ? p[3] : 0
      return .parametric(g: p[0], a: p[1], b: p[2], d: max(0, -p[2] / p[1]), e: offset, f: offset)
    case 3: return .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4])
    default: return .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4], e: p[5], f: p[6])
    }
  }

  /// The description: text of version 2, or the first of the names of version 4.
  private func readName() -> String? {
    guard let range = tags[code("desc")], range.count >= 28 else { return nil }
    let start = range.lowerBound
    var text: String?
    switch word(start) {
    case code("desc"):
      let count = Int(word(start + 8))
      guard count >= 1, count <= range.count - 12 else { return nil }
      text = String(decoding: bytes[start + 12..<start + 12 + min(count - 1, 80)], as: UTF8.self)
    case code("mluc"):
      let (count, offset) = (Int(word(start + 20)), Int(word(start + 24)))
      guard word(start + 8) >= 1, offset <= range.count, count <= range.count - offset else { return nil }
      let units = (0..<min(count / 2, 80)).map { uint16(start + offset + 2 * $0) }
      text = String(decoding: units, as: UTF16.self)
    default: return nil
    }
    let shown = String(
      (text ?? "").unicodeScalars.filter { $0.value >= 32 && !(127...159).contains($0.value) }.map(Character.init))
    return shown.isEmpty ? nil : shown
  }

  // MARK: - Numbers

  private func element(_ tag: String, atLeast size: Int) throws(BackdropError) -> Range<Int> {
    guard let range = tags[code(tag)], range.count >= size else { throw Self.damaged("no '\(tag)'") }
    return range
  }

  private func code(_ text: String) -> UInt32 { text.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

  private static func text(_ code: UInt32) -> String {
    String(
      (0..<4).map { Character(UnicodeScalar(max(32, min(126, UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)))))) })
  }

  /// Callers have checked that it lies inside.
  private func word(_ at: Int) -> UInt32 { UInt32(uint16(at)) << 16 | UInt32(uint16(at + 2)) }
  private func uint16(_ at: Int) -> UInt16 { UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) }

  private func uint32(_ at: Int) throws(BackdropError) -> UInt32 {
    guard at >= 0 && at <= bytes.count - 4 else { throw Self.damaged("an end at byte \(bytes.count)") }
    return word(at)
  }

  private func fixed(_ at: Int) throws(BackdropError) -> Double {
    Double(Int32(bitPattern: try uint32(at))) / 65536
  }

  private static func damaged(_ what: String) -> BackdropError { BackdropError(.badData, "it is damaged (\(what))") }
}
