// libspa's headers would not shorten this: their builder replaces thirty lines, but parsed data must still be checked against the available
// bytes and converted to Swift values, and building would require the headers.

/// A value in PipeWire's binary form, "POD" (spa/pod/pod.h), limited to the values that formats and buffers of video and sound need.
enum Pod: Equatable {
  case id(UInt32)
  case int(Int32)
  case long(Int64)
  case rectangle(UInt32, UInt32)
  case fraction(UInt32, UInt32)
  /// All values of one kind.
  case array([Pod])
  /// One of several values; the first is the preferred one.
  case choice(Choice, [Pod])
  /// An unsupported kind.
  case other

  /// The meaning of a choice's values.
  enum Choice: UInt32 {
    case none = 0
    /// The preferred value, the minimum, the maximum.
    case range = 1
    /// A range, and the step.
    case step = 2
    /// The preferred value, then all values.
    case enumeration = 3
    /// The preferred bits, then all bits.
    case flags = 4
  }

  fileprivate var kind: UInt32 {
    switch self {
    case .id: 3
    case .int: 4
    case .long: 5
    case .rectangle: 10
    case .fraction: 11
    case .array: 13
    case .choice: 19
    case .other: 1
    }
  }

  /// The value itself, or the preferred one of a choice.
  var preferred: Pod {
    if case .choice(_, let values) = self { values.first ?? .other } else { self }
  }

  /// All values of an enumeration, and the bounds of a range.
  var alternatives: [Pod] {
    guard case .choice(let choice, let values) = self else { return [self] }
    return choice == .none ? Array(values.prefix(1)) : Array(values.dropFirst())
  }
}

/// A set of properties in PipeWire's binary form, such as a video format.
struct PodObject: Equatable {
  var kind: UInt32
  var id: UInt32
  var properties: [Property]

  struct Property: Equatable {
    var key: UInt32
    var value: Pod
  }

  static let format: UInt32 = 0x40003
  static let buffers: UInt32 = 0x40004
  static let meta: UInt32 = 0x40005
  private static let object: UInt32 = 15
  /// The maximum length in bytes; formats have a few hundred.
  private static let limit = 1 << 16

  init(_ kind: UInt32, id: UInt32, _ properties: KeyValuePairs<UInt32, Pod>) {
    (self.kind, self.id) = (kind, id)
    self.properties = properties.map { Property(key: $0.key, value: $0.value) }
  }

  subscript(key: UInt32) -> Pod? { properties.first { $0.key == key }?.value }

  // MARK: - Writing

  /// The object as words, which give it the required alignment to eight bytes.
  var words: [UInt64] {
    var body = [kind, id]
    for property in properties {
      body += [property.key, 0]
      Self.append(property.value, to: &body)
    }
    let all = [UInt32(body.count * 4), Self.object] + body
    return stride(from: 0, to: all.count, by: 2).map { index in
      withUnsafeBytes(of: (all[index], all[index + 1])) { $0.loadUnaligned(as: UInt64.self) }
    }
  }

  private static func append(_ value: Pod, to words: inout [UInt32]) {
    let start = words.count
    words += [0, value.kind]
    switch value {
    case .choice(let choice, let values):
      let child = values.first ?? .other
      words += [choice.rawValue, 0, UInt32(content(child).count * 4), child.kind]
      for value in values { words += content(value) }
    case .array(let values):
      let child = values.first ?? .other
      words += [UInt32(content(child).count * 4), child.kind]
      for value in values { words += content(value) }
    default: words += content(value)
    }
    words[start] = UInt32((words.count - start - 2) * 4)
    if !words.count.isMultiple(of: 2) { words.append(0) }
  }

  private static func content(_ value: Pod) -> [UInt32] {
    switch value {
    case .id(let number): [number]
    case .int(let number): [UInt32(bitPattern: number)]
    case .long(let number): withUnsafeBytes(of: number) { Array($0.bindMemory(to: UInt32.self)) }
    case .rectangle(let a, let b), .fraction(let a, let b): [a, b]
    case .array, .choice, .other: []
    }
  }

  // MARK: - Reading

  /// The object at an address; `nil` if it is not an object, or truncated.
  init?(at address: UnsafeRawPointer) {
    let size = Int(address.loadUnaligned(as: UInt32.self))
    guard size <= Self.limit else { return nil }
    self.init(UnsafeRawBufferPointer(start: address, count: size + 8))
  }

  /// The object in some bytes; `nil` if it is not an object, or truncated.
  init?(_ bytes: UnsafeRawBufferPointer) {
    func word(_ position: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) }
    guard bytes.count >= 16, Int(word(0)) >= 8, Int(word(0)) <= bytes.count - 8, word(4) == Self.object else {
      return nil
    }
    kind = word(8)
    id = word(12)
    properties = []
    let end = 8 + Int(word(0))
    var position = 16
    while position < end {
      guard end - position >= 16 else { return nil }
      let (key, size, type) = (word(position), Int(word(position + 8)), word(position + 12))
      position += 16
      guard size <= end - position else { return nil }
      properties.append(
        Property(key: key, value: Self.value(type, UnsafeRawBufferPointer(rebasing: bytes[position..<position + size])))
      )
      position += (size + 7) & ~7
    }
  }

  private static func value(_ kind: UInt32, _ bytes: UnsafeRawBufferPointer) -> Pod {
    func word(_ position: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) }
    switch (kind, bytes.count) {
    case (3, 4...): return .id(word(0))
    case (4, 4...): return .int(Int32(bitPattern: word(0)))
    case (5, 8...): return .long(bytes.loadUnaligned(as: Int64.self))
    case (10, 8...): return .rectangle(word(0), word(4))
    case (11, 8...): return .fraction(word(0), word(4))
    case (13, 8...):
      let (size, child) = (Int(word(0)), word(4))
      guard size > 0, child != 13, child != 19 else { return .other }
      return .array(
        stride(from: 8, through: bytes.count - size, by: size).map {
          value(child, UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + size]))
        })
    case (19, 16...):
      let (size, child) = (Int(word(8)), word(12))
      guard let choice = Pod.Choice(rawValue: word(0)), size > 0, child != 19 else { return .other }
      var values: [Pod] = []
      var position = 16
      while bytes.count - position >= size {
        values.append(value(child, UnsafeRawBufferPointer(rebasing: bytes[position..<position + size])))
        position += size
      }
      return values.isEmpty ? .other : .choice(choice, values)
    default: return .other
    }
  }
}
