import Foundation

@testable import BackdropCodecs
@testable import BackdropDepth
@testable import BackdropImaging
@testable import BackdropPhotos

extension FuzzTarget {
  /// Photos with depth and mattes, and their contents.
  static let photos = [
    FuzzTarget("photo-jpeg", maximumLength: 1 << 15, words: markers + names, seeds: jpegSeeds, read: readPhoto),
    FuzzTarget(
      "photo-trailers", maximumLength: 4096, words: ["SEFT", "SEFH", "DualShot_DepthMap_1", "DepthEn\\x00", "edof"],
      seeds: trailerSeeds, read: readPhoto),
    FuzzTarget("photo-stereo", maximumLength: 8192, words: markers + ["_JPSJPS_"], seeds: stereoSeeds, read: readPhoto),
    FuzzTarget("xmp", maximumLength: 8192, words: names + xml, seeds: packetSeeds, read: readPacket),
    FuzzTarget("exif", maximumLength: 2048, seeds: exifSeeds, read: readEXIF),
    FuzzTarget(
      "exif-picture", maximumLength: 4096, words: notes, seeds: { try exifSeeds() + noteSeeds() }, read: readNewPicture),
    FuzzTarget(
      "image-resources", maximumLength: 2048, words: ["8BIM", "\\x04\\x0C", "\\x04\\x04"],
      seeds: { [ImageResources(iptc: [0x1C, 2, 120, 0, 1, 65]).encoded] }
    ) { bytes in
      var resources = ImageResources(bytes)
      guard resources.encoded == bytes else { throw BackdropError(.badData, "resources are cut off") }
      resources.describe(PictureReplacement())
      precondition(ImageResources(resources.encoded) == resources, "resources do not come back")
    },
    FuzzTarget("mpf", maximumLength: 1024, seeds: { [Array(MPFIndex.payload(count: 4).dropFirst(4))] }) {
      _ = try MPFIndex($0, in: $0.indices)
    },
    FuzzTarget("tiff", maximumLength: 4096, seeds: tiffSeeds) { _ = try FloatTIFF.decode($0, limits: limits) },
    FuzzTarget("photo-tiff", maximumLength: 4096, seeds: { [colorTIFF] + TIFFSeeds.files }, read: readPhoto),
    FuzzTarget("photo-bmp", maximumLength: 4096, seeds: { [colorBMP, packedBMP, maskedBMP] }, read: readPhoto),
    FuzzTarget("pfm", maximumLength: 1024, words: ["PF", "Pf", "-1.0", "1e999", "nan"], seeds: { [PFM.encode(ramp)] }) {
      _ = try PFM.decode($0, limits: limits)
    },
  ]

  private static let markers = [
    "\\xFF\\xD8\\xFF\\xE1", "\\xFF\\xE2", "\\xFF\\xC0", "\\xFF\\xDA", "\\xFF\\xD9", "MPF\\x00MM\\x00*",
    "Exif\\x00\\x00",
    "http://ns.adobe.com/xap/1.0/\\x00", "http://ns.adobe.com/xmp/extension/\\x00", "ICC_PROFILE\\x00\\x01\\x01",
  ]
  private static let names = [
    "GDepth:Near", "GDepth:Far", "GDepth:Format", "RangeInverse", "RangeLinear", "GDepth:Data=", "GImage:Data",
    "GContainer", "Container:Directory", "Item:Length", "Item:Semantic", "apdi:AuxiliaryImageType",
    "apdi:FloatMinValue", "apdi:FloatMaxValue", "apdi:IntMaxValue", "apdi:StoredFormat", "depthData:Accuracy",
    "xmpNote:HasExtendedXMP", "hdrgm:Version", "rdf:parseType=\\x22Resource\\x22",
  ]
  private static let xml = [
    "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE", "<?x?>", "&lt;", "&#x10FFFF;", "&#0;", "<rdf:Description",
    "<rdf:Seq>",
    "<rdf:li>", "</rdf:li>", "xmlns:a=\\x22b\\x22", "rdf:about=\\x22\\x22", "1e999", "-1", "nan",
  ]

  // MARK: - Seeds

  static func color(_ width: Int, _ height: Int) -> Image {
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in 0..<width {
        (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (UInt8(x * 255 / width), UInt8(y * 255 / height), 90)
      }
    }
    return image
  }

  static func gray(_ width: Int, _ height: Int) -> Image {
    var plane = Plane<UInt8>(repeating: 0, width: width, height: height)
    for y in 0..<height { for x in 0..<width { plane[x, y] = UInt8(min(255, x * 180 / width + y * 60 / height)) } }
    return Image(gray: plane)
  }

  private static var ramp: Plane<Float> {
    var plane = Plane<Float>(repeating: 0, width: 9, height: 5)
    for y in 0..<5 { for x in 0..<9 { plane[x, y] = Float(x + y) / 4 } }
    return plane
  }

  /// A photo with depth, its calibration, two mattes and a gain map.
  static func photo() throws -> DepthPhoto {
    var photo = DepthPhoto(picture: try JPEGPicture(JPEG.encode(color(24, 16), quality: 60)))
    let calibration = CameraCalibration(
      intrinsics: Intrinsics(fx: 20.5, fy: 21.25, cx: 11.5, cy: 8.75, width: 24, height: 16),
      extrinsics: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, -2, 3], pixelSizeMillimetres: 0.001,
      distortionCenter: CameraCalibration.Point(x: 12.5, y: 8.5), distortion: [0, 0.25, -0.5, 1e-7],
      inverseDistortion: [0, -0.25, 0.5, -1e-7])
    let depth = DepthProperties(.disparity, .uint8, first: 0.5, last: 2.25, calibration: calibration)
    photo.set(try PhotoDepth(samples: gray(12, 8), properties: depth).auxiliary)
    photo.set(AuxiliaryImage(.matte(.portrait), DecodedPicture(gray(12, 8))))
    photo.set(AuxiliaryImage(.matte(.hair), DecodedPicture(gray(6, 4))))
    photo.set(AuxiliaryImage(.gainMap, DecodedPicture(gray(12, 8))))
    photo.metadata.setEXIFOrientation(.right)
    return photo
  }

  private static let jpegSeeds: @Sendable () throws -> [[UInt8]] = {
    let data = Data(try PNG.encode(gray(12, 8))).base64EncodedString()
    let lensBlur = try packet(
      "GDepth:Format=\"RangeInverse\" GDepth:Near=\"0.5\" GDepth:Far=\"8\" GDepth:Mime=\"image/png\" GDepth:Units=\"m\" "
        + "GDepth:Data=\"\(data)\" GDepth:Confidence=\"\(data)\"")
    // The samples in an extension of the packet, as in larger files.
    let identifier = String(repeating: "A", count: 32)
    let rest = try packet("GDepth:Data=\"\(data)\"")
    let extended =
      try JPEGAssembly.xmpSegment(
        packet(
          "GDepth:Format=\"RangeLinear\" GDepth:Near=\"1\" GDepth:Far=\"8\" GDepth:Mime=\"image/png\" "
            + "xmpNote:HasExtendedXMP=\"\(identifier)\""))
      + JPEGAssembly.segment(
        0xE1,
        MadeArchive.joined(
          JPEGStructure.Segment.extendedXMPMark, Array(identifier.utf8),
          MadeArchive.word(rest.count, 4).reversed(), [0, 0, 0, 0], rest))
    let plain = try JPEG.encode(color(24, 16), quality: 60)
    return [
      try photo().jpeg(), try photo().jpeg(PhotoFileOptions(form: .dynamicDepth)), plain,
      Array(plain[..<2]) + (try JPEGAssembly.xmpSegment(lensBlur)) + Array(plain[2...]),
      Array(plain[..<2]) + extended + Array(plain[2...]),
    ]
  }

  /// Depth in Samsung's and Huawei's forms.
  private static let trailerSeeds: @Sendable () throws -> [[UInt8]] = {
    func little(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> (8 * $0) & 255) } }
    let plain = try JPEG.encode(color(24, 16), quality: 40)
    let map = [UInt8](repeating: 90, count: 12 * 8)
    var (blocks, directory) = ([UInt8](), [UInt8]())
    let sizes = [UInt8](repeating: 0, count: 32) + [1, 0, 255, 255] + little(12, 4) + little(8, 4)
    let parts = [(1, "DualShot_1", plain), (0xAB1, "DualShot_DepthMap_1", map), (0xAB3, "DualShot_Extra_Info", sizes)]
    let whole = parts.reduce(0) { $0 + 8 + $1.1.utf8.count + $1.2.count }
    for (type, name, data) in parts {
      let size = 8 + name.utf8.count + data.count
      directory += little(0, 2) + little(type, 2) + little(whole - blocks.count, 4) + little(size, 4)
      blocks += little(0, 2) + little(type, 2) + little(name.utf8.count, 4) + Array(name.utf8) + data
    }
    directory = Array("SEFH".utf8) + little(106, 4) + little(parts.count, 4) + directory
    let samsung = plain + blocks + directory + little(directory.count, 4) + Array("SEFT".utf8)
    var header = [UInt8](repeating: 0, count: 64)
    header[3] = 0x10
    header.replaceSubrange(12..<16, with: little(12, 2) + little(8, 2))
    let edof = little(plain.count, 4) + Array("edof".utf8) + little(0, 4) + header + map
    return [samsung, plain + plain + edof + little(64 + map.count, 4) + Array("DepthEn\0".utf8)]
  }

  /// Two pictures side by side, and two in one file.
  private static let stereoSeeds: @Sendable () throws -> [[UInt8]] = {
    let mark = try JPEGAssembly.segment(0xE3, Array("_JPSJPS_".utf8) + [0, 4, 0, 4, 2, 1, 0, 0])
    let wide = try JPEG.encode(gray(128, 64), quality: 30)
    let index = try JPEGAssembly.segment(0xE2, MPFIndex.payload(count: 2))
    let one = try JPEG.encode(gray(64, 64), quality: 30)
    var pair = Array(one[..<2]) + index + one[2...]
    let end = pair.count
    pair += one
    try MPFIndex.fill(
      &pair, payloadAt: 6, with: [(MPFIndex.disparity, 0..<end), (MPFIndex.disparity, end..<pair.count)])
    return [Array(wide[..<2]) + mark + wide[2...], pair]
  }

  private static func packet(_ attributes: String, _ elements: String = "") throws -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/"
        xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" xmlns:depthData="http://ns.apple.com/depthData/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  private static let packetSeeds: @Sendable () throws -> [[UInt8]] = {
    try [
      AuxiliaryXMP(kind: .depth, depth: try photo().depth()?.properties).packet,
      AuxiliaryXMP(kind: .matte(.hair)).packet,
      packet("apdi:AuxiliaryImageType=\"depth\"", "<dc:a><rdf:Bag><rdf:li>1</rdf:li></rdf:Bag></dc:a><![CDATA[x]]>"),
    ] + [try photo().jpeg(PhotoFileOptions(form: .dynamicDepth))].compactMap { try DepthPhoto.read($0).metadata.xmp }
  }

  private static let exifSeeds: @Sendable () throws -> [[UInt8]] = {
    var metadata = PhotoMetadata()
    metadata.setEXIFOrientation(.right)
    // Big-endian: maker, model and an inner directory with the time and the focal length.
    var bytes: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 3]
    for (tag, type, count, value) in [(271, 2, 4, 0x4142_4300), (274, 3, 1, 6 << 16), (34665, 4, 1, 50)] {
      bytes += [tag >> 8, tag & 255, 0, type, 0, 0, 0, count].map(UInt8.init)
      bytes += (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) }
    }
    bytes +=
      [0, 0, 0, 0, 0, 2] + [0x90, 3, 0, 2, 0, 0, 0, 20, 0, 0, 0, 80] + [0x92, 10, 0, 5, 0, 0, 0, 1, 0, 0, 0, 100]
    bytes += [0, 0, 0, 0] + Array("2026:01:02 03:04:05\0".utf8) + [0, 0, 0, 26, 0, 0, 0, 10]
    return [metadata.exif ?? [], bytes]
  }

  private static let notes = [
    "Apple iOS\\x00\\x00\\x01MM", "SIGMA\\x00", "SEMC MS\\x00", "STMN011\\x00",
    "Nikon\\x00\\x02\\x10\\x00\\x00II*\\x00", "OLYMPUS\\x00II", "SONY DSC \\x00",
    "QVC\\x00\\x00\\x00", "Canon", "\\x92\\x7C\\x00\\x07", "\\x7C\\x92\\x07\\x00", "\\xFF\\xD8\\xFF", "\\x87\\x69",
  ]

  /// Maker notes of several makers, with previews.
  private static let noteSeeds: @Sendable () throws -> [[UInt8]] = {
    let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0, 1]
    let heads: [[UInt8]] = [
      Array("Nikon\0\u{2}\u{10}\0\0II*\0\u{8}\0\0\0".utf8), Array("SIGMA\0\0\0\u{1}\0".utf8),
      Array("OLYMPUS\0II\u{3}\0".utf8), Array("Apple iOS\0\0\u{1}MM".utf8), Array("QVC\0\0\0".utf8), [],
    ]
    return heads.map { head in
      var writer = ByteWriter(order: head.last == 0x4D ? .big : .little)
      writer.data(head)
      writer.uint16(4)
      for (tag, type, count, value) in [
        (0x11, 4, 1, 8), (0x1A, 4, 1, head.count + 54), (0x21, 4, 1, 5), (0x100, 7, picture.count, head.count + 54),
      ] {
        writer.uint16(tag)
        writer.uint16(type)
        writer.uint32(count)
        writer.uint32(value)
      }
      writer.uint32(0)
      writer.data(picture)
      var data = EXIFData(order: .little)
      data.main[0x010F] = .init(tag: 0x010F, type: 2, value: Array("Canon\0".utf8))
      data[directory: EXIFData.Tag.exif] = EXIFDirectory(entries: [.init(tag: 0x927C, type: 7, value: writer.bytes)])
      return data.encoded
    }
  }

  private static let tiffSeeds: @Sendable () throws -> [[UInt8]] = {
    var whole: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 6]
    for (tag, type, value) in [(256, 3, 2), (257, 3, 2), (258, 3, 16), (262, 3, 1), (273, 4, 86), (278, 3, 2)] {
      whole += [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type), 0, 0, 0, 1]
      whole += type == 3 ? [0, UInt8(value), 0, 0] : [0, 0, 0, UInt8(value)]
    }
    return [try FloatTIFF.encode(ramp, description: "depth"), whole + [0, 0, 0, 0] + [3, 232, 0, 0, 7, 208, 0, 1]]
  }

  /// Colour of 8 bits, 4×3, in one strip.
  private static var colorTIFF: [UInt8] {
    var writer = ByteWriter(order: .little)
    writer.data("II".utf8)
    for (value, size) in [(42, 2), (8, 4), (9, 2)] { writer.number(UInt64(value), size: size) }
    let tags = [(256, 4), (257, 3), (258, 8), (259, 1), (262, 2), (273, 122), (277, 3), (278, 3), (279, 36)]
    for (tag, value) in tags {
      for (value, size) in [(tag, 2), (3, 2), (1, 4), (value, 4)] { writer.number(UInt64(value), size: size) }
    }
    writer.uint32(0)
    for value in 0..<36 { writer.uint8(value * 7) }
    return writer.bytes
  }

  /// Colour of 24 bits, 4×3.
  private static var colorBMP: [UInt8] {
    var writer = ByteWriter(order: .little)
    writer.data("BM".utf8)
    for value in [90, 0, 54, 40, 4, 3, 24 << 16 | 1, 0, 36, 2835, 2835, 0, 0] { writer.uint32(value) }
    for value in 0..<36 { writer.uint8(value * 7) }
    return writer.bytes
  }

  /// Runs of 8 bits, 4×2, in a palette of four.
  private static var packedBMP: [UInt8] {
    var writer = ByteWriter(order: .little)
    writer.data("BM".utf8)
    for value in [82, 0, 70, 40, 4, 2, 8 << 16 | 1, 1, 12, 2835, 2835, 4, 0] { writer.uint32(value) }
    for value in [0, 0xFF, 0xFF00, 0xFF0000] { writer.uint32(value) }
    writer.data([3, 2, 0, 0, 0, 3, 1, 2, 3, 0, 0, 1])
    return writer.bytes
  }

  /// Colour and alpha of 16 bits by masks, 4×2.
  private static var maskedBMP: [UInt8] {
    var writer = ByteWriter(order: .little)
    writer.data("BM".utf8)
    for value in [86, 0, 70, 56, 4, 2, 16 << 16 | 1, 3, 16, 2835, 2835, 0, 0] { writer.uint32(value) }
    for value in [0xF00, 0xF0, 0xF, 0xF000] { writer.uint32(value) }
    for value in 0..<16 { writer.uint8(value * 17) }
    return writer.bytes
  }

  // MARK: - Reading

  /// Reads a photo with all of its parts, and writes it in both forms.
  private static let readPhoto: @Sendable ([UInt8]) throws -> Void = { bytes in
    let photo = try DepthPhoto.read(bytes, limits: limits)
    attempt { _ = try photo.image() }
    attempt { _ = try photo.depth()?.disparity }
    for kind in photo.mattes { attempt { _ = try photo.matte(kind) } }
    for image in photo.auxiliaries.prefix(20) { attempt { _ = try image.samples() } }
    attempt { _ = try photo.original?.decoded(as: nil) }
    _ = photo.metadata.shot
    attempt { _ = try DepthPhoto.read(photo.jpeg(), limits: limits) }
    if let fault = photo.faults.first { throw fault }
  }

  private static let readPacket: @Sendable ([UInt8]) throws -> Void = { bytes in
    _ = try XMPPacket(bytes)
    attempt { _ = try AuxiliaryXMP(bytes) }
    var editor = XMPEditor(bytes)
    try editor.remove { GoogleNamespace.describesDepth($0.name) }
    try editor.add([XMPProperty(GoogleNamespace.depth, "Near", "1")])
    // An edited packet must still be valid.
    do { _ = try XMPPacket(editor.packet) } catch { preconditionFailure("an edited packet is refused: \(error)") }
  }

  /// The metadata written for another picture is valid, and contains no picture.
  private static let readNewPicture: @Sendable ([UInt8]) throws -> Void = { bytes in
    var data = try EXIFData(bytes)
    let same = try EXIFData(data.encoded)
    precondition(same.damagedParts == 0, "what is written is damaged")
    _ = data.describe(PictureReplacement(keepsGeometry: false), dropsGainMap: true)
    data.setSize(width: 12, height: 8)
    let written = try EXIFData(data.encoded)
    precondition(written.damagedParts == 0, "what is written for another picture is damaged")
    let note = written[directory: EXIFData.Tag.exif]?[EXIFData.Tag.makerNote]?.value ?? []
    precondition(!PictureSignature.isFound(in: note), "a picture is left")
  }

  private static let readEXIF: @Sendable ([UInt8]) throws -> Void = { bytes in
    var metadata = PhotoMetadata(exif: bytes)
    _ = metadata.shot
    metadata.setEXIFOrientation(.down)
    precondition(metadata.exifOrientation == .down, "the orientation is not what was set")
    _ = try TIFFReader(bytes)
  }
}
