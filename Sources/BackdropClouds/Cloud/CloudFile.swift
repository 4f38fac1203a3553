import BackdropImaging

/// The points of a file from any program: PLY (text or binary), PCD (text, binary, compressed), lines of `x y z`, binary glTF.
///
///     let cloud = try CloudFile("scan.ply")
///     print(cloud.positions.count)
///
/// Unlike a ``PointCloud``, which comes from a depth map, it has no camera, and its lengths are in the file's unit: usually metres. Points
/// without a finite position are left out.
package struct CloudFile: Sendable {
  package enum Axes: Sendable, Equatable {
    /// x right, y down, z forward: those of a camera.
    case camera
    /// x right, y up, z backward: those of most viewers, and of glTF.
    case upright
  }

  package internal(set) var positions: [SIMD3<Float>] = []
  /// Red, green, blue of each point, in sRGB; empty if the file has no colours.
  package internal(set) var colors: [SIMD3<UInt8>] = []
  /// The directions of the axes, as far as the file determines them: Backdrop's files state them, PCD files use a camera's, others are
  /// upright.
  package internal(set) var axes = Axes.upright
  /// Whether the file marks lengths as metres, as Backdrop's and all glTF files do.
  package internal(set) var isInMetres = false
  /// The number of points in the file, including those left out.
  package internal(set) var total = 0

  package static let maximumPoints = 64_000_000
  package static let maximumBytes = 1 << 30

  /// Reads a file, recognized by its content.
  ///
  /// - Parameter maximum: the maximum number of points to keep, evenly chosen; some hundred thousand are visually enough.
  /// - Throws: `badData` for a truncated or damaged file, or one without points, `unsupported` for unsupported forms, `overLimit` before
  ///   memory is allocated, `system` if it cannot be read.
  package init(_ path: String, maximum: Int = maximumPoints) throws(BackdropError) {
    do throws(BackdropError) {
      try self.init(bytes: try InputFile.read(path, limit: Self.maximumBytes), maximum: maximum)
    } catch {
      throw error.path == nil ? error.at(path) : error
    }
  }

  /// The same for a file in memory.
  ///
  /// - Throws: as ``init(_:maximum:)``.
  package init(bytes: [UInt8], maximum: Int = maximumPoints) throws(BackdropError) {
    switch Kind(bytes) {
    case .ply: try readPLY(bytes, maximum)
    case .glb: try readGLB(bytes, maximum)
    case .pcd: try readPCD(bytes, maximum)
    case nil: try readText(bytes, maximum)
    }
    guard !positions.isEmpty else { throw BackdropError(.badData, "the file has no points") }
  }

  /// Whether a file with this start is a cloud of a recognizable kind; lines of numbers are not.
  package static func isCloud(_ beginning: [UInt8]) -> Bool { Kind(beginning) != nil }

  private enum Kind {
    case ply, pcd, glb

    init?(_ bytes: [UInt8]) {
      if bytes.starts(with: "ply\n".utf8) || bytes.starts(with: "ply\r".utf8) {
        self = .ply
      } else if bytes.starts(with: "glTF".utf8) {
        self = .glb
      } else if bytes.starts(with: "# .PCD".utf8) || bytes.starts(with: "VERSION ".utf8) {
        self = .pcd
      } else {
        return nil
      }
    }
  }

  /// Sets the step between kept points, and allocates memory; the file's count was checked against its bytes.
  mutating func prepare(count: Int, maximum: Int, hasColors: Bool) throws(BackdropError) -> Int {
    guard count <= Self.maximumPoints else { throw Self.tooMany(count) }
    total = count
    let step = max(1, (count + max(1, maximum) - 1) / max(1, maximum))
    positions.reserveCapacity(count / step + 1)
    if hasColors { colors.reserveCapacity(count / step + 1) }
    return step
  }

  mutating func add(_ x: Double, _ y: Double, _ z: Double, color: SIMD3<UInt8>?) {
    // A larger value is not a position.
    guard abs(x) < 1e9, abs(y) < 1e9, abs(z) < 1e9 else { return }
    positions.append(SIMD3(Float(x), Float(y), Float(z)))
    if let color { colors.append(color) }
  }

  mutating func read(remark: Substring) {
    let text = String(remark)
    if text.contains("y down, z forward") { axes = .camera }
    if text.contains("units: metres") { isInMetres = true }
  }

  static func tooMany(_ count: Int) -> BackdropError {
    BackdropError(
      .overLimit, "the cloud has \(count) points; the limit is \(maximumPoints)", hint: "give a cloud with fewer points"
    )
  }

  static func cutOff(_ what: String = "the points") -> BackdropError {
    BackdropError(
      .badData, "the file ends before the end of \(what)", hint: "the file is damaged or was cut off; copy it again")
  }
}

/// Reads bytes one line or one number after the other.
struct CloudText {
  /// With a final zero, which ends the last number.
  private let bytes: [UInt8]
  private let count: Int
  private(set) var at = 0
  private static let longestLine = 4096

  init(_ bytes: [UInt8]) { (count, self.bytes) = (bytes.count, bytes + [0]) }

  /// The next line of a header, without its end; `nil` at the end.
  mutating func line() throws(BackdropError) -> String? {
    guard at < count else { return nil }
    let limit = min(count, at + Self.longestLine)
    guard let end = bytes[at..<limit].firstIndex(of: 0x0A) ?? (limit == count ? count : nil) else {
      throw BackdropError(.badData, "a line in the header is too long")
    }
    defer { at = end + 1 }
    // Non-ASCII letters do not matter here.
    let text = String(decoding: bytes[at..<end], as: UTF8.self)
    return text.hasSuffix("\r") ? String(text.dropLast()) : text
  }

  /// Reads the numbers of the next nonempty line; returns whether there was one.
  ///
  /// - Throws: `badData` for a line with other contents, or too many numbers.
  mutating func numbers(_ numbers: inout [Double]) throws(BackdropError) -> Bool {
    while at < count {
      numbers.removeAll(keepingCapacity: true)
      guard readLine(&numbers) else {
        throw BackdropError(
          .badData, "a line holds something other than numbers",
          hint: "write each line as x y z, optionally with red green blue")
      }
      if !numbers.isEmpty { return true }
    }
    return false
  }

  /// - Returns: whether the line holds numbers only, and not too many.
  private mutating func readLine(_ numbers: inout [Double]) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return true }
      while at < count {
        switch base[at] {
        case 0x0A:
          at += 1
          return true
        case 0x20, 0x09, 0x0D, 0x2C, 0x3B: at += 1
        case 0x23:
          while at < count, base[at] != 0x0A { at += 1 }
        default:
          guard numbers.count < 64, let (value, end) = DecimalText.number(base, at, count) else { return false }
          numbers.append(value)
          at = end
        }
      }
      return true
    }
  }
}

/// Numbers in usual notation: digits with a point and an exponent, `nan`.
enum DecimalText {
  /// The number at a position, and its end; `nil` for anything else.
  static func number(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ count: Int) -> (value: Double, end: Int)? {
    var at = start
    var isNegative = false
    if at < count, bytes[at] == 0x2D || bytes[at] == 0x2B {
      isNegative = bytes[at] == 0x2D
      at += 1
    }
    if at + 2 < count, bytes[at] | 0x20 == 0x6E, bytes[at + 1] | 0x20 == 0x61, bytes[at + 2] | 0x20 == 0x6E {
      return (.nan, at + 3)
    }
    // Nineteen digits are more than a double has.
    var (mantissa, digits, exponent, hasDigit): (UInt64, Int, Int, Bool) = (0, 0, 0, false)
    func consume(_ byte: UInt8, _ isBehindPoint: Bool) {
      hasDigit = true
      if digits < 19 {
        mantissa = mantissa * 10 + UInt64(byte - 0x30)
        if mantissa > 0 { digits += 1 }
        if isBehindPoint { exponent -= 1 }
      } else if !isBehindPoint {
        exponent += 1
      }
    }
    while at < count, (0x30...0x39).contains(bytes[at]) {
      consume(bytes[at], false)
      at += 1
    }
    if at < count, bytes[at] == 0x2E {
      at += 1
      while at < count, (0x30...0x39).contains(bytes[at]) {
        consume(bytes[at], true)
        at += 1
      }
    }
    guard hasDigit else { return nil }
    if at + 1 < count, bytes[at] | 0x20 == 0x65 {
      var (offset, isDown, power) = (at + 1, false, 0)
      if bytes[offset] == 0x2D || bytes[offset] == 0x2B {
        isDown = bytes[offset] == 0x2D
        offset += 1
      }
      let first = offset
      while offset < count, (0x30...0x39).contains(bytes[offset]) {
        power = min(9999, power * 10 + Int(bytes[offset] - 0x30))
        offset += 1
      }
      if offset > first { (at, exponent) = (offset, exponent + (isDown ? -power : power)) }
    }
    let value = Double(mantissa) * Self.power(exponent)
    return (isNegative ? -value : value, at)
  }

  private static let powers: [Double] = (0...22).map { index in (0..<index).reduce(1) { value, _ in value * 10 } }

  /// Ten to a power, accurate to a few units in the last place: far beyond a point's accuracy.
  private static func power(_ exponent: Int) -> Double {
    var (left, value) = (exponent.magnitude, 1.0)
    guard left < 400 else { return exponent > 0 ? .infinity : 0 }
    while left > 22 {
      value *= powers[22]
      left -= 22
    }
    value *= powers[Int(left)]
    return exponent < 0 ? 1 / value : value
  }
}
