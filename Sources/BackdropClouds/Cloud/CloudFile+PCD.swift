import BackdropImaging

/// The Point Cloud Library's files (PCD 0.7): text, binary, and binary compressed with LZF.
extension CloudFile {
  private struct Field {
    var name: Substring
    var type: Number
    /// Its byte offset in a point, and its column in a line of text.
    var offset: Int, column: Int
  }

  /// The header lines that describe the numbers of a point, with a word for each field.
  private struct Columns {
    var names: [Substring] = [], sizes: [Int] = [], types: [Substring] = [], counts: [Int] = []
  }

  private struct Head {
    var fields: [Field] = []
    /// Bytes and numbers of a point.
    var size = 0, columns = 0
    var count = 0
    var data: Substring = ""
    var remarks: [Substring] = []
  }

  mutating func readPCD(_ bytes: [UInt8], _ maximum: Int) throws(BackdropError) {
    var text = CloudText(bytes)
    let head = try Self.head(&text)
    let coordinates = ["x", "y", "z"].compactMap { name in head.fields.first { $0.name == name } }
    guard coordinates.count == 3 else { throw BackdropError(.badData, "the points have no x, y and z") }
    // Packed into the bits of one number, of any declared type.
    let color = head.fields.first { ($0.name == "rgb" || $0.name == "rgba") && $0.type.byteCount == 4 }
    axes = .camera
    for remark in head.remarks { read(remark: remark) }
    func level(_ bits: UInt32) -> SIMD3<UInt8> {
      SIMD3(UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255))
    }
    switch head.data {
    case "ascii":
      guard head.count <= (bytes.count - text.at) / max(1, 2 * head.columns) + 1 else { throw Self.cutOff() }
      let step = try prepare(count: head.count, maximum: maximum, hasColors: color != nil)
      var numbers: [Double] = []
      for index in 0..<head.count {
        guard try text.numbers(&numbers), numbers.count >= head.columns else { throw Self.cutOff() }
        guard index % step == 0 else { continue }
        let bits = color.map { field -> UInt32 in
          let value = numbers[field.column]
          if field.type == .float { return Float(value).bitPattern }
          return value >= 0 && value < 4_294_967_296 ? UInt32(value) : 0
        }
        add(
          numbers[coordinates[0].column], numbers[coordinates[1].column], numbers[coordinates[2].column],
          color: bits.map(level))
      }
    case "binary":
      guard head.count <= (bytes.count - text.at) / max(1, head.size) else { throw Self.cutOff() }
      let step = try prepare(count: head.count, maximum: maximum, hasColors: color != nil)
      let start = text.at
      addAll(bytes, every: step) { field, index in start + index * head.size + field.offset }
    case "binary_compressed":
      let unpacked = try Self.unpack(bytes, from: text.at, head)
      let step = try prepare(count: head.count, maximum: maximum, hasColors: color != nil)
      // The fields follow one another, each with the values of all points.
      addAll(unpacked, every: step) { field, index in
        field.offset * head.count + index * field.type.byteCount
      }
    default: throw BackdropError(.unsupported, "Backdrop does not read PCD data '\(head.data.prefix(40))'")
    }

    func addAll(_ bytes: [UInt8], every step: Int, _ offset: (Field, Int) -> Int) {
      bytes.withUnsafeBytes { buffer in
        for index in stride(from: 0, to: head.count, by: step) {
          let at = coordinates.map { $0.type.read(buffer, offset($0, index)) }
          let bits = color.map {
            UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset($0, index), as: UInt32.self))
          }
          add(at[0], at[1], at[2], color: bits.map(level))
        }
      }
    }
  }

  private static func head(_ text: inout CloudText) throws(BackdropError) -> Head {
    var columns = Columns()
    var (points, width, height): (Int?, Int, Int) = (nil, 0, 1)
    var remarks: [Substring] = []
    for _ in 0..<512 {
      guard let line = try text.line() else { throw cutOff("the header") }
      let words = line.split(separator: " ")
      if line.hasPrefix("#") { remarks.append(line[...]) }
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      let rest = words.dropFirst()
      func numbers() throws(BackdropError) -> [Int] {
        let found = rest.compactMap { Int($0) }
        guard found.count == rest.count, found.allSatisfy({ $0 >= 0 }), rest.count <= 64 else {
          throw BackdropError(.badData, "\(key.prefix(20)) is not a list of numbers")
        }
        return found
      }
      switch key {
      case "FIELDS", "COLUMNS": columns.names = Array(rest.prefix(65))
      case "SIZE": columns.sizes = try numbers()
      case "TYPE": columns.types = Array(rest.prefix(65))
      case "COUNT": columns.counts = try numbers()
      case "WIDTH": width = try numbers().first ?? 0
      case "HEIGHT": height = try numbers().first ?? 1
      case "POINTS": points = try numbers().first
      case "DATA":
        let (product, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows || points != nil else { throw cutOff() }
        var head = try layout(columns, count: points ?? product, data: rest.first ?? "")
        head.remarks = remarks
        return head
      default: break
      }
    }
    throw BackdropError(.overLimit, "the header has more than 512 lines")
  }

  private static func layout(_ columns: Columns, count points: Int, data: Substring) throws(BackdropError) -> Head {
    let (names, sizes, types, counts) = (columns.names, columns.sizes, columns.types, columns.counts)
    guard (1...64).contains(names.count), sizes.count == names.count, types.count == names.count,
      counts.isEmpty || counts.count == names.count
    else { throw BackdropError(.badData, "FIELDS, SIZE and TYPE have different lengths") }
    var head = Head(count: points, data: data)
    for (index, name) in names.enumerated() {
      let count = counts.isEmpty ? 1 : counts[index]
      guard let type = Self.types["\(types[index])\(sizes[index])"], count <= 4096 else {
        throw BackdropError(
          .unsupported, "Backdrop does not read PCD fields of type \(types[index].prefix(8)) with \(sizes[index]) bytes"
        )
      }
      if count > 0 { head.fields.append(Field(name: name, type: type, offset: head.size, column: head.columns)) }
      head.size += type.byteCount * count
      head.columns += count
    }
    guard head.size > 0 else { throw BackdropError(.badData, "the points have no x, y and z") }
    return head
  }

  /// The numbers by their type and size.
  private static let types: [String: Number] = [
    "I1": .int8, "I2": .int16, "I4": .int32, "U1": .uint8, "U2": .uint16, "U4": .uint32, "F4": .float, "F8": .double,
  ]

  /// Points compressed with LZF (Lehmann, liblzf): two lengths, then the data.
  private static func unpack(_ bytes: [UInt8], from start: Int, _ head: Head) throws(BackdropError) -> [UInt8] {
    guard bytes.count - start >= 8 else { throw cutOff() }
    let (packed, whole) = bytes.withUnsafeBytes { buffer in
      (
        Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
        Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
      )
    }
    let (expected, overflows) = head.size.multipliedReportingOverflow(by: head.count)
    guard !overflows, whole == expected, packed <= bytes.count - start - 8 else { throw cutOff() }
    // Three bytes become at most 264.
    guard whole <= 88 * (packed + 3), whole <= maximumBytes else {
      throw BackdropError(.badData, "the compressed points are damaged")
    }
    return try LZF.unpack(bytes[(start + 8)..<(start + 8 + packed)], count: whole)
  }
}

/// Lehmann's LZF: literal runs, and copies of earlier output.
enum LZF {
  /// - Throws: `badData` unless exactly `count` bytes result.
  static func unpack(_ bytes: ArraySlice<UInt8>, count: Int) throws(BackdropError) -> [UInt8] {
    let damaged = BackdropError(.badData, "the compressed points are damaged")
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var at = bytes.startIndex
    func next() throws(BackdropError) -> Int {
      guard at < bytes.endIndex else { throw damaged }
      defer { at += 1 }
      return Int(bytes[at])
    }
    while at < bytes.endIndex {
      let control = try next()
      if control < 32 {
        guard bytes.endIndex - at > control, output.count + control < count else { throw damaged }
        output += bytes[at...(at + control)]
        at += control + 1
        continue
      }
      var length = control >> 5
      if length == 7 { length += try next() }
      let distance = (control & 31) << 8 + (try next()) + 1
      length += 2
      guard distance <= output.count, output.count + length <= count else { throw damaged }
      // A copy may overlap its own output.
      for index in (output.count - distance)..<(output.count - distance + length) { output.append(output[index]) }
    }
    guard output.count == count else { throw damaged }
    return output
  }
}
