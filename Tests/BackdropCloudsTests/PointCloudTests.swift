import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropClouds
@testable import BackdropDepth

/// Clouds and meshes of a scene with known geometry: a tilted wall with a hole, and a box in front of it.
@Suite struct PointCloudTests {
  static let camera = Intrinsics(fx: 50, fy: 60, cx: 31, cy: 25, width: 64, height: 48)

  /// A wall of 1/z = 0.4 + 0.05 x (x = X/Z), a box at 1 m in columns 20 to 39 and rows 10 to 29, a hole beside it.
  static func scene() -> DepthMap {
    let plane = Plane<Float>(width: 64, height: 48) { x, y in
      if (20..<40).contains(x) && (10..<30).contains(y) { return 1 }
      if (44..<48).contains(x) && (10..<30).contains(y) { return .nan }
      let ray = (Double(x) + 0.5 - 31) / 50
      return Float(1 / (0.4 + 0.05 * ray))
    }
    return DepthMap(metres: plane, intrinsics: camera)
  }

  static func picture() -> Image {
    Image.drawn(.rgba8, 64, 48) { x, y in
      let (red, green) = (3 * x, 5 * y)
      return [red, green, 200, 255]
    }
  }

  @Test func pointsLieWhereTheirPixelsSawThem() throws {
    let map = Self.scene()
    let cloud = try PointCloud(map, picture: Self.picture())
    #expect(cloud.count == 64 * 48 - 4 * 20)
    var index = 0
    for (y, x) in product(0..<48, 0..<64) where !map.metres[x, y].isNaN {
      let z = map.metres[x, y]
      let expected = SIMD3((Float(x) + 0.5 - 31) / 50 * z, (Float(y) + 0.5 - 25) / 60 * z, z)
      let found = cloud.position(index)
      #expect((0..<3).allSatisfy { abs(found[$0] - expected[$0]) <= 1e-6 })
      let color = try #require(cloud.color(index))
      #expect(color == (UInt8(3 * x), UInt8(5 * y), 200))
      index += 1
    }
    // The box is 20 pixels wide at 1 m.
    let first = try #require((0..<cloud.count).first { cloud.position($0).z == 1 })
    #expect(abs(cloud.position(first + 19).x - cloud.position(first).x - 19.0 / 50) < 1e-6)
    #expect(cloud.normal(0) == nil)
  }

  /// A column of pixels between the box and the wall belongs to neither.
  @Test func whatHangsBetweenSurfacesIsLeftOut() throws {
    var plane = Self.scene().metres
    for y in 10..<30 { plane[19, y] = 1.7 }
    let map = DepthMap(metres: plane, intrinsics: Self.camera)
    let cloud = try PointCloud(map)
    #expect(cloud.count == 64 * 48 - 80 - 20)
    #expect((0..<cloud.count).allSatisfy { cloud.position($0).z != 1.7 })
    var options = PointCloud.Options()
    options.removesFlyingPixels = false
    #expect(try PointCloud(map, options: options).count == 64 * 48 - 80)
  }

  @Test func aMeshIsCutWhereTheDepthJumps() throws {
    let mesh = try DepthMesh(Self.scene())
    let cloud = mesh.cloud
    #expect(mesh.textureCoordinates.count == 2 * cloud.count)
    for start in stride(from: 0, to: mesh.triangles.count, by: 3) {
      let corners = mesh.triangles[start..<start + 3].map { cloud.position(Int($0)) }
      let isBox = corners.map { $0.z == 1 }
      #expect(Set(isBox).count == 1)
      // Counterclockwise as seen by the camera, whose y points down: the cross product points away from it.
      let (a, b) = (corners[1] - corners[0], corners[2] - corners[0])
      #expect(a.x / 1 * b.y - a.y * b.x < 0)
    }
    // 19 × 19 squares on the box; on the wall, those without a corner in the box or the hole.
    let squares = 63 * 47 - (21 * 21 + 5 * 21) + 19 * 19
    // At each corner of box and hole a square has three points of the wall.
    #expect(mesh.triangles.count == 6 * squares + 3 * 8)
  }

  @Test func whatIsMissingIsAskedFor() throws {
    let plane = Plane<Float>(repeating: 1, width: 8, height: 6)
    func error(_ map: DepthMap) -> BackdropError? { refusal { try PointCloud(map) } }
    let unknown = try #require(error(DepthMap(metres: plane)))
    #expect(unknown.kind == .wrongArgument && unknown.hint?.code == "giveIntrinsics")
    for focal in [0, -1, .nan, .infinity] as [Double] {
      let camera = Intrinsics(fx: focal, fy: 5, cx: 4, cy: 3, width: 8, height: 6)
      let found = try #require(error(DepthMap(metres: plane, intrinsics: camera)))
      #expect(found.kind == .wrongArgument && found.message.contains("intrinsics"))
    }
    let holes = DepthMap(metres: Plane(repeating: .nan, width: 8, height: 6), intrinsics: Self.camera)
    #expect(error(holes)?.kind == .badData)
    #expect(throws: BackdropError.self) { try DepthMesh(holes) }
    #expect(throws: BackdropError.self) { try Intrinsics(fieldOfView: 0, width: 8, height: 6) }
    let wide = try Intrinsics(fieldOfView: 90, width: 8, height: 6)
    #expect(abs(wide.fx - 4) < 1e-9 && abs(wide.fieldOfView.across - 90) < 1e-9)
  }

  /// Open3D reads only meshes from GLB.
  @Test(
    .enabled(if: CloudTool.hasOpen3D, "needs Open3D: make setup-test"),
    arguments: PointCloud.FileKind.allCases.filter { $0 != .glb })
  func open3DReads(kind: PointCloud.FileKind) throws {
    var options = PointCloud.Options()
    options.estimatesNormals = true
    let cloud = try PointCloud(Self.scene(), picture: Self.picture(), options: options)
    let folder = TemporaryFolder()
    try folder.write(cloud.file(kind), "cloud.\(kind.rawValue)")
    let numbers = try CloudTool.numbers(
      CloudTool.importingOpen3D + """
        c = open3d.io.read_point_cloud(sys.argv[1])
        p = numpy.asarray(c.points); print(len(p)); print(*p.min(0)); print(*p.max(0))
        if c.has_colors(): print(*(numpy.asarray(c.colors)[100] * 255))
        if c.has_normals(): print(*numpy.asarray(c.normals)[100])
        """, folder.file("cloud.\(kind.rawValue)"))
    let bounds = cloud.bounds
    #expect(numbers[0] == Double(cloud.count))
    for axis in 0..<3 {
      #expect(abs(numbers[1 + axis] - Double(bounds.low[axis])) < 1e-5)
      #expect(abs(numbers[4 + axis] - Double(bounds.high[axis])) < 1e-5)
    }
    // Open3D does not read colours from text files called .xyz.
    guard kind != .xyz else { return }
    let (color, normal) = try (#require(cloud.color(100)), #require(cloud.normal(100)))
    let expected = [Double(color.red), Double(color.green), Double(color.blue)]
    #expect(zip(numbers[7..<10], expected).allSatisfy { abs($0 - $1) < 0.01 })
    #expect((0..<3).allSatisfy { abs(numbers[10 + $0] - Double(normal[$0])) < 1e-5 })
  }

  @Test(.enabled(if: CloudTool.hasTrimesh, "needs trimesh: make setup-test")) func trimeshReads() throws {
    let cloud = try PointCloud(Self.scene(), picture: Self.picture())
    let folder = TemporaryFolder()
    let bounds = cloud.bounds
    for kind in [PointCloud.FileKind.ply, .glb] {
      let path = try folder.write(cloud.file(kind), "cloud.\(kind.rawValue)")
      let numbers = try CloudTool.numbers(
        """
        import sys, trimesh, numpy
        c = trimesh.load(sys.argv[1])
        if isinstance(c, trimesh.Scene): c = next(iter(c.geometry.values()))
        p = numpy.asarray(c.vertices); print(len(p)); print(*p.min(0)); print(*p.max(0)); print(*p[100])
        """, path)
      let isGLB = kind == .glb
      #expect(numbers[0] == Double(cloud.count))
      let low = isGLB ? [bounds.low.x, -bounds.high.y, -bounds.high.z] : (0..<3).map { bounds.low[$0] }
      let high = isGLB ? [bounds.high.x, -bounds.low.y, -bounds.low.z] : (0..<3).map { bounds.high[$0] }
      let point = cloud.position(100)
      let expected = low + high + (isGLB ? [point.x, -point.y, -point.z] : (0..<3).map { point[$0] })
      #expect(zip(numbers.dropFirst(), expected).allSatisfy { abs($0 - Double($1)) < 1e-5 }, "\(kind)")
    }
  }

  /// Checks a file against the specification: every accessor in its view, every view in the buffer, correct bounds, indices in range.
  @Test(.enabled(if: CloudTool.hasGLTF, "needs pygltflib: make setup-test"), arguments: [false, true])
  func gltfIsValid(isMesh: Bool) throws {
    let folder = TemporaryFolder()
    let path = folder.file("model.glb")
    var options = PointCloud.Options()
    options.estimatesNormals = true
    let mesh = try DepthMesh(Self.scene(), options: options)
    let cloud = try PointCloud(Self.scene(), picture: Self.picture(), options: options)
    // The smallest PNG: one white pixel.
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="
    let texture = try [UInt8](#require(Data(base64Encoded: pixel)))
    try Data(isMesh ? mesh.glb(texture: texture) : cloud.glb()).write(to: URL(fileURLWithPath: path))
    let numbers = try CloudTool.numbers(
      """
      import sys, io, numpy, pygltflib, PIL.Image
      g = pygltflib.GLTF2().load(sys.argv[1]); b = g.binary_blob()
      assert g.asset.version == '2.0' and g.buffers[0].byteLength <= len(b)
      kinds = {5121: 'B', 5123: '<u2', 5125: '<u4', 5126: '<f4'}; sizes = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}
      def read(i):
          a = g.accessors[i]; v = g.bufferViews[a.bufferView]; n = a.count * sizes[a.type]
          assert v.byteOffset % 4 == 0 and v.byteOffset + v.byteLength <= g.buffers[0].byteLength
          t = numpy.dtype(kinds[a.componentType]); assert n * t.itemsize <= v.byteLength
          return numpy.frombuffer(b, t, n, v.byteOffset).reshape(a.count, -1)
      p = g.meshes[0].primitives[0]; x = read(p.attributes.POSITION)
      a = g.accessors[p.attributes.POSITION]
      assert numpy.allclose(x.min(0), a.min) and numpy.allclose(x.max(0), a.max)
      n = read(p.attributes.NORMAL); assert numpy.allclose((n ** 2).sum(1), 1, atol=1e-4)
      print(p.mode, len(x), *x[100])
      if p.indices is not None:
          i = read(p.indices); assert i.max() < len(x); print(len(i))
          uv = read(p.attributes.TEXCOORD_0); assert 0 <= uv.min() and uv.max() <= 1
          m = g.images[g.textures[g.materials[p.material].pbrMetallicRoughness.baseColorTexture.index].source]
          v = g.bufferViews[m.bufferView]; print(*PIL.Image.open(io.BytesIO(b[v.byteOffset:v.byteOffset + v.byteLength])).size)
      else:
          print(*read(p.attributes.COLOR_0)[100])
      """, path)
    let shown = isMesh ? mesh.cloud : cloud
    let point = shown.position(100)
    #expect(numbers[0] == (isMesh ? 4 : 0) && numbers[1] == Double(shown.count))
    #expect(zip(numbers[2..<5], [point.x, -point.y, -point.z]).allSatisfy { abs($0 - Double($1)) < 1e-6 })
    if isMesh {
      #expect(numbers[5...] == [Double(mesh.triangles.count), 1, 1])
    } else {
      let color = try #require(cloud.color(100))
      for (found, code) in zip(numbers[5..<8], [color.red, color.green, color.blue]) {
        // IEC 61966-2-1.
        let value = Double(code) / 255
        let light = value <= 0.04045 ? value / 12.92 : Foundation.pow((value + 0.055) / 1.055, 2.4)
        #expect(abs(found - light * 65535) <= 1)
      }
    }
  }

  @Test func headersSayWhatFilesHold() throws {
    let cloud = try PointCloud(Self.scene(), picture: Self.picture())
    for kind in [PointCloud.FileKind.ply, .pcd, .xyz] {
      let text = String(decoding: cloud.file(kind).prefix(800), as: UTF8.self)
      #expect(text.contains("units: metres") && text.contains("frustum: ") && text.contains("fx 50.0"), "\(kind)")
    }
    let lines = String(decoding: cloud.xyz(), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == cloud.count && lines.allSatisfy { $0.split(separator: " ").count == 6 })
    let first = lines[0].split(separator: " ").compactMap { Double($0) }
    #expect((0..<3).allSatisfy { abs(first[$0] - Double(cloud.position(0)[$0])) <= 5.1e-6 })
  }
}
