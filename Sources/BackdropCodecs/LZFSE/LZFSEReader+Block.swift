extension LZFSEReader {
  /// A `bvx1` or `bvx2` block: the literals of all its matches as one stream, then their lengths and distances as another, both with finite
  /// state entropy, both written backwards.
  mutating func readBlock(_ header: LZFSEHeader) throws(DecompressionFailure) {
    guard header.rawCount <= space else { throw .tooLong }
    let literalEnd = position + header.byteCount + header.literalPayload
    let end = literalEnd + header.matchPayload
    let wanted = written + header.rawCount
    let literals = try readLiterals(header, endingAt: literalEnd)
    try readMatches(header, literals, endingAt: end)
    guard written == wanted else { throw .init("a block does not have the length it claims") }
    position = end
  }

  /// The literals. Four decoders alternate, and the encoder filled the last round.
  private func readLiterals(_ header: LZFSEHeader, endingAt end: Int) throws(DecompressionFailure) -> [UInt8] {
    let table = try LZFSETable.literals(header.frequencies[104...])
    var stream = try LZFSEBits(source, endingAt: end, unused: header.literalBits)
    var states = header.literalStates
    // Whole rounds: up to three more than the count.
    var result = [UInt8](repeating: 0, count: (header.literalCount + 3) & ~3)
    var failure: DecompressionFailure?
    table.withUnsafeBufferPointer { table in
      result.withUnsafeMutableBufferPointer { result in
        @inline(__always) func decode(_ state: inout Int, _ index: Int) {
          let entry = table[state]
          result[index] = UInt8(truncatingIfNeeded: entry.base)
          state = Int(entry.delta) + stream.read(Int(entry.bits))
        }
        var index = 0
        while index < result.count {
          guard stream.fill() else {
            failure = .cutOff
            return
          }
          decode(&states.0, index)
          decode(&states.1, index + 1)
          decode(&states.2, index + 2)
          decode(&states.3, index + 3)
          index += 4
        }
      }
    }
    if let failure { throw failure }
    return result
  }

  private mutating func readMatches(
    _ header: LZFSEHeader, _ literals: [UInt8], endingAt end: Int
  ) throws(DecompressionFailure) {
    let all = header.frequencies
    let lengths = try LZFSETable.values(all[..<20], states: LZFSEHeader.lengthStateCount, LZFSETable.literalLengths)
    let matches = try LZFSETable.values(all[20..<40], states: LZFSEHeader.lengthStateCount, LZFSETable.matchLengths)
    let distances = try LZFSETable.values(all[40..<104], states: LZFSEHeader.distanceStateCount, LZFSETable.distances)
    var stream = try LZFSEBits(source, endingAt: end, unused: header.matchBits)
    var states = (length: header.lengthState, match: header.matchState, distance: header.distanceState)
    var (distance, used) = (0, 0)
    for _ in 0..<header.matchCount {
      guard stream.fill() else { throw .cutOff }
      let length = LZFSETable.next(lengths, &states.length, &stream)
      let match = LZFSETable.next(matches, &states.match, &stream)
      let fresh = LZFSETable.next(distances, &states.distance, &stream)
      if fresh != 0 { distance = fresh }
      guard length <= literals.count - used else { throw .init("a block has too few literals") }
      guard length <= space else { throw .tooLong }
      copy(literals, from: used, length)
      used += length
      if match > 0 { try copyMatch(distance: distance, match) }
    }
  }

  @inline(__always)
  private mutating func copy(_ literals: [UInt8], from start: Int, _ count: Int) {
    guard count > 0, let base = target.baseAddress else { return }
    literals.withUnsafeBufferPointer { literals in
      guard let from = literals.baseAddress else { return }
      if count <= 8 && space >= 8 && literals.count - start >= 8 {
        // Store a word instead of a call: later copies overwrite the excess bytes.
        let bits = UnsafeRawPointer(from + start).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(base + written).storeBytes(of: bits, as: UInt64.self)
      } else {
        UnsafeMutableRawPointer(base + written).copyMemory(from: from + start, byteCount: count)
      }
    }
    written += count
  }
}

/// Reads bits from the end of a stream towards its start, the highest first.
struct LZFSEBits {
  private let source: UnsafeRawBufferPointer
  private var position: Int
  private var bits: UInt64
  private var count: Int

  /// - Parameter unused: minus the number of unused bits in the last byte, from -7 to 0.
  init(_ source: UnsafeRawBufferPointer, endingAt end: Int, unused: Int) throws(DecompressionFailure) {
    self.source = source
    // A header comes before, so a valid stream has eight bytes before its end.
    guard end >= 8 && end <= source.count else { throw .cutOff }
    let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
    if unused != 0 {
      position = end - 8
      bits = word
      count = 64 + unused
    } else {
      position = end - 7
      bits = word >> 8
      count = 56
    }
    guard bits >> UInt64(count) == 0 else { throw .init("there are bits after the end of a block") }
  }

  /// Loads whole bytes until at least 56 bits are available; returns whether there were enough.
  @inline(__always)
  mutating func fill() -> Bool {
    let missing = (63 - count) & ~7
    let start = position - missing >> 3
    guard start >= 0 && start + 8 <= source.count else { return false }
    let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    position = start
    bits = bits << UInt64(missing) | word & (1 << UInt64(missing) - 1)
    count += missing
    return true
  }

  /// The next bits as a number. ``fill()`` provides enough of them for any round of symbols.
  @inline(__always)
  mutating func read(_ wanted: Int) -> Int {
    count &-= wanted
    let shift = UInt64(truncatingIfNeeded: count)
    let value = bits &>> shift
    bits &= 1 &<< shift &- 1
    return Int(truncatingIfNeeded: value)
  }
}

/// The decoding tables of finite state entropy: one entry per state.
enum LZFSETable {
  struct Entry {
    /// Bits to read, including those of the value.
    var bits: UInt8 = 0
    /// The lowest of these bits, which belong to the value.
    var valueBits: UInt8 = 0
    /// The offset from the other bits to the next state.
    var delta: Int16 = 0
    /// The symbol, or the base of the value.
    var base: Int32 = 0
  }

  /// Symbols as numbers: the base of each, and the number of bits after it.
  typealias Symbols = (bases: [Int32], bits: [UInt8])

  static let literalLengths = symbols(direct: 16, [(16, 2), (20, 3), (28, 5), (60, 8)])
  static let matchLengths = symbols(direct: 16, [(16, 3), (24, 5), (56, 8), (312, 11)])
  /// Four symbols for each number of bits, contiguous.
  static let distances: Symbols = {
    var (result, base): (Symbols, Int32) = (([], []), 0)
    for index in 0..<LZFSEHeader.distanceSymbols {
      let bits = UInt8(index / 4)
      result.bases.append(base)
      result.bits.append(bits)
      base += 1 << Int32(bits)
    }
    return result
  }()

  private static func symbols(direct: Int32, _ rest: [(Int32, UInt8)]) -> Symbols {
    ((0..<direct).map { $0 } + rest.map(\.0), [UInt8](repeating: 0, count: Int(direct)) + rest.map(\.1))
  }

  static func literals(_ frequencies: ArraySlice<UInt16>) throws(DecompressionFailure) -> [Entry] {
    try table(frequencies, states: LZFSEHeader.literalStateCount) { symbol in (Int32(symbol), 0) }
  }

  static func values(
    _ frequencies: ArraySlice<UInt16>, states: Int, _ symbols: Symbols
  ) throws(DecompressionFailure) -> [Entry] {
    try table(frequencies, states: states) { symbol in (symbols.bases[symbol], symbols.bits[symbol]) }
  }

  private static func table(
    _ frequencies: ArraySlice<UInt16>, states: Int, _ meaning: (Int) -> (base: Int32, bits: UInt8)
  ) throws(DecompressionFailure) -> [Entry] {
    var result: [Entry] = []
    result.reserveCapacity(states)
    for (symbol, frequency) in frequencies.enumerated() where frequency > 0 {
      let count = Int(frequency)
      guard count <= states - result.count else { throw .badTable }
      let (base, valueBits) = meaning(symbol)
      // The symbol's states lead to all states: the first ones with one bit more than the others.
      let bits = count.leadingZeroBitCount - states.leadingZeroBitCount
      let longer = (2 * states) >> bits - count
      for index in 0..<count {
        let isLonger = index < longer
        let own = isLonger ? bits : bits - 1
        let delta = isLonger ? (count + index) << bits - states : (index - longer) << (bits - 1)
        result.append(Entry(bits: UInt8(own) + valueBits, valueBits: valueBits, delta: Int16(delta), base: base))
      }
    }
    // A valid stream never reaches states without a symbol; an invalid one stays in them.
    result += Array(repeating: Entry(), count: states - result.count)
    return result
  }

  @inline(__always)
  static func next(_ table: [Entry], _ state: inout Int, _ stream: inout LZFSEBits) -> Int {
    let entry = table[state]
    let taken = stream.read(Int(entry.bits))
    state = Int(entry.delta) + taken >> Int(entry.valueBits)
    return Int(entry.base) + taken & (1 << Int(entry.valueBits) - 1)
  }
}
