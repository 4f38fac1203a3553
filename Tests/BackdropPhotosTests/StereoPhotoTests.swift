import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Stereo photos, whose depth is calculated from their two pictures.
@Suite struct StereoPhotoTests {
  private let folder: TemporaryFolder
  private static let pair = MadePair(width: 320, height: 200, wall: 4.3, near: 17.6)
  private static let images = (Image(gray: pair.left), Image(gray: pair.right))
  private static let hasPillowHEIF = OutsideTool.succeeds(OutsideTool.python, ["-c", "import pillow_heif, numpy"])

  init() { folder = TemporaryFolder() }

  private func jpeg(_ image: Image, _ segments: [[UInt8]] = []) throws -> [UInt8] {
    let bytes = try JPEG.encode(image, quality: 95)
    return Array(bytes[..<2]) + segments.joined() + bytes[2...]
  }

  /// The distances of the ellipse and of the wall in the left eye's map.
  private func distances(_ photo: DepthPhoto) throws -> (near: Double, wall: Double) {
    let map = try #require(try photo.depth()).disparity.perMetre
    let (x, y) = (Double(map.width) / 320, Double(map.height) / 200)
    return (1 / Double(map[Int(160 * x), Int(110 * y)]), 1 / Double(map[Int(280 * x), Int(100 * y)]))
  }

  /// The pictures of both eyes side by side.
  private func sideBySide(_ first: Image, _ second: Image, squeezed: Bool = false) throws -> Image {
    let width = squeezed ? 160 : 320
    let halves = try [first, second].map { squeezed ? try $0.scaled(toWidth: width, height: 200) : $0 }
    var plane = Plane<UInt8>(repeating: 0, width: 2 * width, height: 200)
    for (index, half) in halves.enumerated() {
      let from = half.plane(as: UInt8.self)
      for y in 0..<200 { for x in 0..<width { plane[index * width + x, y] = from[x, y] } }
    }
    return Image(gray: plane)
  }

  // MARK: - HEIC

  /// Cameras 25 mm apart with a focal length of 250 pixels of 320.
  private func camera(_ x: Int) -> [HEICProperty] {
    var inner = ByteWriter()
    // A unit of 2^-16, the same in both directions.
    inner.uint32(16 << 8)
    for value in [250.0 / 320, 0.5, 0.5] { inner.uint32(Int(value * 65_536)) }
    var outer = ByteWriter()
    // A position along x, a 16-bit rotation, an identifier.
    outer.uint32(1 | 8 | 32)
    outer.uint32(x)
    for _ in 0..<3 { outer.uint16(0) }
    outer.uint32(7)
    return [HEICProperty("cmin", body: inner.bytes), HEICProperty("cmex", body: outer.bytes)]
  }

  private func heic(cameras: [HEICProperty]) throws -> MadeHEIC {
    var made = MadeHEIC()
    made.items = [
      .init(id: 1, type: "jpeg", pieces: [try jpeg(Self.images.0)], properties: [(1, false), (2, false), (3, false)]),
      .init(id: 2, type: "jpeg", pieces: [try jpeg(Self.images.1)], properties: [(1, false), (4, false), (5, false)]),
    ]
    made.properties = [.size(width: 320, height: 200)] + cameras
    var groups = ByteWriter()
    groups.box("grpl") { writer in
      writer.fullBox("ster") { writer in for value in [9, 2, 1, 2] { writer.uint32(value) } }
    }
    made.extra = groups.bytes
    return made
  }

  @Test func spatialPhotoGivesMetres() throws {
    let photo = try DepthPhoto.read(heic(cameras: camera(0) + camera(25_000)).bytes())
    let properties = try #require(photo.auxiliary(.depth)?.depth)
    #expect(properties.origin == .stereoPair && properties.accuracy == .absolute)
    #expect(photo.calibration?.intrinsics == Intrinsics(fx: 250, fy: 250, cx: 160, cy: 100, width: 320, height: 200))
    let found = try distances(photo)
    #expect(abs(found.near - 250 * 0.025 / 17.6) < 0.01 && abs(found.wall - 250 * 0.025 / (4.3 * 1.15)) < 0.06)
    // In the other eye's map the ellipse is elsewhere.
    let other = try photo.seen(by: .right)
    let map = try #require(try other.depth()).depth.metres
    #expect(abs(Double(map[143, 110]) - 250 * 0.025 / 17.6) < 0.01)
    #expect(try distances(other.seen(by: .left)) == found)
  }

  /// With implausible cameras, a pair has unknown distances.
  @Test func camerasThatMakeNoSense() throws {
    let sound = camera(0) + camera(25_000)
    var bad: [[HEICProperty]] = [camera(0) + camera(0), camera(0) + camera(9_000_000)]
    for index in 0..<4 {
      for body in [[], Array(sound[index].body.prefix(9)), [9] + sound[index].body.dropFirst()] {
        var properties = sound
        properties[index].body = body
        bad.append(properties)
      }
    }
    for cameras in bad {
      let photo = try DepthPhoto.read(heic(cameras: cameras).bytes())
      #expect(photo.auxiliary(.depth)?.depth?.accuracy == .relative)
      #expect(photo.faults.isEmpty)
    }
  }

  @Test(.enabled(if: hasPillowHEIF, "needs pillow-heif: make setup-test")) func camerasAreThoseOfLibheif() throws {
    var writer = ByteWriter()
    // Two directions, with a unit of 2^-20; the rotation in 32 bits.
    writer.uint32(1 | 20 << 8)
    for value in [0.75, 0.51, 0.48, 1.25, 0] { writer.uint32(Int(value * 1_048_576)) }
    var outer = ByteWriter()
    outer.uint32(1 | 2 | 4 | 8 | 16)
    for value in [1000, -2000, 3000] { outer.uint32(value & 0xFFFF_FFFF) }
    for value in [0.1, -0.2, 0.05] { outer.uint32(Int(value * 1_073_741_824) & 0xFFFF_FFFF) }
    let property = (HEICProperty("cmin", body: writer.bytes), HEICProperty("cmex", body: outer.bytes))
    let inner = try property.0.intrinsics(width: 320, height: 200)
    let extrinsics = try property.1.extrinsics()
    let bytes = try heic(cameras: [property.0, property.1] + camera(0)).bytes()
    let path = try folder.write(bytes, "a.heic")
    let text = try OutsideTool.text(
      OutsideTool.python,
      [
        "-c",
        """
        import sys, pillow_heif
        i = pillow_heif.open_heif(sys.argv[1])[0].info['heif']
        print(*i['camera_intrinsic_matrix'].values())
        print(*i['camera_extrinsic_matrix_rot'])
        """, path,
      ])
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
    let lens = [inner.fx, inner.fy, inner.cx, inner.cy]
    for (ours, theirs) in zip(lens, lines[0]) { #expect(abs(ours - theirs) < 1e-3, "\(lens), \(lines[0])") }
    #expect(lines[0].count >= 4 && lines[1].count == 9)
    for (ours, theirs) in zip(extrinsics.rotation, lines[1]) { #expect(abs(ours - theirs) < 1e-6) }
    #expect(extrinsics.translation == [0.001, -0.002, 0.003])
  }

  // MARK: - Multi-Picture files

  /// The segment of the second picture: a baseline of 75 mm and axes that meet.
  private func view(baseline: (Int, Int), angle: (Int, Int)) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.data("MPF\0MM".utf8)
    writer.uint16(42)
    writer.uint32(8)
    writer.uint16(3)
    for (tag, type, count, value) in [(0xB101, 4, 1, 2), (0xB205, 10, 1, 50), (0xB206, 5, 1, 58)] {
      writer.uint16(tag)
      writer.uint16(type)
      writer.uint32(count)
      writer.uint32(value)
    }
    writer.uint32(0)
    for value in [angle.0, angle.1, baseline.0, baseline.1] { writer.uint32(value) }
    return try JPEGAssembly.segment(0xE2, writer.bytes)
  }

  private func mpo(_ second: [UInt8], focalLength: Int? = nil) throws -> [UInt8] {
    var data = EXIFData(order: .little)
    if let focalLength {
      data[directory: EXIFData.Tag.exif] = EXIFDirectory(
        entries: [.init(tag: 0xA405, type: 3, value: [UInt8(focalLength), 0])])
    }
    let exif = try JPEGAssembly.segment(0xE1, JPEGStructure.Segment.exifMark + data.encoded)
    let index = try JPEGAssembly.segment(0xE2, MPFIndex.payload(count: 2))
    var file = try jpeg(Self.images.0, [exif, index])
    let end = file.count
    file += second
    try MPFIndex.fill(
      &file, payloadAt: 2 + exif.count + 4,
      with: [(MPFIndex.disparity, 0..<end), (MPFIndex.disparity, end..<file.count)])
    return file
  }

  @Test func multiPictureFileHasDepth() throws {
    // Axes that meet at 4 m: twice the angle of 0.075 m / 2 at 4 m, in thousandths of a degree.
    let angle = Int((2 * 180 / Double.pi * 0.0375 / 4 * 1000).rounded())
    let second = try jpeg(Self.images.1, [view(baseline: (75, 1000), angle: (angle, 1000))])
    let bytes = try mpo(second, focalLength: 35)
    let photo = try DepthPhoto.read(bytes)
    #expect(photo.stereo?.eye == .left)
    let properties = try #require(photo.auxiliary(.depth)?.depth)
    // Focal lengths in EXIF are nominal.
    #expect(properties.origin == .stereoPair && properties.accuracy == .relative)
    let diagonal = Double(320 * 320 + 200 * 200).squareRoot()
    let focal = 35 / 43.2666 * diagonal
    let found = try distances(photo)
    let (near, wall) = (17.6 / (focal * 0.075) + 0.25, 4.945 / (focal * 0.075) + 0.25)
    #expect(abs(1 / found.near - near) < 0.02 && abs(1 / found.wall - wall) < 0.02)
    // Without the focal length only the order is right.
    let alone = try distances(DepthPhoto.read(mpo(second)))
    #expect(alone.near < 0.5 * alone.wall)
  }

  @Test(.enabled(if: ExifTool.isPresent, "needs exiftool")) func viewsAreThoseOfExifTool() throws {
    let second = try jpeg(Self.images.1, [view(baseline: (77, 1000), angle: (0xFFFF_FFFF - 1499, 1000))])
    let path = try folder.write(mpo(second), "a.mpo")
    let tags = try ExifTool.image(2, of: path, in: folder).tags
    let view = try #require(try MPFIndex.View(of: JPEGPicture(second)))
    #expect(tags.number("BaselineLength") == view.baseline && view.baseline == 0.077)
    #expect(tags.number("ConvergenceAngle") == -1.5 && view.convergence == 1.5)
  }

  @Test(arguments: [(0, 1000), (5000, 1000), (75, 0), (0xFFFF_FFFF, 0xFFFF_FFFF)]) func baselinesThatMakeNoSense(
    _ above: Int, _ below: Int
  ) throws {
    let second = try jpeg(Self.images.1, [view(baseline: (above, below), angle: (0, 1))])
    #expect(try MPFIndex.View(of: JPEGPicture(second)) == nil)
    #expect(try DepthPhoto.read(mpo(second, focalLength: 35)).depth() != nil)
  }

  // MARK: - Side by side

  @Test(arguments: StereoLayout.allCases) func picturesSideBySide(_ layout: StereoLayout) throws {
    let (first, second) = layout.isLeftFirst ? Self.images : (Self.images.1, Self.images.0)
    let whole = try sideBySide(first, second, squeezed: layout.isSqueezed)
    // The file's own label, and the user's choice.
    let flags = (layout.isSqueezed ? 2 : 0) | (layout.isLeftFirst ? 4 : 0)
    let mark = try JPEGAssembly.segment(
      0xE3, Array("_JPSJPS_".utf8) + [0, 4, 0, UInt8(flags), 2, 1, 0, 0])
    let plain = try DepthPhoto.read(jpeg(whole))
    #expect(plain.stereo == nil && plain.auxiliary(.depth) == nil)
    var reading = PhotoReading()
    reading.layout = layout
    for photo in [try DepthPhoto.read(jpeg(whole, [mark])), try reading.applied(to: plain)] {
      #expect(photo.width == 320 && photo.height == 200 && photo.stereo?.eye == .left)
      let (image, truth) = (try photo.image(as: .gray8).plane(as: UInt8.self), Self.pair.left)
      let error = zip(image.samples, truth.samples).map { abs(Int($0) - Int($1)) }.reduce(0, +) / truth.samples.count
      #expect(error < (layout.isSqueezed ? 25 : 8), "\(error)")
      let found = try distances(photo)
      #expect(found.near < 0.5 * found.wall)
      #expect(photo.auxiliary(.depth)?.depth?.origin == .stereoPair)
      // The new reading splits the original picture, not one of the halves.
      #expect(try reading.applied(to: photo).width == 320)
    }
    reading.eye = .right
    let right = try reading.applied(to: plain)
    #expect(right.stereo?.eye == .right)
    #expect(try right.depth() != nil)
  }

  @Test func jpsFilesAreSeenWithCrossedEyes() throws {
    let bytes = try jpeg(sideBySide(Self.images.1, Self.images.0))
    for (name, width) in [("a.jps", 320), ("a.JPS", 320), ("a.jpg", 640)] {
      try folder.write(bytes, name)
      #expect(try DepthPhoto.read(folder.file(name)).width == width)
    }
    let found = try distances(DepthPhoto.read(folder.file("a.jps")))
    #expect(found.near < 0.5 * found.wall)
  }

  @Test(arguments: [
    [0, 4, 0, 4, 3, 1], [0, 4, 0, 4, 2, 0], [0, 4, 0, 4], [],
  ]) func marksOfOtherLayouts(_ block: [UInt8]) throws {
    let mark = try JPEGAssembly.segment(0xE3, Array("_JPSJPS_".utf8) + block)
    let photo = try DepthPhoto.read(jpeg(sideBySide(Self.images.0, Self.images.1), [mark]))
    #expect(photo.width == 640 && photo.stereo == nil && photo.faults.isEmpty)
  }

  /// A rotated picture is split upright, and its maps have the picture's orientation.
  @Test func turnedPictures() throws {
    var turned = try DepthPhoto.read(jpeg(sideBySide(Self.images.0, Self.images.1)))
    turned.orientation = .down
    let photo = try turned.split(.rightLeft)
    #expect(photo.width == 320 && photo.orientation == .up)
    var pair = try DepthPhoto.read(heic(cameras: camera(0) + camera(25_000)).bytes())
    let found = try distances(pair)
    // A file whose pictures are stored upside down.
    let stored = { (image: Image) -> Image in
      var copy = image
      copy.orientation = .down
      return copy.upright()
    }
    pair = DepthPhoto(picture: DecodedPicture(stored(Self.images.0)), orientation: .down)
    let intrinsics = Intrinsics(fx: 250, fy: 250, cx: 160, cy: 100, width: 320, height: 200)
    pair.stereo = StereoPair(
      eye: .left, other: DecodedPicture(stored(Self.images.1)), orientation: .down,
      scale: .cameras(
        StereoCameras(
          main: intrinsics, other: intrinsics,
          extrinsics: Extrinsics(rotation: Extrinsics.identity.rotation, translation: [0.025, 0, 0]))))
    pair.addStereoDepth()
    let same = try distances(pair)
    #expect(abs(same.near - found.near) < 0.01 && abs(same.wall - found.wall) < 0.05)
  }

  @Test func sphericalPairsHaveNoDepth() throws {
    let right = MadePhoto.base64(try jpeg(Self.images.1))
    let pano = "xmlns:GPano=\"http://ns.google.com/photos/1.0/panorama/\" GPano:ProjectionType=\"equirectangular\""
    let rest = MadePhoto.packet("GImage:Mime=\"image/jpeg\" GImage:Data=\"\(right)\"")
    let photo = try DepthPhoto.read(jpeg(Self.images.0, MadePhoto.extended(pano, rest)))
    #expect(photo.stereo?.eye == .left && photo.original == nil && photo.auxiliary(.depth) == nil)
    let seen = try photo.seen(by: .right)
    #expect(seen.width == 320 && seen.auxiliary(.depth) == nil)
  }

  // MARK: - Writing

  @Test func computedDepthIsWritten() throws {
    let photo = try DepthPhoto.read(heic(cameras: camera(0) + camera(25_000)).bytes())
    let truth = try distances(photo)
    for form in PhotoFileOptions.Form.allCases {
      let back = try DepthPhoto.read(photo.jpeg(PhotoFileOptions(form: form)))
      #expect(back.auxiliary(.depth)?.depth?.origin == .file)
      let found = try distances(back)
      #expect(abs(found.near - truth.near) < 0.02 && abs(found.wall - truth.wall) < 0.1)
    }
  }

  /// Two pictures from which no depth can be calculated are still a photo.
  @Test func pairWithoutDepth() throws {
    let photo = try DepthPhoto.read(mpo(jpeg(Self.images.0)))
    let error = refusal { try photo.depth() }
    #expect(error?.kind == .badData && error?.hint != nil)
    #expect(try DepthPhoto.read(photo.jpeg()).auxiliary(.depth) == nil)
    let change = PictureReplacement(keepsGeometry: true, keepsBackground: false)
    let replaced = photo.replacing(picture: try photo.image(), change)
    #expect(!replaced.omissions.contains { $0.contains("old background") })
  }
}
