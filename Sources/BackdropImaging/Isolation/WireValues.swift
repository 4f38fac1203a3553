// The types that can be sent between processes.

extension WireValue where Self: FixedWidthInteger {
  package init(from wire: inout WireReader) throws(BackdropError) { self = try wire.number(Self.self) }
  package func write(to wire: inout WireWriter) { wire.append(self) }
}

extension UInt8: WireValue {}
extension UInt16: WireValue {}
extension UInt32: WireValue {}
extension Int32: WireValue {}
extension Int64: WireValue {}
extension Int: WireValue {}

extension Double: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self = Double(bitPattern: try wire.number(UInt64.self))
  }
  package func write(to wire: inout WireWriter) { wire.append(bitPattern) }
}

extension Bool: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let value = try wire.number(UInt8.self)
    guard value <= 1 else { throw WireReader.damaged }
    self = value == 1
  }
  package func write(to wire: inout WireWriter) { wire.append(self ? UInt8(1) : 0) }
}

extension String: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self = String(decoding: try wire.slice(), as: UTF8.self)
  }
  package func write(to wire: inout WireWriter) {
    wire.append(UInt32(utf8.count))
    wire.append(Array(utf8))
  }
}

extension Optional: WireValue where Wrapped: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self = try wire.read(Bool.self) ? try wire.read(Wrapped.self) : nil
  }
  package func write(to wire: inout WireWriter) {
    wire.write(self != nil)
    if let self { wire.write(self) }
  }
}

extension Array: WireValue where Element: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    if Element.self == UInt8.self {
      // The condition above proves that the types are equal.
      self = unsafeBitCast([UInt8](try wire.slice()), to: [Element].self)
      return
    }
    self = try wire.nested { wire throws(BackdropError) in
      let count = try wire.count()
      var result: [Element] = []
      for _ in 0..<count { result.append(try wire.read()) }
      return result
    }
  }
  package func write(to wire: inout WireWriter) {
    wire.append(UInt32(count))
    if Element.self == UInt8.self { return wire.append(unsafeBitCast(self, to: [UInt8].self)) }
    for element in self { wire.write(element) }
  }
}

extension Range: WireValue where Bound == Int {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let (lower, upper) = try (wire.read(Int.self), wire.read(Int.self))
    guard lower <= upper else { throw WireReader.damaged }
    self = lower..<upper
  }
  package func write(to wire: inout WireWriter) { wire.write(lowerBound, upperBound) }
}

extension WireValue where Self: RawRepresentable, RawValue: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    guard let value = Self(rawValue: try wire.read()) else { throw WireReader.damaged }
    self = value
  }
  package func write(to wire: inout WireWriter) { wire.write(rawValue) }
}

extension PixelFormat: WireValue {}
extension AlphaKind: WireValue {}
extension Orientation: WireValue {}
extension ColorSpace.Primaries: WireValue {}
extension ColorSpace.Transfer: WireValue {}
extension ColorDescription.Matrix: WireValue {}
extension ColorDescription.Range: WireValue {}
extension ColorProfile.Kind: WireValue {}
extension BackdropError.Kind: WireValue {}

extension ColorSpace: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    if let profile = try wire.read([UInt8]?.self) {
      self.init(ColorProfile(profile))
      return
    }
    let (primaries, transfer) = try (wire.read(Primaries.self), wire.read(Transfer.self))
    guard primaries != .custom && transfer != .custom else { throw WireReader.damaged }
    self.init(primaries, transfer)
  }
  package func write(to wire: inout WireWriter) {
    wire.write(profile?.bytes)
    guard profile == nil else { return }
    wire.write(primaries, transfer)
  }
}

extension ColorDescription: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(matrix: wire.read(), range: wire.read(), space: wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(matrix, range, space) }
}

extension ImageLimits: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(side: wire.read(), pixels: wire.read(), memory: wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(side, pixels, memory) }
}

extension Image: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let (format, width, height) = try (wire.read(PixelFormat.self), wire.read(Int.self), wire.read(Int.self))
    self = try wire.image(format, width, height)
    (color, alpha, orientation) = try (wire.read(), wire.read(), wire.read())
  }
  package func write(to wire: inout WireWriter) {
    wire.write(format, width, height)
    wire.append(self)
    wire.write(color, alpha, orientation)
  }
}

extension BackdropError: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let (kind, message) = try (wire.read(Kind.self), wire.read(String.self))
    let path = try wire.read(String?.self)
    guard try wire.read(Bool.self) else {
      self.init(kind, message, path: path)
      return
    }
    var hint = Hint(try wire.read(String.self).oneLine)
    hint.code = try wire.read(String?.self).map { Hint.Code(rawValue: $0) }
    let (names, values) = try (wire.read([String].self), wire.read([String].self))
    guard names.count == values.count else { throw WireReader.damaged }
    hint.values = Dictionary(zip(names, values)) { $1 }
    self.init(kind, message, path: path, hint: hint)
  }
  package func write(to wire: inout WireWriter) {
    wire.write(kind, message, path, hint != nil)
    guard let hint else { return }
    wire.write(hint.text, hint.code?.rawValue)
    let names = hint.values.keys.sorted()
    wire.write(names, names.map { hint.values[$0] ?? "" })
  }
}

extension Rational: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) { try self.init(wire.read(), wire.read()) }
  package func write(to wire: inout WireWriter) { wire.write(numerator, denominator) }
}

extension SourceProperties.Change: WireValue {}

extension SourceProperties: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(storedWidth: wire.read(), storedHeight: wire.read(), color: wire.read())
    (orientation, pixelAspect, hasAlpha, isInterlaced) = try (wire.read(), wire.read(), wire.read(), wire.read())
    (bitDepth, chromaAcross, chromaDown) = try (wire.read(), wire.read(), wire.read())
    changes = Set(try wire.read([Change].self))
    guard storedWidth > 0, storedHeight > 0, pixelAspect.isPositive, (1...32).contains(bitDepth),
      (1...8).contains(chromaAcross), (1...8).contains(chromaDown)
    else { throw WireReader.damaged }
  }
  package func write(to wire: inout WireWriter) {
    wire.write(storedWidth, storedHeight, color, orientation, pixelAspect, hasAlpha, isInterlaced, bitDepth)
    wire.write(chromaAcross, chromaDown, changes.sorted { $0.rawValue < $1.rawValue })
  }
}
