@testable import BackdropDepth
@testable import BackdropImaging
@testable import BackdropPhotos

extension FuzzTarget {
  /// HEIC files, with and without decoding their pictures.
  static let heic = [
    FuzzTarget("photo-heic", maximumLength: 1 << 14, words: boxes, seeds: heicSeeds) {
      try readHEIC($0, decodes: false)
    },
    FuzzTarget("heic-pictures", maximumLength: 1 << 14, words: boxes, seeds: heicSeeds) {
      try readHEIC($0, decodes: true)
    },
  ]

  private static let boxes = [
    "ftyp", "heic", "mif1", "meta", "hdlr", "pict", "pitm", "iinf", "infe", "iloc", "iref", "iprp", "ipco", "ipma",
    "ispe", "hvcC", "colr", "prof", "nclx", "auxC", "pixi", "irot", "imir", "clap", "grid", "iden", "iovl", "dimg",
    "auxl", "cdsc", "thmb", "idat", "mdat", "mime", "Exif", "hvc1", "tmap",
    "grpl", "ster", "altr", "cmin", "cmex", "moov", "trak", "mdia", "minf", "stbl", "stsz", "\\x00\\x00\\x00\\x01",
    "\\xFF\\xFF\\xFF\\xFF",
    "urn:mpeg:hevc:2015:auxid:2", "urn:com:apple:photo:2018:aux:portraiteffectsmatte", "application/rdf+xml",
  ]

  /// HEIC files in every form of their boxes, and with encoded pictures if there is an encoder.
  private static let heicSeeds: @Sendable () throws -> [[UInt8]] = {
    var seeds: [[UInt8]] = []
    for version in 0...2 {
      var made = MadeHEIC()
      (made.ilocVersion, made.ipmaVersion, made.hasWideIndices) = (version, version / 2, version == 1)
      (made.infeVersion, made.baseSize, made.indexSize) = (version == 2 ? 3 : 2, 4, version > 0 ? 4 : 0)
      made.irefVersion = version / 2
      made.hasLargeBoxes = version == 2
      made.properties = [
        .size(width: 32, height: 16), .auxiliaryType("urn:x"), .icc([1, 2, 3]), .bits([8, 8, 8]),
        HEICProperty(.rotation(quarters: 1)),
        HEICProperty(.cleanAperture(.init(width: .init(8), height: .init(8), offsetX: .init(0), offsetY: .init(0)))),
      ]
      made.items = [
        MadeHEIC.Item(id: 1, type: "grid", pieces: [[0, 0, 0, 1, 0, 32, 0, 16]], properties: [(1, true), (5, true)]),
        MadeHEIC.Item(
          id: 2, type: "hvc1", method: version > 0 ? 1 : 0, pieces: [[1], [2, 3]], properties: [(1, true)]),
        MadeHEIC.Item(id: 3, type: "iden", pieces: [], properties: [(1, true), (2, true), (6, true)]),
        MadeHEIC.Item(id: 4, contentType: "application/rdf+xml", pieces: [Array("<x/>".utf8)]),
        MadeHEIC.Item(id: 5, type: "Exif", pieces: [[0, 0, 0, 0, 77, 77, 0, 42]]),
      ]
      if version > 0 {
        made.items.append(MadeHEIC.Item(id: 6, method: 2, extents: [(1, 0, 2), (2, 1, 2)]))
        made.references.append(ItemReference("iloc", from: 6, to: [2, 1]))
      }
      made.references += [
        ItemReference("dimg", from: 1, to: [2, 2]), ItemReference("dimg", from: 3, to: [1]),
        ItemReference("auxl", from: 3, to: [1, 2]), ItemReference("cdsc", from: 4, to: [3, 1]),
        ItemReference("cdsc", from: 5, to: [1]), ItemReference("thmb", from: 2, to: [1]),
      ]
      seeds.append(made.bytes())
    }
    attempt {
      var whole = DepthPhoto(picture: DecodedPicture(color(24, 16)), orientation: .rightMirrored)
      for image in try photo().auxiliaries.prefix(2) { whole.set(image) }
      seeds.append(try whole.heic())
      var draft = HEICDraft()
      try draft.setPrimary(color(1026, 20))
      try draft.addAuxiliary(
        HEVCSource(Plane<UInt16>(width: 33, height: 17) { x, y in UInt16(x * 31 + y) }, bitDepth: 10),
        urn: AuxiliaryKind.depthURN, subtype: DepthRepresentation(least: 1, greatest: 2, type: 1).subtype)
      seeds.append(try draft.encoded())
      // A sequence of three pictures beside the main one.
      var movie = ByteWriter()
      movie.box("moov") { (writer: inout ByteWriter) in
        writer.box("trak") { (writer: inout ByteWriter) in
          writer.box("mdia") { (writer: inout ByteWriter) in
            writer.fullBox("hdlr") { (writer: inout ByteWriter) in writer.data([0, 0, 0, 0] + FourCC("pict").bytes) }
            writer.box("minf") { (writer: inout ByteWriter) in
              writer.box("stbl") { (writer: inout ByteWriter) in
                writer.fullBox("stsz") { (writer: inout ByteWriter) in writer.data([0, 0, 0, 9, 0, 0, 0, 3]) }
              }
            }
          }
        }
      }
      seeds.append(try draft.encoded() + movie.bytes)
    }
    return seeds
  }

  private static func readHEIC(_ bytes: [UInt8], decodes: Bool) throws {
    var bounds = HEICLimits.standard
    (bounds.picture, bounds.metadata) = (limits, 1 << 20)
    let file = try HEICFile(bytes, limits: bounds)
    for item in file.items.prefix(20) {
      attempt { _ = try file.data(of: item, limit: 1 << 20) }
      attempt { _ = try file.xmp(of: item) }
      if decodes { attempt { _ = try file.decode(item, threads: 1) } }
    }
    attempt { _ = try file.exif() }
    attempt {
      let photo = try DepthPhoto(file)
      _ = (photo.metadata.shot, photo.mattes)
      guard decodes else { return }
      attempt { _ = try photo.depth() }
      for kind in photo.mattes { attempt { _ = try photo.matte(kind) } }
      attempt { _ = try DepthPhoto(HEICFile(photo.heic(), limits: bounds)) }
    }
    attempt {
      var draft = try HEICDraft(copying: file)
      draft.turn(from: .up, to: .right)
      for auxiliary in file.auxiliaries.prefix(3) { draft.remove(auxiliary.item.id) }
      _ = try HEICFile(draft.encoded(), limits: bounds)
    }
  }
}
