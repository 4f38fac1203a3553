import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Photos from phones. Expected sizes, kinds and samples come from libheif 1.23.6 (inside pillow-heif 1.8.1), for its own planes of luma
/// and chroma; the numbers are Adler-32 sums of each plane's rows, without padding, in host order.
@Suite(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) struct HEICPhotoTests {
  struct Picture: Sendable, CustomTestStringConvertible {
    var file: String
    /// An item's number; 0 for the main picture.
    var item = 0
    var width: Int
    var height: Int
    var bits = 8
    var sums: [Int]
    var urn = ""
    var testDescription: String { "\(file) \(item)" }
  }

  static let gainMap = "urn:com:apple:photo:2020:aux:hdrgainmap"
  static let depth = "urn:mpeg:hevc:2015:auxid:2"
  static let pictures = [
    Picture(
      file: "iphone13pro_pug_depth_gainmap", width: 4032, height: 3024,
      sums: [2_110_018_976, 548_080_320, 2_368_082_484]),
    Picture(
      file: "iphone13pro_pug_depth_gainmap", item: 52, width: 2016, height: 1512, sums: [2_289_484_925], urn: gainMap),
    Picture(
      file: "iphone13pro_pug_depth_gainmap", item: 54, width: 768, height: 576, sums: [1_847_141_330], urn: depth),
    Picture(
      file: "iphone14pro_glass_depth_gainmap", width: 3024, height: 4032,
      sums: [4_029_167_889, 1_191_391_917, 3_989_576_182]),
    Picture(
      file: "iphone14pro_glass_depth_gainmap", item: 52, width: 1512, height: 2016, sums: [3_423_776_723], urn: gainMap),
    Picture(
      file: "iphone14pro_glass_depth_gainmap", item: 54, width: 576, height: 768, sums: [2_059_965_777], urn: depth),
    Picture(
      file: "iphone14pro_rotated_mirrored_nodepth", width: 2316, height: 3088,
      sums: [1_990_520_244, 1_118_037_528, 1_075_339_615]),
    Picture(
      file: "iphone14pro_rotated_mirrored_nodepth", item: 50, width: 1158, height: 1544, sums: [4_001_085_088],
      urn: gainMap),
    Picture(
      file: "iphone16pro_ios18_mattes", width: 4284, height: 5712, sums: [792_435_582, 2_162_794_332, 3_202_684_916]),
    Picture(file: "iphone16pro_ios18_mattes", item: 62, width: 2142, height: 2856, sums: [3_503_417_788], urn: gainMap),
    Picture(
      file: "iphone16pro_ios18_mattes", item: 63, width: 768, height: 1024, bits: 10,
      sums: [63_250_674, 3_956_425_967, 3_443_335_465], urn: "tag:apple.com,2023:photo:aux:linearthumbnail"),
    Picture(
      file: "iphone16pro_ios18_mattes", item: 64, width: 1512, height: 2016, sums: [2_597_309_658],
      urn: "urn:com:apple:photo:2019:aux:semanticskinmatte"),
    Picture(
      file: "iphone16pro_ios18_mattes", item: 66, width: 1512, height: 2016, sums: [2_243_035_137],
      urn: "urn:com:apple:photo:2020:aux:semanticskymatte"),
    Picture(
      file: "iphone16pro_ios18_mattes", item: 68, width: 1512, height: 2016, sums: [17_262_279],
      urn: "urn:com:apple:photo:2018:aux:portraiteffectsmatte"),
    Picture(
      file: "iphone16pro_ios18_mattes", item: 119, width: 3072, height: 4096, bits: 10,
      sums: [1_017_377_115, 3_081_990_600, 4_070_706_866], urn: "tag:apple.com,2023:photo:aux:styledeltamap"),
  ]

  static func open(_ name: String) throws -> HEICFile {
    try HEICFile(InputFile.read(TestData.path("photos/\(name).heic")))
  }

  @Test(arguments: pictures) func decodesTheSameSamplesAsLibheif(_ expected: Picture) throws {
    let file = try Self.open(expected.file)
    var item = file.primary
    if expected.item != 0 {
      let auxiliary = try #require(file.auxiliaries.first { $0.item.id == expected.item })
      #expect(auxiliary.urn == expected.urn)
      #expect(auxiliary.targets.contains(file.primary.id))
      item = auxiliary.item
    }
    let geometry = try item.geometry()
    #expect((geometry.width, geometry.height) == (expected.width, expected.height))
    #expect(try item.bitDepth() == expected.bits)
    let picture = try file.decode(item)
    #expect((picture.width, picture.height, picture.bitDepth) == (expected.width, expected.height, expected.bits))
    #expect(picture.adlerSums == expected.sums)
  }

  /// The number of auxiliary pictures and the lengths of metadata, according to pillow-heif 1.8.1.
  @Test(
    arguments: [
      ("iphone13pro_pug_depth_gainmap", 2, 2624, 2541, 536), ("iphone14pro_glass_depth_gainmap", 2, 2574, 2543, 536),
      ("iphone14pro_rotated_mirrored_nodepth", 1, 2486, nil, 536), ("iphone16pro_ios18_mattes", 6, 2678, nil, 536),
    ] as [(String, Int, Int, Int?, Int)])
  func findsMetadata(_ name: String, _ auxiliaries: Int, _ exif: Int, _ xmp: Int?, _ icc: Int) throws {
    let file = try Self.open(name)
    #expect(file.brands.first == "heic")
    #expect(file.auxiliaries.count == auxiliaries)
    // pillow-heif's count includes the six bytes "Exif\0\0" that this file format puts before the TIFF structure.
    #expect(try file.exif()?.count == exif - 6)
    #expect(try file.exif()?.prefix(2).elementsEqual(Array("MM".utf8)) == true)
    #expect(try file.xmp(of: file.primary)?.count == xmp)
    #expect(try file.primary.icc()?.count == icc)
    #expect(try file.primary.nclx() == nil)
    for auxiliary in file.auxiliaries where auxiliary.urn == Self.depth {
      let packet = String(decoding: try file.xmp(of: auxiliary.item) ?? [], as: UTF8.self)
      #expect(
        packet.contains("apdi:AuxiliaryImageType>disparity<") || packet.contains("AuxiliaryImageType=\"disparity\""))
    }
  }

  @Test func appliesTurnsAsTheyAreAndLeavesEXIFOut() throws {
    let mirrored = try Self.open("iphone14pro_rotated_mirrored_nodepth").primary
    #expect(try mirrored.transforms() == [.rotation(quarters: 1), .mirrorTopBottom])
    // ExifTool 12.57: "Mirror horizontal and rotate 270 CW", which is EXIF's 5.
    #expect(try mirrored.geometry().orientation == .leftMirrored)
    let turned = try Self.open("iphone16pro_ios18_mattes").primary
    // ExifTool 12.57: rotation 270 here, "Rotate 90 CW" (EXIF's 6) there.
    #expect(try turned.transforms() == [.rotation(quarters: 3)])
    #expect(try turned.geometry().orientation == .right)
  }

  @Test func severalTargetsOfAuxiliaryPictures() throws {
    let file = try Self.open("iphone16pro_ios18_mattes")
    #expect(file.auxiliaries.map(\.targets) == [[46], [46, 122], [46, 122], [46, 122], [46, 122], [46, 122]])
    let toneMapped = try #require(file.item(122))
    #expect(throws: BackdropError.self) { try file.decode(toneMapped) }
  }
}

extension HEICPicture {
  /// Adler-32 (RFC 1950, 8.2) of each plane.
  var adlerSums: [Int] {
    switch samples {
    case .bytes(let image), .colors(let image):
      (0..<image.format.planeCount).map { MadePNG.adler32(image.plane($0).samples) }
    case .words(let planes):
      planes.map { MadePNG.adler32($0.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }) }
    }
  }
}
