import BackdropImaging
import Libc

/// Binary glTF 2.0 (Khronos glTF 2.0 specification, sections 3.6 and 4): the vertices of all meshes, each at its position in the mesh,
/// ignoring nodes that move them.
extension CloudFile {
  private struct Document: Decodable {
    struct Accessor: Decodable {
      var bufferView: Int?, byteOffset: Int?, componentType: Int, count: Int, type: String
    }
    struct View: Decodable {
      var buffer: Int, byteOffset: Int?, byteLength: Int, byteStride: Int?
    }
    struct Mesh: Decodable {
      struct Primitive: Decodable { var attributes: [String: Int] }
      var primitives: [Primitive]
    }
    var accessors: [Accessor]?
    var bufferViews: [View]?
    var meshes: [Mesh]?
  }

  /// Values in the file's single data block, all inside it.
  private struct Numbers {
    var type: Number
    var start: Int, stride: Int, count: Int, parts: Int
  }

  mutating func readGLB(_ bytes: [UInt8], _ maximum: Int) throws(BackdropError) {
    func word(_ at: Int) -> Int {
      bytes.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt32.self))) }
    }
    guard bytes.count >= 20 else { throw Self.cutOff("the header") }
    guard word(4) == 2 else {
      throw BackdropError(.unsupported, "the file is binary glTF of version \(word(4)), and Backdrop reads version 2")
    }
    let length = word(12)
    guard word(16) == 0x4E4F_534A, length <= bytes.count - 20, length <= 1 << 24 else {
      throw Self.cutOff("the header")
    }
    let document: Document = try JSONReader.decode(
      Array(bytes[20..<(20 + length)]), failure: BackdropError(.badData, "the file's JSON is not valid glTF"))
    let data = 20 + length + 8
    guard data <= bytes.count, word(data - 4) == 0x004E_4942, word(data - 8) <= bytes.count - data else {
      throw Self.cutOff()
    }
    let block = data..<(data + word(data - 8))
    isInMetres = true
    var sets: [(positions: Numbers, colors: Numbers?)] = []
    var count = 0
    for primitive in (document.meshes ?? []).flatMap(\.primitives) {
      guard let index = primitive.attributes["POSITION"] else { continue }
      let positions = try Self.numbers(document, index, in: block)
      guard positions.parts == 3, positions.type == .float else {
        throw BackdropError(.badData, "the points are not stored as three floats each")
      }
      var colors = try primitive.attributes["COLOR_0"].map { index throws(BackdropError) in
        try Self.numbers(document, index, in: block)
      }
      if let known = colors, known.count != positions.count || known.parts < 3 { colors = nil }
      count += positions.count
      guard count <= Self.maximumPoints, sets.count < 4096 else { throw Self.tooMany(count) }
      sets.append((positions, colors))
    }
    // Colours for only some points would leave the others without.
    let hasColors = !sets.isEmpty && sets.allSatisfy { $0.colors != nil }
    let step = try prepare(count: count, maximum: maximum, hasColors: hasColors)
    bytes.withUnsafeBytes { buffer in
      for set in sets {
        for index in Swift.stride(from: 0, to: set.positions.count, by: step) {
          func part(_ numbers: Numbers, _ part: Int) -> Double {
            numbers.type.read(buffer, numbers.start + index * numbers.stride + part * numbers.type.byteCount)
          }
          var color: SIMD3<UInt8>?
          if hasColors, let colors = set.colors {
            func level(_ at: Int) -> UInt8 { Self.code(part(colors, at), colors.type) }
            color = SIMD3(level(0), level(1), level(2))
          }
          add(part(set.positions, 0), part(set.positions, 1), part(set.positions, 2), color: color)
        }
      }
    }
  }

  private static func numbers(_ document: Document, _ index: Int, in block: Range<Int>) throws(BackdropError) -> Numbers
  {
    let damaged = BackdropError(.badData, "the file's JSON points outside the file")
    let (accessors, views) = (document.accessors ?? [], document.bufferViews ?? [])
    guard accessors.indices.contains(index) else { throw damaged }
    let accessor = accessors[index]
    guard let viewIndex = accessor.bufferView else {
      throw BackdropError(.unsupported, "the glTF file uses sparse or compressed numbers, which Backdrop does not read")
    }
    guard views.indices.contains(viewIndex), views[viewIndex].buffer == 0 else { throw damaged }
    let types: [Int: Number] = [5120: .int8, 5121: .uint8, 5122: .int16, 5123: .uint16, 5125: .uint32, 5126: .float]
    let parts = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4]
    guard let type = types[accessor.componentType], let part = parts[accessor.type] else { throw damaged }
    let view = views[viewIndex]
    let (size, offset) = (part * type.byteCount, (view.byteOffset ?? 0, accessor.byteOffset ?? 0))
    let stride = view.byteStride ?? size
    // Each is below 4 GiB, so that sums and products stay in range.
    guard [offset.0, offset.1, view.byteLength, accessor.count].allSatisfy({ (0..<(1 << 32)).contains($0) }),
      (size...4096).contains(stride), offset.0 + view.byteLength <= block.count
    else { throw damaged }
    guard accessor.count == 0 || offset.1 + (accessor.count - 1) * stride + size <= view.byteLength else {
      throw damaged
    }
    return Numbers(
      type: type, start: block.lowerBound + offset.0 + offset.1, stride: stride, count: accessor.count, parts: part)
  }

  /// The sRGB code value of light, glTF's form (section 3.9.2).
  private static func code(_ value: Double, _ type: Number) -> UInt8 {
    let light =
      switch type {
      case .uint8, .int8: value / 255
      case .uint16, .int16: value / 65_535
      case .int32, .uint32, .float, .double: value
      }
    return UInt8((ToneCurve.srgb.sample(light) * 255).rounded())
  }
}
