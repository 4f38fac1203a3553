package struct ICCReading: IsolatedFunction {
  package static let name = "icc"

  package init() {}
  package init(from wire: inout WireReader) {}
  package func write(to wire: inout WireWriter) {}

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) -> ICCContent {
    ICCContent(bytes.withUnsafeBytes { Array($0) })
  }
}

extension ICCContent: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    let (kind, name) = try (wire.read(ColorProfile.Kind.self), wire.read(String?.self))
    let (hasTables, fault) = try (wire.read(Bool.self), wire.read(BackdropError?.self))
    let model = try wire.read(Bool.self) ? try ColorModel(from: &wire) : nil
    self.init(kind: kind, name: name?.oneLine, model: model, hasTables: hasTables, fault: fault)
  }

  package func write(to wire: inout WireWriter) {
    wire.write(kind, name, hasTables, fault, model != nil)
    model?.write(to: &wire)
  }
}

extension ColorModel: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    curves = try wire.read()
    let numbers = try wire.read([Double].self)
    guard curves.count == 3, numbers.count == 9, numbers.allSatisfy({ abs($0) <= 4 }) else { throw WireReader.damaged }
    toPCS = Matrix3([Array(numbers[0..<3]), Array(numbers[3..<6]), Array(numbers[6..<9])])
  }

  package func write(to wire: inout WireWriter) { wire.write(curves, toPCS.rows.flatMap { $0 }) }
}

extension ToneCurve: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    if try wire.read(Bool.self) {
      self = .table(try wire.read())
    } else {
      let p = try wire.read([Double].self)
      guard p.count == 7 else { throw WireReader.damaged }
      self = .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4], e: p[5], f: p[6])
    }
    guard isUsable else { throw WireReader.damaged }
  }

  package func write(to wire: inout WireWriter) {
    switch self {
    case .table(let values):
      wire.write(true, values)
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      wire.write(false, [g, a, b, c, d, e, f])
    }
  }
}

/// Converts a picture to sRGB by the tables of its profile, with Little CMS.
package struct TableConversion: IsolatedFunction {
  package static let name = "tables"
  private let format: PixelFormat
  private let width: Int, height: Int
  private let color: ColorDescription
  private let alpha: AlphaKind
  private let orientation: Orientation

  private init(_ image: Image) {
    (format, width, height) = (image.format, image.width, image.height)
    (color, alpha, orientation) = (image.color, image.alpha, image.orientation)
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (format, width, height) = try (wire.read(), wire.read(), wire.read())
    (color, alpha, orientation) = try (wire.read(), wire.read(), wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(format, width, height, color, alpha, orientation)
  }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> Image {
    var image = try Image(format, width: width, height: height, packed: bytes, color: color)
    (image.alpha, image.orientation) = (alpha, orientation)
    return image.converted(to: .sRGB)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool {
    (answer.format, answer.width, answer.height) == (format, width, height) && answer.color.space.profile == nil
  }

  /// The picture in sRGB, converted where files are decoded now.
  package static func converted(_ image: Image) throws(BackdropError) -> Image {
    guard image.color.space.profile?.isReadElsewhere == true else { return image.converted(to: .sRGB) }
    return try TableConversion(image).result(image.packedBytes.span)
  }
}
