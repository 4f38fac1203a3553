/// Binary glTF 2.0 files of one node (Khronos glTF 2.0 specification, sections 3.6 and 4): JSON, then the numbers.
///
/// In glTF y points up and z to the viewer, so that a point (x, y, z) of the camera is (x, −y, −z) there.
struct GLB {
  /// The type of a number: glTF's codes.
  enum Component: Int {
    case uint16 = 5123
    case uint32 = 5125
    case float = 5126

    var byteCount: Int { self == .uint16 ? 2 : 4 }
  }

  enum Element: Int {
    case scalar = 1, vector2, vector3, vector4

    var name: String { self == .scalar ? "SCALAR" : "VEC\(rawValue)" }
  }

  private var views: [String] = []
  private var accessors: [String] = []
  private var binary: [UInt8] = []

  /// Adds attributes of points, or with `scalar` the indices of points, which `write` writes; returns the accessor's index. `extra` is
  /// additional JSON, beginning with a comma.
  mutating func add(
    _ component: Component, _ element: Element, count: Int, extra: String = "",
    _ write: (UnsafeMutableRawPointer) -> Void
  ) -> Int {
    let byteCount = count * element.rawValue * component.byteCount
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, written in
      if let base = buffer.baseAddress { write(UnsafeMutableRawPointer(base)) }
      written = byteCount
    }
    let view = add(bytes, extra: ",\"target\":\(element == .scalar ? 34963 : 34962)")
    accessors.append(
      "{\"bufferView\":\(view),\"componentType\":\(component.rawValue),\"count\":\(count),"
        + "\"type\":\"\(element.name)\"\(extra)}")
    return accessors.count - 1
  }

  /// Adds bytes, such as a picture; returns the view's index.
  mutating func add(_ bytes: [UInt8], extra: String = "") -> Int {
    views.append("{\"buffer\":0,\"byteOffset\":\(binary.count),\"byteLength\":\(bytes.count)\(extra)}")
    binary += bytes
    binary += [UInt8](repeating: 0, count: (4 - binary.count % 4) % 4)
    return views.count - 1
  }

  /// The file, with a mesh of one primitive, given as JSON, with comments, and with additional JSON of the root, beginning with a comma.
  func file(primitive: String, remarks: [String], extra: String = "") -> [UInt8] {
    let quoted = remarks.map { "\"\($0)\"" }.joined(separator: ",")
    var json =
      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"backdrop\",\"extras\":{\"remarks\":[\(quoted)]}},\"scene\":0,"
      + "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[\(primitive)]}],"
      + "\"accessors\":[\(accessors.joined(separator: ","))],\"bufferViews\":[\(views.joined(separator: ","))],"
      + "\"buffers\":[{\"byteLength\":\(binary.count)}]\(extra)}"
    json += String(repeating: " ", count: (4 - json.utf8.count % 4) % 4)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(28 + json.utf8.count + binary.count)
    func add(_ value: Int) { withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { bytes += $0 } }
    add(0x4654_6C67)
    add(2)
    add(28 + json.utf8.count + binary.count)
    add(json.utf8.count)
    add(0x4E4F_534A)
    bytes += json.utf8
    add(binary.count)
    add(0x004E_4942)
    bytes += binary
    return bytes
  }

  /// Adds positions, and normals if there are any; returns the primitive's attributes, as JSON.
  mutating func add(_ cloud: PointCloud) -> String {
    cloud.withNumbers { rows, colors in
      func triples(_ first: Int, _ to: UnsafeMutableRawPointer) {
        for index in 0..<cloud.count {
          to.put(rows[first][index], at: 12 * index)
          to.put(-rows[first + 1][index], at: 12 * index + 4)
          to.put(-rows[first + 2][index], at: 12 * index + 8)
        }
      }
      let (low, high) = cloud.bounds
      let extent = ",\"min\":[\(low.x),\(-high.y),\(-high.z)],\"max\":[\(high.x),\(-low.y),\(-low.z)]"
      let positions = add(.float, .vector3, count: cloud.count, extra: extent) { triples(0, $0) }
      var attributes = "\"POSITION\":\(positions)"
      if cloud.hasNormals {
        let normals = add(.float, .vector3, count: cloud.count) { triples(3, $0) }
        attributes += ",\"NORMAL\":\(normals)"
      }
      if cloud.hasColors {
        // glTF multiplies by light, not by code values: section 3.9.2.
        let light = (0...255).map { Self.linear($0) }
        let added = add(.uint16, .vector4, count: cloud.count, extra: ",\"normalized\":true") {
          for index in 0..<cloud.count {
            let bits = UInt32(littleEndian: colors[index])
            for channel in 0..<3 {
              let value = light[Int(bits >> (8 * channel) & 255)]
              $0.storeBytes(of: value.littleEndian, toByteOffset: 8 * index + 2 * channel, as: UInt16.self)
            }
            $0.storeBytes(of: UInt16.max, toByteOffset: 8 * index + 6, as: UInt16.self)
          }
        }
        attributes += ",\"COLOR_0\":\(added)"
      }
      return attributes
    }
  }
}
