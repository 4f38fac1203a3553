import BackdropImaging

/// The parameters that a decoder needs first: the HEVC decoder configuration record (ISO/IEC 14496-15, 8.3.3.1).
struct HEVCConfiguration: Sendable, Equatable {
  let body: [UInt8]
  /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  let chromaFormat: Int
  let bitDepth: Int
  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  let lengthSize: Int
  /// Width and height in samples, of the first sequence parameter set.
  let width: Int
  let height: Int

  init(_ body: [UInt8]) throws(BackdropError) {
    var reader = ByteReader(body)
    guard try reader.uint8() == 1 else {
      throw BackdropError(.unsupported, "the decoder configuration has an unknown version")
    }
    try reader.skip(15)
    let chromaFormat = try reader.uint8() & 3
    let bitDepth = try reader.uint8() & 7 + 8
    try reader.skip(3)
    lengthSize = try reader.uint8() & 3 + 1
    let arrays = try reader.uint8()
    var sequence: SequenceParameters?
    for _ in 0..<arrays {
      let type = try reader.uint8() & 0x3F
      for _ in 0..<(try reader.uint16()) {
        let unit = try reader.data(try reader.uint16())
        guard type == NALUnit.sequenceParameters else { continue }
        let found = try SequenceParameters(unit)
        // A picture selects one of several sets, so all must be equal: a larger one must not escape the size check.
        guard sequence == nil || sequence == found else {
          throw BackdropError(.unsupported, "a coded picture changes its size or format")
        }
        sequence = found
      }
    }
    guard let sequence else {
      throw BackdropError(.badData, "the decoder configuration has no sequence parameters")
    }
    self.body = body
    // Use the parameters of the stream, with which the record must agree.
    self.chromaFormat = sequence.chromaFormat
    self.bitDepth = sequence.bitDepth
    (width, height) = (sequence.width, sequence.height)
    guard chromaFormat == sequence.chromaFormat, bitDepth == sequence.bitDepth else {
      throw BackdropError(
        .badData,
        "the decoder configuration claims chroma format \(chromaFormat) with \(bitDepth) bits, its parameters \(sequence.chromaFormat) with \(sequence.bitDepth)"
      )
    }
  }

  /// The start of a sequence parameter set (Rec. ITU-T H.265, 7.3.2.2).
  private struct SequenceParameters: Equatable {
    let chromaFormat: Int
    let bitDepth: Int
    let width: Int
    let height: Int

    init(_ unit: [UInt8]) throws(BackdropError) {
      var reader = BitReader(unit: unit)
      try reader.skip(4)
      let layers = try reader.bits(3)
      try reader.skip(1)
      // profile_tier_level, 7.3.3.
      try reader.skip(96)
      var present: [(profile: Bool, level: Bool)] = []
      for _ in 0..<layers { present.append((try reader.flag(), try reader.flag())) }
      if layers > 0 { try reader.skip(2 * (8 - layers)) }
      for layer in present { try reader.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
      _ = try reader.golomb()
      chromaFormat = try reader.golomb()
      guard chromaFormat <= 3 else { throw BackdropError(.badData, "chroma format \(chromaFormat) does not exist") }
      if chromaFormat == 3 { try reader.skip(1) }
      width = try reader.golomb()
      height = try reader.golomb()
      if try reader.flag() { for _ in 0..<4 { _ = try reader.golomb() } }
      bitDepth = try reader.golomb() + 8
      guard bitDepth <= 16 else {
        throw BackdropError(.badData, "Backdrop does not read HEVC pictures with \(bitDepth) bits per sample")
      }
    }
  }

  static func record(parameterSets: [ArraySlice<UInt8>], chromaFormat: Int, bitDepth: Int) throws(BackdropError)
    -> [UInt8]
  {
    guard
      let sequence = parameterSets.first(where: { $0.first.map(NALUnit.type) == NALUnit.sequenceParameters })
    else { throw BackdropError(.system, "the HEVC encoder returned no sequence parameters") }
    // General profile, tier, compatibility, constraints and level: the first 96 bits of profile_tier_level.
    var reader = BitReader(unit: sequence)
    try reader.skip(8)
    var writer = ByteWriter()
    writer.uint8(1)
    for _ in 0..<12 { writer.uint8(try reader.bits(8)) }
    // Spatial segmentation and parallelism are unspecified; their reserved bits are ones.
    writer.uint16(0xF000)
    writer.uint8(0xFC)
    writer.uint8(0xFC | chromaFormat)
    writer.uint8(0xF8 | bitDepth - 8)
    writer.uint8(0xF8 | bitDepth - 8)
    writer.uint16(0)
    // One temporal layer, nested; lengths of four bytes.
    writer.uint8(0b0000_1111)
    let types = [NALUnit.videoParameters, NALUnit.sequenceParameters, NALUnit.pictureParameters]
    writer.uint8(types.count)
    for type in types {
      let units = parameterSets.filter { $0.first.map(NALUnit.type) == type }
      writer.uint8(0x80 | type)
      writer.uint16(units.count)
      for unit in units {
        writer.uint16(unit.count)
        writer.data(unit)
      }
    }
    return writer.bytes
  }
}

/// Units of the coded stream (Rec. ITU-T H.265, 7.4.2.2), each after its length in an item (ISO/IEC 14496-15, 8.3.2).
enum NALUnit {
  static let videoParameters = 32
  static let sequenceParameters = 33
  static let pictureParameters = 34

  static func type(_ firstByte: UInt8) -> Int { Int(firstByte >> 1 & 0x3F) }

  /// The units of an item for a decoder, without parameter sets. An "hvc1" item has these only in its configuration, which is checked;
  /// others would escape the check.
  static func checked(_ data: [UInt8], lengthSize: Int) throws(BackdropError) -> [UInt8] {
    var reader = ByteReader(data)
    var kept: [Range<Int>] = []
    var isComplete = true
    while reader.left > 0 {
      let start = reader.position
      let length = Int(try reader.number(lengthSize))
      guard length >= 2, length <= reader.left else {
        throw BackdropError(
          .badData, "the coded picture claims a unit of \(length) bytes, and \(reader.left) are left",
          hint: "the file is damaged or was cut off; download or copy it again")
      }
      let type = type(data[reader.position])
      try reader.skip(length)
      if type >= videoParameters && type <= pictureParameters {
        isComplete = false
      } else {
        kept.append(start..<reader.position)
      }
    }
    if isComplete { return data }
    return kept.flatMap { data[$0] }
  }

  /// The units of a byte stream (Rec. ITU-T H.265, annex B), without their start codes.
  static func split(_ stream: [UInt8]) -> [ArraySlice<UInt8>] {
    var result: [ArraySlice<UInt8>] = []
    var start: Int?
    var index = 0
    func end(_ before: Int) {
      guard let start else { return }
      var last = before
      while last > start && stream[last - 1] == 0 { last -= 1 }
      if last > start { result.append(stream[start..<last]) }
    }
    while index + 2 < stream.count {
      if stream[index] == 0 && stream[index + 1] == 0 && stream[index + 2] == 1 {
        end(index)
        start = index + 3
        index += 3
      } else {
        index += 1
      }
    }
    end(stream.count)
    return result
  }
}
