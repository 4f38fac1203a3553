import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

@Suite struct AuxiliaryXMPTests {
  static let kinds: [AuxiliaryKind] = MatteKind.allCases.map { .matte($0) } + [.gainMap, .other("urn:x")]

  @Test(arguments: kinds) func kindsSurvivePrinting(_ kind: AuxiliaryKind) throws {
    let read = try AuxiliaryXMP(AuxiliaryXMP(kind: kind).packet)
    #expect(read == AuxiliaryXMP(kind: kind))
    #expect(AuxiliaryKind(urn: kind.urn) == kind)
  }

  @Test func depthSurvivesPrinting() throws {
    for (quantity, sample) in product(DepthProperties.Quantity.allCases, DepthProperties.Sample.allCases) {
      for accuracy in DisparityMap.Accuracy.allCases {
        var depth = DepthProperties(
          quantity, sample, accuracy: accuracy, calibration: accuracy == .absolute ? MadePhoto.calibration : nil)
        if !sample.isFloat { (depth.first, depth.last) = (-0.1, 1e-5) }
        depth.nativeSample = sample == .float32 ? .float32 : .float16
        depth.version = 65_541
        depth.isFiltered = accuracy == .absolute
        depth.quality = .low
        // Floating-point samples have no codes.
        if sample.isFloat { depth.codes = 0...0 }
        let read = try AuxiliaryXMP(AuxiliaryXMP(kind: .depth, depth: depth).packet)
        #expect(read.kind == .depth)
        #expect(read.depth == depth, "\(quantity) \(sample) \(accuracy)")
      }
    }
  }

  /// The packet labels a matte as depth; only the subtype distinguishes it.
  @Test(
    arguments: [
      ("disparity", nil, AuxiliaryKind.depth), ("depth", nil, .depth),
      ("depth", "portraiteffectsmatte", .matte(.portrait)),
      ("urn:com:apple:photo:2019:aux:semanticskinmatte", nil, .matte(.skin)),
      ("urn:com:apple:photo:2020:aux:hdrgainmap", nil, .gainMap),
      ("depth", "somethingelse", .other("somethingelse")),
      ("tag:apple.com,2023:x", nil, .other("tag:apple.com,2023:x")),
    ] as [(String, String?, AuxiliaryKind)])
  func typesAndSubtypes(_ type: String, _ subtype: String?, _ kind: AuxiliaryKind) throws {
    let more = subtype.map { " apdi:AuxiliaryImageSubType=\"\($0)\"" } ?? ""
    let read = try AuxiliaryXMP(MadePhoto.packet("apdi:AuxiliaryImageType=\"\(type)\"" + more))
    #expect(read.kind == kind)
    #expect((read.depth != nil) == (kind == .depth))
  }

  @Test(arguments: [
    "apdi:FloatMinValue=\"x\"", "apdi:FloatMinValue=\"nan\"", "apdi:FloatMaxValue=\"inf\"", "apdi:IntMinValue=\"1.5\"",
    "apdi:IntMinValue=\"9999999999999999999999\"", "apdi:IntMinValue=\"5\" apdi:IntMaxValue=\"4\"",
    "depthData:IntrinsicMatrix=\"1\"",
  ])
  func badNumbers(_ attributes: String) {
    #expect(
      refusal { _ = try AuxiliaryXMP(MadePhoto.packet("apdi:AuxiliaryImageType=\"disparity\" " + attributes)) }?.kind
        == .badData)
  }

  @Test func missingRangeIsAnErrorOnlyOfDepth() throws {
    let xmp = MadePhoto.packet("apdi:AuxiliaryImageType=\"disparity\" apdi:FloatMinValue=\"1\"")
    var photo = try MadePhoto.photo()
    photo.set(
      AuxiliaryImage(.depth, DecodedPicture(MadePhoto.gray(8, 6)), depth: try AuxiliaryXMP(xmp).depth, xmp: xmp))
    let read = try DepthPhoto.read(try photo.jpeg())
    let error = refusal { _ = try read.depth() }
    #expect(error?.kind == .badData)
    #expect(error?.message.contains("FloatMinValue") == true)
    #expect(try read.matte(.portrait) != nil)
  }
}
