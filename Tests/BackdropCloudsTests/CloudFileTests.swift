import BackdropDepth
import BackdropImaging
import Testing

@testable import BackdropClouds

/// Point files by Backdrop and by other programs: reading preserves their contents and reports their errors.
@Suite struct CloudFileTests {
  private static func cloud() throws -> PointCloud {
    var options = PointCloud.Options()
    options.estimatesNormals = true
    return try PointCloud(PointCloudTests.scene(), picture: PointCloudTests.picture(), options: options)
  }

  /// Written files are read back: positions in text to a hundredth of a millimetre, colours of glTF through linear light and back.
  @Test(arguments: PointCloud.FileKind.allCases) func whatIsWrittenIsRead(kind: PointCloud.FileKind) throws {
    let cloud = try Self.cloud()
    let file = try CloudFile(bytes: cloud.file(kind))
    #expect(file.positions.count == cloud.count && file.colors.count == cloud.count && file.total == cloud.count)
    #expect(file.axes == (kind == .glb ? .upright : .camera))
    #expect(file.isInMetres)
    for index in 0..<cloud.count {
      var wanted = cloud.position(index)
      if kind == .glb { wanted = SIMD3(wanted.x, -wanted.y, -wanted.z) }
      let off = file.positions[index] - wanted
      #expect(max(abs(off.x), abs(off.y), abs(off.z)) <= (kind == .xyz ? 6e-6 : 0), "point \(index)")
      let color = try #require(cloud.color(index))
      #expect(file.colors[index] == SIMD3(color.red, color.green, color.blue), "point \(index)")
    }
    // Every seventh point.
    let some = try CloudFile(bytes: cloud.file(kind), maximum: (cloud.count + 6) / 7)
    #expect(some.total == cloud.count && some.positions.count == (cloud.count + 6) / 7)
    #expect(some.positions[1] == file.positions[7] && some.colors[2] == file.colors[14])
  }

  /// The same two points in forms that Backdrop does not write, according to the formats' specifications.
  @Test func formsOfOthers() throws {
    let points: [SIMD3<Float>] = [SIMD3(1, -2, 3.5), SIMD3(0, 0.25, -1000)]
    let text = """
      ply
      format ascii 1.0
      obj_info nothing of use
      element camera 1
      property float view_px
      element vertex 2
      property double x
      property double y
      property double z
      property float red
      property float green
      property float blue
      element face 1
      property list uchar int vertex_indices
      end_header
      7
      1 -2.0 35e-1 1 0.5 0
      0 .25 -1E3 0 0 1
      3 0 1 1

      """
    let ply = try CloudFile(bytes: Array(text.utf8))
    #expect(ply.positions == points && ply.axes == .upright && !ply.isInMetres)
    #expect(ply.colors == [SIMD3(255, 128, 0), SIMD3(0, 0, 255)])
    var big = Array("ply\nformat binary_big_endian 1.0\nelement vertex 2\n".utf8)
    big += Array("property uchar label\nproperty float z\nproperty double y\nproperty short x\nend_header\n".utf8)
    for point in points {
      big.append(9)
      big += withUnsafeBytes(of: point.z.bitPattern.bigEndian) { Array($0) }
      big += withUnsafeBytes(of: Double(point.y).bitPattern.bigEndian) { Array($0) }
      big += withUnsafeBytes(of: Int16(point.x).bigEndian) { Array($0) }
    }
    let swapped = try CloudFile(bytes: big)
    #expect(swapped.positions == points && swapped.colors.isEmpty)
    let pcd = """
      # .PCD v.7 - Point Cloud Data file format
      VERSION .7
      FIELDS x y z rgb
      SIZE 4 4 4 4
      TYPE F F F U
      COUNT 1 1 1 1
      WIDTH 3
      HEIGHT 1
      VIEWPOINT 0 0 0 1 0 0 0
      POINTS 3
      DATA ascii
      1 -2 3.5 16744448
      nan nan nan 0
      0 0.25 -1000 255
      """
    let lines = try CloudFile(bytes: Array(pcd.utf8))
    #expect(lines.positions == points && lines.axes == .camera && lines.total == 3)
    #expect(lines.colors == [SIMD3(255, 128, 0), SIMD3(0, 0, 255)])
    let xyz = try CloudFile(bytes: Array("# by hand\n1,-2,3.5\r\n\r\n0;0.25;-1000".utf8))
    #expect(xyz.positions == points && xyz.colors.isEmpty)
  }

  /// A packed file: x, y and z of both points one after the other, as runs and as a copy (LZF: a run of 4 bytes, then as many
  /// from 4 bytes before).
  @Test func packedPoints() throws {
    var bytes = Array("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n".utf8)
    bytes += Array("VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA binary_compressed\n".utf8)
    func number(_ value: Float) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    // x = 2, 2; y = 5, 5; z = 1, 3.
    let copy: [UInt8] = [2 << 5, 3]
    let runs: [[UInt8]] = [[3], number(2), copy, [3], number(5), copy, [7], number(1), number(3)]
    let packed = runs.flatMap { $0 }
    func file(_ packedCount: Int, _ count: Int, _ packed: [UInt8]) throws -> CloudFile {
      func word(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).littleEndian) { Array($0) } }
      return try CloudFile(bytes: bytes + word(packedCount) + word(count) + packed)
    }
    #expect(try file(packed.count, 24, packed).positions == [SIMD3(2, 5, 1), SIMD3(2, 5, 3)])
    #expect(throws: BackdropError.self) { try file(packed.count, 23, packed) }
    #expect(throws: BackdropError.self) { try file(packed.count + 1, 24, packed) }
    #expect(throws: BackdropError.self) { try file(packed.count - 1, 24, packed) }
    #expect(throws: BackdropError.self) { try file(3, 24, [7 << 5, 200, 0]) }
  }

  /// The reader refuses files that declare more than they contain, before it allocates memory, and every truncated file.
  @Test func hostileFilesAreRefused() throws {
    let head = "element vertex 60000000\nproperty double x\nproperty double y\nproperty double z\nend_header\n"
    for format in ["ascii", "binary_little_endian", "binary_big_endian", "other"] {
      #expect(throws: BackdropError.self) {
        try CloudFile(bytes: Array("ply\nformat \(format) 1.0\n\(head)1 2 3".utf8))
      }
    }
    for text in [
      "ply\n", "ply\nformat ascii 1.0\nend_header\n", "ply\nformat ascii 1.0\nelement vertex -1\nend_header\n",
      "ply\nformat binary_little_endian 1.0\nelement a 9223372036854775807\nproperty double x\nelement vertex 1\nend_header\n",
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 9223372036854775807\nHEIGHT 9\nDATA binary\n",
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 0 0 0\nPOINTS 99999999\nDATA binary\n",
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 2 3\n", "1 2\n", "1 2 three\n",
      "1 2 3\n1 2\n", "", "hello", "glTF", "1e999 0 0\n",
    ] {
      #expect(throws: BackdropError.self, "\(text)") { try CloudFile(bytes: Array(text.utf8)) }
    }
    var options = PointCloud.Options()
    options.removesFlyingPixels = false
    let plane = Plane<Float>(repeating: 1, width: 3, height: 2)
    let camera = Intrinsics(fx: 3, fy: 3, cx: 1.5, cy: 1, width: 3, height: 2)
    let small = try PointCloud(DepthMap(metres: plane, intrinsics: camera), options: options)
    for kind in PointCloud.FileKind.allCases where kind != .xyz {
      let bytes = small.file(kind)
      for count in 0..<bytes.count {
        #expect(throws: BackdropError.self, "\(kind), \(count) bytes") {
          try CloudFile(bytes: Array(bytes.prefix(count)))
        }
      }
    }
  }
}
