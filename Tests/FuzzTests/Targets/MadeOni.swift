/// A recording of OpenNI2 under construction, according to its OniDataRecords.cpp.
struct MadeOni {
  var bytes: [UInt8]
  let isOld: Bool

  init(isOld: Bool = false) {
    self.isOld = isOld
    bytes =
      Array("NI10".utf8) + [1, 0, isOld ? 0 : 1, 0] + MadeOni.number(isOld ? 5 : 0) + MadeOni.number(0, 8)
      + MadeOni.number(2)
  }

  static func number(_ value: UInt64, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  mutating func record(_ kind: UInt64, _ node: UInt64, _ fields: [UInt8] = [], data: [UInt8] = []) {
    bytes += Array("NIR".utf8) + [0] + Self.number(kind) + Self.number(node)
    bytes += Self.number(UInt64(fields.count + (isOld ? 24 : 28))) + Self.number(UInt64(data.count))
    bytes += Self.number(0, isOld ? 4 : 8) + fields + data
  }

  static func name(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count + 1)) + Array(text.utf8) + [0] }

  mutating func property(_ node: UInt64, _ name: String, _ value: [UInt8], kind: UInt64 = 6) {
    record(kind, node, Self.name(name) + Self.number(UInt64(value.count)) + value)
  }

  mutating func integer(_ node: UInt64, _ name: String, _ value: UInt64) {
    property(node, name, Self.number(value, 8), kind: 3)
  }

  /// A stream of 30 frames a second, with OpenNI2's number for its format.
  mutating func stream(_ node: UInt64, kind: UInt64, codec: String, format: UInt64?, _ width: Int, _ height: Int) {
    record(
      isOld ? 0x0C : 0x0D, node,
      Self.name(kind == 2 ? "Depth" : "Image") + Self.number(kind) + Array(codec.utf8) + Self.number(3)
        + Self.number(0, 8) + Self.number(99, 8) + Self.number(0, isOld ? 0 : 8))
    property(
      node, "xnMapOutputMode", Self.number(UInt64(width)) + Self.number(UInt64(height)) + Self.number(30))
    if let format { integer(node, "oniPixelFormat", format) }
    record(0x09, node)
  }

  mutating func data(_ node: UInt64, _ microseconds: UInt64, _ data: [UInt8]) {
    record(0x0A, node, Self.number(microseconds, 8) + Self.number(1), data: data)
  }

  /// Numbers in memory order.
  static func plain(_ numbers: [UInt16]) -> [UInt8] { numbers.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

  /// The compression of OpenNI2's encoder, step by step.
  static func packed(_ numbers: [UInt16], hasTable: Bool) -> [UInt8] {
    var (numbers, result) = (numbers, [UInt8]())
    if hasTable {
      let table = Set(numbers).sorted()
      result += plain([UInt16(table.count)] + table)
      numbers = numbers.map { number in UInt16(table.firstIndex(of: number) ?? 0) }
    }
    result += plain([numbers[0]])
    var (half, same): (UInt8?, UInt8) = (nil, 0)
    func flush() {
      if same > 0 { result.append(0xE0 + same) }
      same = 0
    }
    for (last, now) in zip(numbers, numbers.dropFirst()) {
      let step = Int(last) - Int(now)
      if abs(step) <= 6 {
        guard let first = half else {
          half = UInt8(step + 6) << 4
          continue
        }
        half = nil
        let both = first + UInt8(step + 6)
        if both == 0x66 {
          same += 1
          if same == 15 { flush() }
        } else {
          flush()
          result.append(both)
        }
      } else {
        flush()
        result.append(half.map { $0 + 0x0F } ?? 0xFF)
        half = nil
        result += abs(step) <= 63 ? [UInt8(step + 192)] : [UInt8(now >> 8), UInt8(now & 255)]
      }
    }
    // Like the encoder: half a byte is written before the pending count.
    if let half { result.append(half + 0x0D) }
    flush()
    return result
  }
}
