import BackdropImaging

/// Polygon files (Turk, "The PLY Polygon File Format", 1994): text, or binary of either byte order. Faces are skipped.
extension CloudFile {
  enum Number {
    case int8, uint8, int16, uint16, int32, uint32, float, double

    var byteCount: Int {
      switch self {
      case .int8, .uint8: 1
      case .int16, .uint16: 2
      case .int32, .uint32, .float: 4
      case .double: 8
      }
    }

    static let ofPLY: [Substring: Number] = [
      "char": .int8, "int8": .int8, "uchar": .uint8, "uint8": .uint8, "short": .int16, "int16": .int16,
      "ushort": .uint16, "uint16": .uint16, "int": .int32, "int32": .int32, "uint": .uint32, "uint32": .uint32,
      "float": .float, "float32": .float, "double": .double, "float64": .double,
    ]

    /// The number at a position, which must be inside the bytes.
    func read(_ bytes: UnsafeRawBufferPointer, _ offset: Int, isSwapped: Bool = false) -> Double {
      func load<T: FixedWidthInteger>(_ type: T.Type) -> T {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: type)
        return isSwapped ? T(bigEndian: value) : T(littleEndian: value)
      }
      switch self {
      case .int8: return Double(load(Int8.self))
      case .uint8: return Double(load(UInt8.self))
      case .int16: return Double(load(Int16.self))
      case .uint16: return Double(load(UInt16.self))
      case .int32: return Double(load(Int32.self))
      case .uint32: return Double(load(UInt32.self))
      case .float: return Double(Float(bitPattern: load(UInt32.self)))
      case .double: return Double(bitPattern: load(UInt64.self))
      }
    }

    /// A colour component, from a number of this type.
    func level(_ value: Double) -> UInt8 {
      let scaled =
        switch self {
        case .float, .double: value * 255
        case .int16, .uint16: value / 257
        case .int8, .uint8, .int32, .uint32: value
        }
      return scaled >= 0 ? UInt8(min(255, scaled.rounded())) : 0
    }
  }

  /// The header's description of the points.
  private struct Layout {
    var isText = false, isSwapped = false
    var count: Int?
    var properties: [(name: Substring, type: Number)] = []
    /// Bytes, or lines of text, before the points.
    var bytesBefore = 0, linesBefore = 0
    var remarks: [Substring] = []

    func index(_ names: [Substring]) -> Int? { properties.firstIndex { names.contains($0.name) } }
  }

  mutating func readPLY(_ bytes: [UInt8], _ maximum: Int) throws(BackdropError) {
    var text = CloudText(bytes)
    let layout = try Self.layout(&text)
    guard let count = layout.count else { throw BackdropError(.badData, "the file has no vertices") }
    let axes = ["x", "y", "z"].compactMap { layout.index([$0]) }
    guard axes.count == 3 else { throw BackdropError(.badData, "the vertices have no x, y and z") }
    let colors = [["red", "r", "diffuse_red"], ["green", "g", "diffuse_green"], ["blue", "b", "diffuse_blue"]]
      .compactMap { layout.index($0.map { Substring($0) }) }
    let hasColors = colors.count == 3
    for remark in layout.remarks { read(remark: remark) }
    let types = layout.properties.map(\.type)
    if layout.isText {
      // Each number takes at least a digit and a separator.
      guard count <= (bytes.count - text.at) / max(1, 2 * types.count) + 1 else { throw Self.cutOff() }
      let step = try prepare(count: count, maximum: maximum, hasColors: hasColors)
      var numbers: [Double] = []
      for _ in 0..<layout.linesBefore { guard try text.numbers(&numbers) else { throw Self.cutOff() } }
      for index in 0..<count {
        guard try text.numbers(&numbers), numbers.count >= types.count else { throw Self.cutOff() }
        guard index % step == 0 else { continue }
        let color = hasColors ? colors.map { types[$0].level(numbers[$0]) } : []
        add(
          numbers[axes[0]], numbers[axes[1]], numbers[axes[2]],
          color: hasColors ? SIMD3(color[0], color[1], color[2]) : nil)
      }
      return
    }
    var offsets: [Int] = []
    var size = 0
    for type in types {
      offsets.append(size)
      size += type.byteCount
    }
    let (start, overflows) = text.at.addingReportingOverflow(layout.bytesBefore)
    guard !overflows, start <= bytes.count, count <= (bytes.count - start) / max(1, size) else { throw Self.cutOff() }
    let step = try prepare(count: count, maximum: maximum, hasColors: hasColors)
    bytes.withUnsafeBytes { buffer in
      for index in stride(from: 0, to: count, by: step) {
        let at = start + index * size
        func number(_ property: Int) -> Double {
          types[property].read(buffer, at + offsets[property], isSwapped: layout.isSwapped)
        }
        var color: SIMD3<UInt8>?
        if hasColors {
          func level(_ part: Int) -> UInt8 { types[colors[part]].level(number(colors[part])) }
          color = SIMD3(level(0), level(1), level(2))
        }
        add(number(axes[0]), number(axes[1]), number(axes[2]), color: color)
      }
    }
  }

  private static func layout(_ text: inout CloudText) throws(BackdropError) -> Layout {
    var layout = Layout()
    var (element, count, size, hasList, hasFormat): (Substring, Int, Int, Bool, Bool) = ("", 0, 0, false, false)
    /// Skips everything before the vertices.
    func pass() throws(BackdropError) {
      guard !element.isEmpty, element != "vertex", layout.count == nil else { return }
      guard !hasList || layout.isText || count == 0 else {
        throw BackdropError(.unsupported, "Backdrop does not read PLY files with lists before the vertices")
      }
      let (bytes, overflows) = size.multipliedReportingOverflow(by: count)
      guard !overflows, bytes < 1 << 40, count < 1 << 40 else { throw cutOff() }
      layout.bytesBefore += bytes
      layout.linesBefore += count
    }
    for _ in 0..<512 {
      guard let line = try text.line() else { throw cutOff("the header") }
      let words = line.split(separator: " ")
      switch words.first {
      case "format" where words.count >= 2:
        hasFormat = true
        switch words[1] {
        case "ascii": layout.isText = true
        case "binary_little_endian": break
        case "binary_big_endian": layout.isSwapped = true
        default: throw BackdropError(.unsupported, "Backdrop does not read the PLY format '\(words[1].prefix(40))'")
        }
      case "comment":
        layout.remarks.append(line[...])
      case "element" where words.count >= 3:
        try pass()
        guard let number = Int(words[2]), number >= 0 else {
          throw BackdropError(.badData, "an element in the header has no count")
        }
        (element, count, size, hasList) = (words[1], number, 0, false)
        if element == "vertex" { layout.count = number }
      case "property" where words.count >= 3:
        if words[1] == "list" {
          guard element != "vertex" else {
            throw BackdropError(.unsupported, "Backdrop does not read PLY files with lists in the vertices")
          }
          hasList = true
          continue
        }
        guard let type = Number.ofPLY[words[1]] else {
          throw BackdropError(.unsupported, "Backdrop does not read PLY numbers of type '\(words[1].prefix(40))'")
        }
        size += type.byteCount
        if element == "vertex" {
          guard layout.properties.count < 64 else {
            throw BackdropError(.overLimit, "the vertices have more than 64 numbers each")
          }
          layout.properties.append((words[2], type))
        }
      case "end_header":
        guard hasFormat else { throw BackdropError(.badData, "the header does not name a format") }
        return layout
      default: break
      }
    }
    throw BackdropError(.overLimit, "the header has more than 512 lines")
  }
}
