import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Reading photos like those of phones, writing them as HEIC and reading them again.
@Suite(.enabled(if: HEICTool.canEncode && HEICTool.hasExifTool, "needs libx265 and exiftool"))
struct HEICDepthPhotoTests {
  /// Expects two photos to have exactly equal depth, mattes and metadata.
  static func expectEqual(_ one: DepthPhoto, _ other: DepthPhoto, _ comment: Comment? = nil) throws {
    #expect((one.width, one.height) == (other.width, other.height), comment)
    let (before, after) = (try one.depth(), try other.depth())
    if let first = before?.properties.first, let last = before?.properties.last, first > last {
      // The copy stores the codes in reverse order, so compare values.
      let (one, other) = (before?.disparity.perMetre.samples ?? [], after?.disparity.perMetre.samples ?? [])
      #expect(one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= 1e-6 * abs($0) }, comment)
      #expect(after?.properties.first == last && after?.properties.last == first, comment)
    } else {
      #expect(before?.samples.packedBytes == after?.samples.packedBytes, comment)
      #expect(before?.properties == after?.properties, comment)
    }
    #expect(one.mattes == other.mattes, comment)
    for kind in one.mattes { #expect(try one.matte(kind)?.q15 == other.matte(kind)?.q15, comment) }
    #expect(one.picture.colorSpace == other.picture.colorSpace, comment)
    #expect(one.metadata.shot == other.metadata.shot, comment)
    #expect(one.calibration == other.calibration, comment)
  }

  /// FloatMin and FloatMax come from ExifTool 12.57, the sums of the upright samples from libheif 1.23.6.
  @Test(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) func readsDepthOfHEIC() throws {
    let pug = try PhonePhoto.read("iphone13pro_pug_depth_gainmap.heic")
    let depth = try #require(try pug.depth())
    #expect(depth.properties.first == 1.498047 && depth.properties.last == 4.382812)
    #expect(depth.properties.quantity == .disparity && depth.properties.sample == .uint8)
    #expect((depth.width, depth.height) == (768, 576))
    #expect(depth.samples.plane().samples.reduce(0) { $0 + Int($1) } == 21_369_015)
    #expect(pug.calibration?.intrinsics.width == 4032)
    #expect(pug.metadata.shot.model == "iPhone 13 Pro")
    #expect(pug.container is HEICContainer)
    let mattes = try PhonePhoto.read("iphone16pro_ios18_mattes.heic")
    #expect(mattes.mattes == [.portrait, .skin, .sky])
    #expect((mattes.width, mattes.height) == (4284, 5712))
    let portrait = try #require(try mattes.matte(.portrait))
    #expect((portrait.width, portrait.height) == (1512, 2016))
    #expect(try mattes.depth() == nil)
  }

  @Test(arguments: PhonePhoto.heic) func unchangedPicturesAreCopied(_ name: String) throws {
    let photo = try PhonePhoto.read(name)
    let again = try DepthPhoto.read(photo.heic())
    try Self.expectEqual(photo, again)
    #expect(again.metadata == photo.metadata)
    let before = try #require(photo.picture as? HEICItemPicture).file
    let after = try #require(again.picture as? HEICItemPicture).file
    #expect(before.items.map(\.id) == after.items.map(\.id))
    #expect(before.references == after.references)
    for (one, other) in zip(before.items, after.items) {
      #expect(one.properties == other.properties)
      guard before.meta.locations[one.id] != nil else { continue }
      #expect(try before.data(of: one) == after.data(of: other))
    }
    #expect(
      before.meta.others.map { Array(before.bytes[$0.range]) } == after.meta.others.map { Array(after.bytes[$0.range]) }
    )
  }

  /// Removing the depth and adding a matte does not change the encoded colour picture.
  @Test(arguments: PhonePhoto.heicWithDepth) func editsKeepThePicture(_ name: String) throws {
    var photo = try PhonePhoto.read(name)
    photo.remove(.matte(.portrait))
    let (width, height) = (photo.picture.width, photo.picture.height)
    let tiles = try Self.tileBytes(photo)
    photo.remove(.depth)
    let matte = HEICWriterTests.gray(width / 8, height / 8, upTo: UInt8.max, seed: 1)
    photo.set(AuxiliaryImage(.matte(.skin), DecodedPicture(Image(gray: matte))))
    photo.metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    photo.orientation = .left
    let again = try DepthPhoto.read(photo.heic())
    #expect(try Self.tileBytes(again) == tiles)
    #expect(try again.depth() == nil)
    #expect(again.auxiliaries.map(\.kind) == [.gainMap, .matte(.skin)])
    #expect(try again.samples(of: .matte(.skin), upright: false)?.plane() == matte)
    #expect(again.metadata.xmp == photo.metadata.xmp)
    #expect((again.width, again.height) == (height, width))
    #expect(again.metadata.exifOrientation == .left)
    #expect(
      try again.samples(of: .gainMap, upright: false)?.packedBytes
        == photo.samples(of: .gainMap, upright: false)?.packedBytes)
  }

  /// Removing the gain map also removes the picture derived from it, and nothing else.
  @Test(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) func removingTheGainMapRemovesWhatIsMadeOfIt() throws {
    var photo = try PhonePhoto.read("iphone16pro_ios18_mattes.heic")
    let before = try #require(photo.picture as? HEICItemPicture).file
    #expect(before.brands.contains("tmap"))
    photo.remove(.gainMap)
    let again = try DepthPhoto.read(photo.heic())
    try Self.expectEqual(photo, again)
    let after = try #require(again.picture as? HEICItemPicture).file
    #expect(!after.brands.contains("tmap"))
    // The map, its fifteen tiles, its XMP, and the picture derived from it.
    let gone = Set(before.items.map(\.id)).subtracting(after.items.map(\.id))
    #expect(gone == Set(47...62).union([120, 122]))
    #expect(after.auxiliaries.allSatisfy { $0.targets == [46] })
  }

  private static func tileBytes(_ photo: DepthPhoto) throws -> [[UInt8]] {
    let picture = try #require(photo.picture as? HEICItemPicture)
    return try picture.file.targets("dimg", from: picture.item).map { try picture.file.data(of: $0) }
  }

  @Test(arguments: PhonePhoto.jpeg) func jpegBecomesHEIC(_ name: String) throws {
    let photo = try PhonePhoto.read(name)
    let again = try DepthPhoto.read(photo.heic())
    try Self.expectEqual(photo, again)
    #expect(again.orientation == photo.orientation)
    #expect(again.metadata.exifOrientation ?? .up == photo.orientation)
    let (before, after) = (try photo.image(as: .gray8), try again.image(as: .gray8))
    let differences = zip(before.plane().samples, after.plane().samples).map { abs(Int($0) - Int($1)) }
    // The pictures look the same, in the same orientation.
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2.5)
  }

  @Test(arguments: PhonePhoto.heic) func heicBecomesJPEGAndBack(_ name: String) throws {
    let photo = try PhonePhoto.read(name)
    let jpeg = try DepthPhoto.read(photo.jpeg())
    let back = try DepthPhoto.read(jpeg.heic())
    try Self.expectEqual(jpeg, back)
    #expect((back.width, back.height) == (photo.width, photo.height))
    // JPEG is not exact; both orientations are right.
    let (before, after) = (try photo.image(as: .gray8), try back.image(as: .gray8))
    let differences = zip(before.plane().samples, after.plane().samples).map { abs(Int($0) - Int($1)) }
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2.5)
  }

  @Test(arguments: [Orientation.up, .right, .leftMirrored], [8, 10, 12])
  func deepDepthSurvives(_ orientation: Orientation, _ bits: Int) throws {
    let values = HEICWriterTests.gray(80, 60, upTo: UInt16(1 << bits - 1), seed: 2)
    let greatest = 1 << bits - 1
    var properties = DepthProperties(.disparity, bits == 8 ? .uint8 : .uint16, first: 0.5, last: 3, codes: 0...greatest)
    properties.nativeSample = .float16
    properties.version = 65_538
    let samples = bits == 8 ? Image(gray: values.map { UInt8($0) }) : Image(gray16: values)
    var photo = DepthPhoto(
      picture: DecodedPicture(HEICWriterTests.picture(160, 120, seed: 3)), orientation: orientation)
    photo.set(AuxiliaryImage(.depth, DecodedPicture(samples), depth: properties))
    let again = try DepthPhoto.read(photo.heic())
    let depth = try #require(try again.depth(upright: false))
    #expect(depth.samples.packedBytes == samples.packedBytes)
    #expect(depth.properties == properties)
    #expect(again.orientation == orientation)
  }

  /// Conversion to another kind of file keeps an unknown colour profile, with its name.
  @Test func unknownImagesKeepTheirColours() throws {
    let image = HEICWriterTests.picture(64, 48, seed: 6)
    var photo = DepthPhoto(picture: DecodedPicture(HEICWriterTests.picture(160, 120, seed: 3)), orientation: .right)
    photo.set(AuxiliaryImage(.other("urn:x"), DecodedPicture(image)))
    photo.set(AuxiliaryImage(.other("mpf:10001"), DecodedPicture(image)))
    let again = try DepthPhoto.read(photo.heic())
    #expect(again.auxiliaries.map(\.kind) == [.other("urn:x")])
    #expect(try again.auxiliaries.first?.picture.decoded(as: nil).packedBytes == image.packedBytes)
  }

  /// Sixteen bits round to twelve, with an error of at most half a step of 1/4095 of the range.
  @Test func deeperDepthIsRounded() throws {
    let values = HEICWriterTests.gray(80, 60, upTo: UInt16.max, seed: 4)
    for (first, last) in [(0.5, 3.0), (3.0, 0.5)] {
      let properties = DepthProperties(.depth, .uint16, first: first, last: last, accuracy: .absolute)
      var photo = DepthPhoto(picture: DecodedPicture(HEICWriterTests.picture(160, 120, seed: 5)))
      photo.set(AuxiliaryImage(.depth, DecodedPicture(Image(gray16: values)), depth: properties))
      let before = try #require(try photo.depth()).depth.metres
      let after = try #require(try DepthPhoto.read(photo.heic()).depth()).depth.metres
      let worst = zip(before.samples, after.samples).map { abs(Double($0) - Double($1)) }.max() ?? 1
      #expect(worst <= 2.5 / 8190 + 1e-6)
      #expect(worst > 2.5 / 65_535)
    }
  }

  @Test(arguments: PhonePhoto.heicWithDepth) func decodesNoColourForDepth(_ name: String) throws {
    // Reading depth must not notice the damaged colour picture, which may consist of tiles.
    var bytes = try PhonePhoto.bytes(name)
    let whole = try #require(try DepthPhoto.read(bytes).depth())
    let file = try HEICFile(bytes)
    let tiles = try file.targets("dimg", from: file.primary)
    for tile in tiles.isEmpty ? [file.primary] : tiles {
      for piece in try file.pieces(of: tile.id) { for index in piece { bytes[index] = 0xFF } }
    }
    let photo = try DepthPhoto.read(bytes)
    #expect(try photo.depth()?.samples.packedBytes == whole.samples.packedBytes)
    #expect(throws: BackdropError.self) { try photo.image() }
  }
}
