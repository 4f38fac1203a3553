import BackdropCodecs
import BackdropDepth
import BackdropImaging

enum DepthForm: Sendable {
  /// By extension: a 16-bit picture in units, OpenEXR or a table of text in metres, else as in
  /// ``RecordingOptions/raw``.
  case byName
  /// Raw numbers, for a map of the given width and height.
  case raw(DepthEncoding, Int, Int)
  /// Raw numbers compressed with LZFSE.
  case lzfse(DepthEncoding, Int, Int)
  /// Z16 in millimetres, in one of the sizes of RealSense cameras.
  case realSense
}

extension RecordingEntry {
  /// Reads the depth.
  package func loadDepth(
    _ options: RecordingOptions, unitsPerMetre: Double, camera: Intrinsics?
  ) throws(BackdropError) -> DepthMap {
    func decode(
      _ bytes: [UInt8], _ encoding: DepthEncoding, _ width: Int, _ height: Int
    ) throws(BackdropError) -> DepthMap {
      try DepthMap(
        decoding: bytes.span, as: encoding, width: width, height: height, intrinsics: camera, limits: options.limits)
    }
    do throws(BackdropError) {
      switch depthForm {
      case .raw(let encoding, let width, let height): return try decode(InputFile.read(depth), encoding, width, height)
      case .lzfse(let encoding, let width, let height):
        try options.limits.check(width: width, height: height)
        let packed = try InputFile.read(depth)
        let bytes = try LZFSE.decodeIfPacked(packed.span, count: width * height * encoding.sample.byteCount)
        return try decode(bytes, encoding, width, height)
      case .realSense:
        let bytes = try InputFile.read(depth)
        guard let (width, height) = Self.realSenseSizes.first(where: { 2 * $0.0 * $0.1 == bytes.count }) else {
          throw BackdropError(
            .badData, "\(bytes.count) bytes match no depth size of RealSense cameras", hint: .openTheBag)
        }
        return try decode(bytes, DepthEncoding(.uint16, unitsPerMetre: options.unitsPerMetre ?? 1000), width, height)
      case .byName where FileName(depth).fileExtension == "exr":
        let bytes = try InputFile.read(depth)
        return DepthMap(metres: try EXR.decode(bytes.span, limits: options.limits), intrinsics: camera)
      case .byName where FileName(depth).fileExtension == "csv":
        return DepthMap(metres: try table(options.limits), intrinsics: camera)
      case .byName where !Self.isRaw(depth, options):
        let image = try Picture.load(depth, limits: options.limits)
        guard image.format == .gray16 else {
          throw BackdropError(
            .badData, "a depth picture needs 16-bit grey samples, and this one has \(image.format.rawValue)",
            hint: "give a 16-bit PNG with a scale, or raw numbers with a size")
        }
        return try DepthMap(units: image.plane(0, as: UInt16.self), unitsPerMetre: unitsPerMetre, intrinsics: camera)
      case .byName:
        let raw = try Self.layout(of: depth, options)
        return try decode(InputFile.read(depth), raw.depth, raw.depthWidth, raw.depthHeight)
      }
    } catch { throw error.at(depth) }
  }

  /// The depth sizes of D400, L515 and SR300 cameras.
  private static let realSenseSizes = [
    (1280, 800), (1280, 720), (1024, 768), (960, 540), (848, 480), (848, 100), (640, 480), (640, 400), (640, 360),
    (640, 240), (480, 270), (424, 240), (320, 240), (256, 144),
  ]

  /// Reads ARKit's confidence levels from a grey picture with 0, 1 and 2, or with codes of up to 255, or from an LZFSE
  /// file.
  func loadConfidence(_ map: DepthMap, _ options: RecordingOptions) throws(BackdropError) -> Plane<UInt8> {
    guard let confidence else { return Plane(repeating: 2, width: map.width, height: map.height) }
    do throws(BackdropError) {
      if FileName(confidence).fileExtension == "conf" {
        let packed = try InputFile.read(confidence)
        let levels = try LZFSE.decodeIfPacked(packed.span, count: map.width * map.height)
        return Plane(levels, width: map.width, height: map.height)
      }
      let image = try Picture.load(confidence, as: .gray8, limits: options.limits)
      guard image.width == map.width && image.height == map.height else {
        throw BackdropError(
          .badData, "the confidence (\(image.width)×\(image.height)) and the depth have different sizes")
      }
      var levels = image.plane(0, as: UInt8.self)
      // Polycam writes 0, 54 or 127, and 255.
      levels.update { $0 <= 2 ? $0 : $0 < 192 ? 1 : 2 }
      return levels
    } catch { throw error.at(confidence) }
  }
}

extension DepthMap {
  /// The map with ARKit's confidence levels, which have its size; distances with a level below `least` become holes.
  func withConfidence(_ levels: Plane<UInt8>, least: UInt8) -> DepthMap {
    var metres = metres
    var confidence = Plane<UInt8>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let from = levels.row(y)
      var row = metres.mutableRow(y)
      var numbers = confidence.mutableRow(y)
      for x in row.indices {
        if from[x] < least && row[x] > 0 { row[x] = DepthMap.unsure }
        numbers[x] = row[x] > 0 ? Record3DMetadata.confidences[min(Int(from[x]), 2)] : 0
      }
    }
    var result = DepthMap(metres: metres, intrinsics: intrinsics, isRegistered: isRegistered)
    result.confidence = ConfidenceMap(confidence)
    return result
  }
}

extension RecordingEntry {
  /// Reads a table of distances in metres, in the format of `rs-convert -v`: one line per row, with commas between the
  /// numbers.
  private func table(_ limits: ImageLimits) throws(BackdropError) -> Plane<Float> {
    let bytes = try InputFile.read(depth, limit: 1 << 28)
    var (values, width, inRow): ([Float], Int, Int) = ([], 0, 0)
    var start = 0
    for index in 0...bytes.count {
      let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "\n")
      guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") else { continue }
      var end = index
      if end > start && bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      let isLast = byte == UInt8(ascii: "\n")
      if isLast && inRow == 0 && end == start {
        start = index + 1
        continue
      }
      guard let value = DecimalText.number(bytes, start..<end) else {
        throw BackdropError(
          .badData, "row \(values.count / max(width, 1) + 1) of the table has something other than a number")
      }
      values.append(Float(value))
      inRow += 1
      start = index + 1
      guard isLast else { continue }
      if width == 0 { width = inRow }
      guard inRow == width else {
        throw BackdropError(.badData, "a row of the table has \(inRow) numbers, but the first has \(width)")
      }
      inRow = 0
      try limits.check(width: width, height: values.count / width)
    }
    guard width > 0 else { throw BackdropError(.badData, "the table is empty") }
    return Plane(values, width: width, height: values.count / width)
  }
}

/// Parses decimal numbers as C++ streams write them.
enum DecimalText {
  /// The number in a range of a text, correctly rounded for up to 15 digits; `nil` for anything else.
  static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    var (digits, count, scale, hasPoint) = (0.0, 0, 0, false)
    var index = range.lowerBound
    let isNegative = index < range.upperBound && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if byte >= 0x30 && byte <= 0x39 {
        (digits, count) = (digits * 10 + Double(byte - 0x30), count + 1)
        if hasPoint { scale -= 1 }
      } else {
        break
      }
      index += 1
    }
    guard count > 0 && count <= 15 else { return nil }
    if index < range.upperBound {
      guard bytes[index] | 0x20 == UInt8(ascii: "e"),
        let power = Int(String(decoding: bytes[(index + 1)..<range.upperBound], as: UTF8.self)), abs(power) < 300
      else { return nil }
      scale += power
    }
    guard abs(scale) <= 22 else { return nil }
    let power = powers[abs(scale)]
    return (isNegative ? -1 : 1) * (scale < 0 ? digits / power : digits * power)
  }

  private static let powers: [Double] = (0...22).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
