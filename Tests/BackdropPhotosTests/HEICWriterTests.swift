import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

@Suite(.enabled(if: HEICTool.canEncode, "needs libx265")) struct HEICWriterTests {
  /// Smooth shapes with some noise.
  static func picture(_ width: Int, _ height: Int, seed: UInt64) -> Image {
    var random = SeededRandom(seed: seed)
    var image = Image(.i420, width: width, height: height, color: .jpeg)
    for plane in 0..<3 {
      for y in 0..<(plane == 0 ? height : (height + 1) / 2) {
        var row = image.mutableRow(y, plane: plane)
        for x in row.indices {
          row[x] = UInt8(
            clamping: 128 + Int(90 * sin(Double(x + plane) / 9) * cos(Double(y) / 7))
              + .random(in: 0...5, using: &random))
        }
      }
    }
    return image
  }

  static func gray<Sample: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ width: Int, _ height: Int, upTo greatest: Sample, seed: UInt64
  ) -> Plane<Sample> {
    var random = SeededRandom(seed: seed)
    return Plane(
      (0..<width * height).map { _ in .random(in: 0...greatest, using: &random) }, width: width, height: height)
  }

  /// The picture consists of several tiles, which threads share.
  @Test func isTheSameOnAnyNumberOfThreads() throws {
    let photo = DepthPhoto(picture: DecodedPicture(Self.picture(1100, 700, seed: 9)))
    let file = try HEICFile(photo.heic())
    #expect(try file.targets("dimg", from: file.primary).count > 1)
    let sums = try (1...3).map { try file.decode(file.primary, threads: $0).adlerSums }
    #expect(sums[0] == sums[1] && sums[0] == sums[2])
  }

  @Test(arguments: [(1, 1), (15, 9), (16, 16), (17, 33), (64, 48), (333, 217), (1025, 40), (700, 1100)], [1, 6, 7])
  func losslessColourIsEqualAtAnySize(_ size: (Int, Int), _ orientation: Int) throws {
    let image = Self.picture(size.0, size.1, seed: 1)
    var draft = HEICDraft()
    let turn = try #require(Orientation(rawValue: orientation))
    try draft.setPrimary(image, HEICDraft.PictureOptions(quality: .lossless, orientation: turn))
    let file = try HEICFile(draft.encoded())
    #expect(try file.primary.geometry().orientation == turn)
    let back = try file.decode(file.primary, turned: false).image()
    #expect((back.width, back.height) == size)
    #expect(back.color == .jpeg)
    #expect(back.packedBytes == image.packedBytes)
    var turned = image
    turned.orientation = turn
    #expect(try file.decode(file.primary).image().packedBytes == turned.upright().packedBytes)
  }

  @Test(arguments: ColorDescription.Matrix.allCases, ColorDescription.Range.allCases)
  func keepsTheMeaningOfColours(_ matrix: ColorDescription.Matrix, _ range: ColorDescription.Range) throws {
    var image = Self.picture(64, 64, seed: 2)
    let profile: [UInt8] = Array(0...99)
    image.color = ColorDescription(matrix: matrix, range: range, space: ColorSpace(ColorProfile(profile)))
    var draft = HEICDraft()
    let options = HEICDraft.PictureOptions(quality: .lossless)
    try draft.setPrimary(image, options)
    let file = try HEICFile(draft.encoded())
    #expect(try file.decode(file.primary).color == image.color)
    #expect(try file.primary.icc() == profile)
    // Also if only the encoded picture contains the colour space.
    for index in draft.items.indices {
      draft.items[index].properties.removeAll { $0.property.type == "colr" }
    }
    let bare = try HEICFile(draft.encoded())
    #expect(try bare.decode(bare.primary).color == image.color.with(.sRGB))
    #expect(try bare.primary.icc() == nil)
  }

  @Test(arguments: [(1, 1), (19, 7), (64, 64), (321, 123), (1200, 30)], [8, 10, 12])
  func auxiliarySamplesSurvive(_ size: (Int, Int), _ bits: Int) throws {
    var draft = HEICDraft()
    let lossless = HEICDraft.PictureOptions(quality: .lossless)
    try draft.setPrimary(Self.picture(64, 64, seed: 3))
    let deep = Self.gray(size.0, size.1, upTo: UInt16(1 << bits - 1), seed: 4)
    let id =
      bits == 8
      ? try draft.addAuxiliary(HEVCSource(Image(gray: deep.map { UInt8($0) })), urn: "urn:x", lossless)
      : try draft.addAuxiliary(HEVCSource(deep, bitDepth: bits), urn: "urn:x", lossless)
    try draft.setXMP(Array("<x/>".utf8), of: id)
    let file = try HEICFile(draft.encoded())
    let found = try #require(file.auxiliaries.first)
    #expect(found.urn == "urn:x" && found.targets == [file.primary.id])
    #expect(try found.item.bitDepth() == bits)
    let picture = try file.decode(found.item)
    #expect(picture.isMonochrome && picture.bitDepth == bits)
    #expect(picture.luma() == deep)
    #expect(try file.xmp(of: found.item) == Array("<x/>".utf8))
  }

  /// Peak signal-to-noise ratio of luma; the bounds are the results of libx265 3.5 (49.2, 45.8, 42.2) minus a decibel.
  @Test(arguments: [(12.0, 48.2), (16, 44.8), (24, 41.2)])
  func qualityIsAsAskedFor(_ factor: Double, _ least: Double) throws {
    let image = Self.picture(1100, 700, seed: 5)
    var draft = HEICDraft()
    try draft.setPrimary(image, HEICDraft.PictureOptions(quality: HEICQuality(rateFactor: factor)))
    let file = try HEICFile(draft.encoded())
    #expect(file.primary.type == "grid")
    let back = try file.decode(file.primary).image()
    let differences = zip(image.plane(0).samples, back.plane(0).samples).map { Double($0) - Double($1) }
    let mean = differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)
    #expect(10 * log10(255 * 255 / mean) > least)
  }

  @Test func takesNoSecondSizeFromParameters() throws {
    var sets: [ArraySlice<UInt8>] = []
    for side in [64, 512] {
      let source = HEVCSource(Self.picture(side, side, seed: 1))
      let record = try HEVCEncoder(like: source, width: side, height: side, .standard).configuration
      #expect(try HEVCConfiguration(record).width == side)
      #expect(try HEVCConfiguration(record).chromaFormat == 1)
      var reader = ByteReader(record)
      try reader.skip(23)
      for _ in 0..<3 {
        try reader.skip(1)
        for _ in 0..<(try reader.uint16()) { sets.append(try reader.data(try reader.uint16())[...]) }
      }
    }
    #expect(sets.count == 6)
    let one = try HEVCConfiguration.record(parameterSets: Array(sets[..<3]), chromaFormat: 1, bitDepth: 8)
    #expect(try HEVCConfiguration(one).width == 64)
    let both = try HEVCConfiguration.record(parameterSets: sets, chromaFormat: 1, bitDepth: 8)
    #expect(throws: BackdropError.self) { try HEVCConfiguration(both) }
  }

  @Test func metadataIsReplacedAndRemoved() throws {
    var draft = HEICDraft()
    try draft.setPrimary(Self.picture(32, 32, seed: 6))
    try draft.setEXIF(Array("MM**1".utf8))
    try draft.setXMP(Array("one".utf8), of: draft.primary)
    try draft.setEXIF(Array("MM**2".utf8))
    try draft.setXMP(Array("two".utf8), of: draft.primary)
    var file = try HEICFile(draft.encoded())
    #expect(try file.exif() == Array("MM**2".utf8))
    #expect(try file.xmp(of: file.primary) == Array("two".utf8))
    var again = try HEICDraft(copying: file)
    try again.setEXIF(nil)
    try again.setXMP(nil, of: again.primary)
    file = try HEICFile(again.encoded())
    #expect(try file.exif() == nil)
    #expect(try file.xmp(of: file.primary) == nil)
    #expect(file.items.count == 1)
  }

  @Test func saysWhatMakesNoSense() throws {
    var draft = HEICDraft()
    let plane = Plane<UInt8>(repeating: 0, width: 16, height: 16)
    #expect(throws: BackdropError.self) { try draft.addAuxiliary(HEVCSource(Image(gray: plane)), urn: "urn:x") }
    #expect(throws: BackdropError.self) {
      try draft.setPrimary(
        Image(gray: plane), HEICDraft.PictureOptions(quality: HEICQuality(rateFactor: 52)))
    }
    try draft.setPrimary(Image(gray: plane))
    let file = try HEICFile(draft.encoded())
    #expect(try file.decode(file.primary).image().format == .gray8)
  }

  @Test(.enabled(if: HEICTool.hasPillow, "needs pillow-heif: make setup-test"))
  func pillowReadsTheSame() throws {
    let folder = TemporaryFolder()
    for orientation in Orientation.allCases {
      var draft = HEICDraft()
      let options = HEICDraft.PictureOptions(quality: .lossless, orientation: orientation)
      // Grey, because colour conversion does not change it.
      var image = Image(gray: Self.gray(533, 301, upTo: UInt8.max, seed: 7))
      try draft.setPrimary(image, options)
      let depth: Plane<UInt8> = Self.gray(96, 54, upTo: UInt8.max, seed: 8)
      let matte: Plane<UInt8> = Self.gray(267, 151, upTo: UInt8.max, seed: 9)
      let range = DepthRepresentation(least: 0.5, greatest: 3.25, type: 1)
      try draft.addAuxiliary(
        HEVCSource(Image(gray: depth)), urn: AuxiliaryKind.depthURN, subtype: range.subtype, options)
      try draft.addAuxiliary(HEVCSource(Image(gray: matte)), urn: MatteKind.portrait.urn, options)
      try draft.setEXIF(Array("MM\u{0}*\u{0}\u{0}\u{0}\u{8}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}".utf8))
      try draft.setXMP(Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8), of: draft.primary)
      let path = folder.file("o\(orientation.rawValue).heic")
      let bytes = try draft.encoded()
      try Data(bytes).write(to: URL(fileURLWithPath: path))

      image.orientation = orientation
      let turned = image.upright()
      func sum(_ plane: Plane<UInt8>) -> Int {
        HEICPicture(
          .bytes(Image(gray: plane.oriented(orientation))), size: (1, 1), bitDepth: 8, isMonochrome: true, color: .jpeg
        ).adlerSums[0]
      }
      let samples = turned.plane().samples.reduce(0) { $0 + Int($1) }
      let mean = Double(samples) / Double(turned.width * turned.height)
      let swaps = orientation.swapsSides
      let lines = try HEICTool.pillow(path)
      #expect(lines[0] == "size \(turned.width) \(turned.height) L")
      #expect(lines[1] == "exif 20 xmp 37 icc 0")
      #expect(lines[2] == "depth \(swaps ? "54 96" : "96 54") \(sum(depth)) 0.5 3.25")
      #expect(lines[3] == "aux \(MatteKind.portrait.urn) \(swaps ? "151 267" : "267 151") \(sum(matte))")
      #expect(lines[4] == "mean \((mean * 100).rounded() / 100)")
    }
  }

  @Test(.enabled(if: HEICTool.hasExifTool, "needs exiftool")) func exifToolReadsTheSame() throws {
    let folder = TemporaryFolder()
    var draft = HEICDraft()
    try draft.setPrimary(
      Self.picture(1100, 700, seed: 10), HEICDraft.PictureOptions(quality: .standard, orientation: .right))
    try draft.addAuxiliary(
      HEVCSource(Image(gray: Self.gray(100, 70, upTo: UInt8.max, seed: 11))), urn: AuxiliaryKind.depthURN,
      HEICDraft.PictureOptions(quality: .lossless))
    var metadata = PhotoMetadata()
    metadata.setEXIFOrientation(.right)
    try draft.setEXIF(metadata.exif)
    let path = try folder.write(draft.encoded(), "a.heic")
    let text = try OutsideTool.text(
      "exiftool",
      [
        "-s3", "-n", "-ImageWidth", "-ImageHeight", "-QuickTime:Rotation", "-Orientation", "-AuxiliaryImageType",
        "-Warning", path,
      ])
    // Degrees in old versions of ExifTool, quarter turns as stored in new ones.
    #expect(
      ["270", "3"].contains { turn in
        text.split(whereSeparator: \.isNewline) == ["1100", "700", Substring(turn), "6", "urn:mpeg:hevc:2015:auxid:2"]
      }, "\(text)")
  }
}
