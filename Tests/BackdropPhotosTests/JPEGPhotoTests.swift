import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Writing generated JPEG photos and reading them again.
@Suite struct JPEGPhotoTests {
  func write(_ photo: DepthPhoto, _ form: PhotoFileOptions.Form = .apple) throws -> (DepthPhoto, [UInt8]) {
    let bytes = try photo.jpeg(PhotoFileOptions(form: form))
    return (try DepthPhoto.read(bytes), bytes)
  }

  /// The greatest difference between two grey images' samples.
  func difference(_ a: Image, _ b: Image) -> Int {
    let (a, b) = (a.converted(to: .gray16).plane(as: UInt16.self), b.converted(to: .gray16).plane(as: UInt16.self))
    guard a.width == b.width && a.height == b.height else { return .max }
    return zip(a.samples, b.samples).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test func appleFormKeepsEverything() throws {
    let photo = try MadePhoto.photo()
    let (read, bytes) = try write(photo)
    #expect(read.auxiliaries.map(\.kind) == photo.auxiliaries.map(\.kind))
    #expect(read.auxiliary(.depth)?.depth == photo.auxiliary(.depth)?.depth)
    // JPEG at quality 100 rounds once more.
    for image in photo.auxiliaries {
      #expect(difference(try image.samples(), try #require(read.auxiliary(image.kind)).samples()) <= 257)
    }
    // Writing the photo again rounds no further.
    #expect(try read.jpeg() == bytes)
    let coded = try #require(photo.picture as? JPEGPicture)
    let copied = try #require(read.picture as? JPEGPicture)
    #expect(
      coded.bytes.suffix(from: coded.structure.scanStart)
        == copied.bytes.suffix(from: copied.structure.scanStart))
  }

  /// Apple's form has no confidence, so a separate image stores it.
  @Test func confidenceStays() throws {
    var photo = try MadePhoto.photo()
    var depth = try #require(try photo.depth())
    let sure = Plane<Float>(width: depth.width, height: depth.height) { x, y in
      Float(x + y) / Float(depth.width + depth.height)
    }
    depth.confidence = sure
    photo.set(depth.auxiliary)
    let (read, bytes) = try write(photo)
    #expect(read.auxiliaries.map(\.kind) == photo.auxiliaries.map(\.kind))
    let found = try #require(try read.depth()?.confidence)
    // 8 bits, and JPEG at quality 95.
    for (a, b) in zip(found.samples, sure.samples) { #expect(abs(a - b) < 4.0 / 255) }
    #expect(try read.jpeg() == bytes)
    let (again, _) = try write(read, .dynamicDepth)
    #expect(try again.depth()?.confidence != nil)
    // Without depth the confidence is an ordinary image.
    var alone = read
    alone.remove(.depth)
    #expect(try write(alone).0.auxiliary(.depth) == nil)
  }

  @Test func dynamicDepthIsExact() throws {
    let photo = try MadePhoto.photo()
    let (read, bytes) = try write(photo, .dynamicDepth)
    // Dynamic Depth cannot hold these mattes, so they come first, in Apple's form.
    #expect(Set(read.auxiliaries.map(\.kind)) == Set(photo.auxiliaries.map(\.kind)))
    let (before, after) = (try #require(try photo.depth()), try #require(try read.depth()))
    for (a, b) in zip(before.disparity.perMetre.samples, after.disparity.perMetre.samples) {
      #expect(abs(a - b) < 1e-6)
    }
    let camera = try #require(read.calibration?.intrinsics)
    #expect(abs(camera.fx - 50.5) < 1e-9 && abs(camera.cy - 24.75) < 1e-9 && camera.width == 64)
    #expect(try read.matte(.portrait)?.q15 == photo.matte(.portrait)?.q15)
    let (again, _) = try write(read, .dynamicDepth)
    #expect(try again.depth()?.samples.plane(as: UInt8.self) == after.samples.plane(as: UInt8.self))
    #expect(bytes.count > 0)
  }

  @Test(arguments: [DepthProperties.Sample.uint16, .float32, .float16]) func deepDepth(
    _ sample: DepthProperties.Sample
  ) throws {
    let metres = Plane<Float>(width: 32, height: 24) { x, y in 0.5 + Float(x * 24 + y) / 400 }
    var photo = DepthPhoto(picture: try MadePhoto.jpegPicture())
    photo.set(PhotoDepth(DepthMap(metres: metres), as: sample).auxiliary)
    let range = (metres.samples.max() ?? 0) - 0.5
    for (form, bound) in [
      (PhotoFileOptions.Form.dynamicDepth, range / 65_535), (.apple, range / 255 * 1.5),
    ] {
      let found = try #require(try write(photo, form).0.depth())
      #expect(found.properties.accuracy == .absolute)
      #expect(found.properties.quantity == .depth)
      for (a, b) in zip(metres.samples, found.depth.metres.samples) {
        #expect(abs(a - b) <= bound + (sample == .float16 ? 0.001 : 1e-6), "\(form)")
      }
    }
  }

  @Test(arguments: Orientation.allCases) func orientationOfAllPartsAlike(_ orientation: Orientation) throws {
    var photo = try MadePhoto.photo()
    photo.orientation = orientation
    for form in PhotoFileOptions.Form.allCases {
      let (read, bytes) = try write(photo, form)
      #expect(read.orientation == orientation)
      #expect(try JPEG.decode(bytes).orientation == orientation)
      #expect(read.width == (orientation.swapsSides ? 48 : 64))
      let image = try read.image()
      #expect(image.width == read.width && image.height == read.height)
      let depth = try #require(try read.depth())
      #expect(depth.width == (orientation.swapsSides ? 24 : 32))
      let expected = try #require(try read.depth(upright: false)).disparity.perMetre.oriented(orientation)
      #expect(same(depth.disparity.perMetre, expected))
      let matte = try #require(try read.matte(.portrait))
      #expect(try matte.q15 == read.matte(.portrait, upright: false)?.q15.oriented(orientation))
    }
  }

  /// Adding upright depth and mattes works for any orientation of the picture.
  @Test(arguments: Orientation.allCases) func composing(_ orientation: Orientation) throws {
    var plain = DepthPhoto(picture: try MadePhoto.jpegPicture())
    plain.orientation = orientation
    let (width, height) = orientation.swapsSides ? (24, 32) : (32, 24)
    var properties = DepthProperties(.disparity, .uint8, first: 0, last: 1)
    properties.accuracy = .relative
    let depth = try PhotoDepth(samples: MadePhoto.gray(width, height), properties: properties)
    let photo = try DepthPhoto(plain, depth: depth, mattes: [.portrait: MadePhoto.gray(width, height)])
    #expect(same(try #require(try photo.depth()).disparity.perMetre, depth.disparity.perMetre))
    #expect(try photo.samples(of: .matte(.portrait))?.plane(as: UInt8.self) == MadePhoto.gray(width, height).plane())
  }

  @Test func otherAspects() throws {
    let plain = DepthPhoto(picture: try MadePhoto.jpegPicture())
    #expect(refusal { _ = try DepthPhoto(plain, mattes: [.hair: MadePhoto.gray(32, 32)]) }?.kind == .wrongArgument)
    var photo = plain
    photo.set(AuxiliaryImage(.matte(.hair), DecodedPicture(MadePhoto.gray(32, 32))))
    let read = try DepthPhoto.read(try photo.jpeg())
    let bad = refusal { _ = try read.matte(.hair) }
    #expect(bad?.kind == .badData && bad?.message.contains("aspect") == true)
    // Rounding of small sides does not count as a different aspect ratio.
    _ = try DepthPhoto(plain, mattes: [.hair: MadePhoto.gray(5, 4)])
  }

  @Test func metadataStay() throws {
    let xmp = MadePhoto.packet("dc:title=\"x\"", "<dc:a/>")
    var icc = [UInt8](repeating: 7, count: 150_000)
    icc[3] = 1
    var photo = try MadePhoto.photo()
    photo.metadata = PhotoMetadata(exif: nil, xmp: xmp)
    var picture = MadePhoto.picture()
    picture.color.space = ColorSpace(ColorProfile(icc))
    photo.picture = DecodedPicture(picture)
    photo.metadata.setEXIFOrientation(.left)
    photo.orientation = .left
    for form in PhotoFileOptions.Form.allCases {
      let (read, _) = try write(photo, form)
      #expect(read.metadata.exif == photo.metadata.exif)
      #expect(read.picture.colorSpace.profile?.bytes == icc)
      let packet = try XMPPacket(try #require(read.metadata.xmp))
      #expect(packet.text("http://purl.org/dc/elements/1.1/", "title") == "x")
      // Converting back to Apple's form leaves nothing of the other form.
      let back = try XMPPacket(try #require(write(read).0.metadata.xmp))
      #expect(back.properties == (try XMPPacket(xmp)).properties)
    }
  }

  @Test func tooLongMetadata() throws {
    var photo = try MadePhoto.photo()
    photo.metadata.xmp = MadePhoto.packet("dc:title=\"\(String(repeating: "x", count: 70_000))\"")
    #expect(refusal { _ = try photo.jpeg() }?.kind == .overLimit)
  }

  /// Writing replaces the orientation if there is one and adds it if not, in both byte orders.
  @Test(arguments: [ByteReader.Order.big, .little], [true, false]) func exifOrientation(
    _ order: ByteReader.Order, _ hasTag: Bool
  ) throws {
    var writer = ByteWriter(order: order)
    writer.data((order == .big ? "MM" : "II").utf8)
    writer.uint16(42)
    writer.uint32(8)
    writer.uint16(hasTag ? 3 : 2)
    func short(_ tag: Int, _ value: Int) {
      writer.uint16(tag)
      writer.uint16(3)
      writer.uint32(1)
      writer.uint16(value)
      writer.uint16(0)
    }
    short(0x0100, 640)
    if hasTag { short(0x0112, 1) }
    writer.uint16(0x0131)
    writer.uint16(2)
    writer.uint32(4)
    writer.data("abc\0".utf8)
    writer.uint32(0)
    writer.uint8(9)
    var metadata = PhotoMetadata(exif: writer.bytes)
    metadata.setEXIFOrientation(.up)
    #expect(metadata.exif == writer.bytes)
    for orientation in [Orientation.right, .upMirrored, .up] {
      metadata.setEXIFOrientation(orientation)
      #expect(metadata.exifOrientation ?? .up == orientation)
      let tiff = try TIFFReader(try #require(metadata.exif))
      #expect(try tiff.value(of: 0x0100, at: tiff.firstDirectory) == 640)
      #expect(try tiff.text(of: 0x0131, at: tiff.firstDirectory) == "abc")
    }
    metadata = PhotoMetadata(exif: [1, 2, 3])
    metadata.setEXIFOrientation(.down)
    #expect(metadata.exifOrientation == .down)
  }

  @Test func unknownImagesOfAnIndexStay() throws {
    var photo = try MadePhoto.photo()
    let preview = try JPEGPicture(JPEG.encode(MadePhoto.picture(16, 12)))
    photo.auxiliaries.insert(AuxiliaryImage(.other("mpf:10001"), preview), at: 0)
    let (read, bytes) = try write(photo)
    #expect(read.auxiliaries.first?.kind == .other("mpf:10001"))
    #expect((read.auxiliaries.first?.picture as? JPEGPicture)?.bytes == preview.bytes)
    #expect(try write(read).1 == bytes)
  }

  /// Programs find a motion photo's video from the end of the file, so it must stay there.
  @Test(arguments: PhotoFileOptions.Form.allCases) func whatFollowsStays(_ form: PhotoFileOptions.Form) throws {
    let video = Array("....ftypmp42 and so on".utf8)
    let (read, bytes) = try write(try DepthPhoto.read(try MadePhoto.photo().jpeg() + video), form)
    #expect(bytes.suffix(video.count) == video[...])
    #expect(Array(try write(read).1.suffix(video.count)) == video)
    #expect(try write(read).0.auxiliaries.count == 4)
    // Zeros are only padding.
    let padded = try DepthPhoto.read(try MadePhoto.photo().jpeg() + [UInt8](repeating: 0, count: 99))
    #expect(try padded.jpeg() == MadePhoto.photo().jpeg())
  }

  /// HEIC files mark an image's purpose by other means; in a JPEG file the image's XMP must do so.
  @Test(arguments: [AuxiliaryKind.matte(.sky), .matte(.portrait), .gainMap, .depth]) func namelessPackets(
    _ kind: AuxiliaryKind
  ) throws {
    let properties = kind == .depth ? try MadePhoto.depth().properties : nil
    let packet = MadePhoto.packet("dc:a=\"b\" apdi:FloatMinValue=\"0.5\" apdi:FloatMaxValue=\"2.25\"")
    var photo = DepthPhoto(picture: try MadePhoto.jpegPicture())
    photo.set(AuxiliaryImage(kind, DecodedPicture(MadePhoto.gray(32, 24)), depth: properties, xmp: packet))
    let (read, _) = try write(photo)
    let found = try #require(read.auxiliary(kind))
    #expect(try XMPPacket(try #require(found.xmp)).text("http://purl.org/dc/elements/1.1/", "a") == "b")
    #expect(found.depth?.first == properties?.first)
  }

  // MARK: - Google

  @Test func gDepthInverse() throws {
    let image = MadePhoto.gray(32, 24)
    let photo = try DepthPhoto.read(
      MadePhoto.gDepth(image, confidence: MadePhoto.gray(32, 24, step: 9), original: MadePhoto.jpegPicture(8, 6).bytes))
    let depth = try #require(try photo.depth())
    #expect(depth.properties.accuracy == .absolute)
    #expect(photo.original?.width == 8)
    for (y, x) in product(0..<24, 0..<32) {
      let v = Double(image.plane(as: UInt8.self)[x, y]) / 255
      // "Encoding depth and confidence", RangeInverse.
      let metres = 8 * 0.5 / (8 - v * (8 - 0.5))
      #expect(abs(Double(depth.depth.metres[x, y]) - metres) < 1e-5)
    }
    #expect(
      abs((depth.confidence?[31, 0] ?? 0) - Float(MadePhoto.gray(32, 24, step: 9).plane(as: UInt8.self)[31, 0]) / 255)
        < 1e-6)
  }

  @Test func gDepthLinearInMillimetresOf16Bits() throws {
    let image = gray16(32, 24) { x, y in UInt16(x * 2000 + y) }
    let photo = try DepthPhoto.read(
      MadePhoto.gDepth(image, format: "RangeLinear", near: "400", far: "9000", units: "mm"))
    let depth = try #require(try photo.depth())
    #expect(depth.properties.sample == .uint16)
    for x in 0..<32 {
      let metres = 0.4 + Double(x * 2000 + 5) / 65_535 * 8.6
      #expect(abs(Double(depth.depth.metres[x, 5]) - metres) < 1e-5)
    }
  }

  /// Lens Blur stores no unit, so its distances have no scale.
  @Test func gDepthWithoutUnits() throws {
    let photo = try DepthPhoto.read(MadePhoto.gDepth(MadePhoto.gray(32, 24), near: "12", far: "390", units: nil))
    #expect(try photo.depth()?.properties.accuracy == .relative)
  }

  @Test func gDepthBecomesOtherForms() throws {
    let read = try DepthPhoto.read(
      MadePhoto.gDepth(MadePhoto.gray(32, 24), original: MadePhoto.jpegPicture(8, 6).bytes))
    let before = try #require(try read.depth())
    for form in PhotoFileOptions.Form.allCases {
      let (other, _) = try write(read, form)
      let after = try #require(try other.depth())
      // One step of 255 between 1/8 and 2.
      for (a, b) in zip(before.disparity.perMetre.samples, after.disparity.perMetre.samples) {
        #expect(abs(a - b) < (form == .apple ? 1.875 / 255 * 1.01 : 1e-5))
      }
      #expect(after.properties.accuracy == .absolute)
      // Everything that does not describe depth stays in the extension.
      #expect(other.original?.width == 8)
      let xmp = try XMPPacket(try #require(other.metadata.xmp))
      #expect(!xmp.properties.keys.contains { $0.namespace == GoogleNamespace.depth })
    }
  }

  @Test func dynamicDepthCannotHoldWhatIsNotAbove0() throws {
    var photo = DepthPhoto(picture: try MadePhoto.jpegPicture())
    let properties = DepthProperties(.disparity, .uint8, first: -0.1, last: 2)
    photo.set(try PhotoDepth(samples: MadePhoto.gray(32, 24), properties: properties).auxiliary)
    let error = refusal { _ = try photo.jpeg(PhotoFileOptions(form: .dynamicDepth)) }
    #expect(error?.kind == .unsupported && error?.hint != nil)
    _ = try photo.jpeg()
  }

  // MARK: - Other readers

  @Test(.enabled(if: ExifTool.isPresent, "needs exiftool")) func exiftoolReadsWhatIsWritten() throws {
    let folder = TemporaryFolder()
    let path = folder.file("photo.jpg")
    let photo = try MadePhoto.photo()
    try photo.write(to: OutputFile(path, overwrite: false))
    let tags = try ExifTool.tags(path, ["-warning", "-error", "-all"])
    #expect(tags.number("NumberOfImages") == 5)
    #expect(tags.text("Warning") == nil && tags.text("Error") == nil)
    let depth = try ExifTool.image(2, of: path, in: folder)
    #expect(depth.tags.text("AuxiliaryImageType") == "disparity")
    #expect(depth.tags.number("FloatMinValue") == 0.5)
    #expect(depth.tags.number("FloatMaxValue") == 2.25)
    #expect(depth.tags.numbers("IntrinsicMatrix") == [50.5, 0, 0, 0, 51.25, 0, 31.5, 24.75, 1])
    #expect(depth.tags.numbers("LensDistortionCoefficients") == MadePhoto.calibration.distortion)
    #expect(depth.tags.number("ImageWidth") == 32)
    #expect(depth.tags.text("Warning") == nil)
    let read = try DepthPhoto.read(path)
    #expect(
      try JPEG.decode(depth.bytes).plane(as: UInt8.self) == read.depth()?.samples.plane(as: UInt8.self))
    let matte = try ExifTool.image(3, of: path, in: folder)
    #expect(matte.tags.text("AuxiliaryImageSubType") == "portraiteffectsmatte")
    let skin = try ExifTool.image(4, of: path, in: folder)
    #expect(skin.tags.text("AuxiliaryImageType") == MatteKind.skin.urn)

    let other = folder.file("dynamic.jpg")
    try photo.write(to: OutputFile(other, overwrite: false), options: PhotoFileOptions(form: .dynamicDepth))
    let found = try ExifTool.tags(other, ["-struct", "-XMP:all", "-warning"])
    #expect(found.text("Warning") == nil)
    let container = found["Container"] as? [String: Any] ?? found["DeviceContainer"] as? [String: Any]
    #expect((container?["Directory"] as? [Any])?.count == 3, "\(found)")
  }
}
