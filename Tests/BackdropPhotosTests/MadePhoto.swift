import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport

@testable import BackdropPhotos

/// Small generated photos with known values.
enum MadePhoto {
  static let calibration = CameraCalibration(
    intrinsics: Intrinsics(fx: 50.5, fy: 51.25, cx: 31.5, cy: 24.75, width: 64, height: 48),
    extrinsics: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, -2, 3], pixelSizeMillimetres: 0.001,
    distortionCenter: CameraCalibration.Point(x: 32.5, y: 23.5), distortion: [0, 0.25, -0.5, 1e-7],
    inverseDistortion: [0, -0.25, 0.5, -1e-7])

  /// A picture with soft colours.
  static func picture(_ width: Int = 64, _ height: Int = 48) -> Image {
    Image.drawn(.rgb8, width, height, color: .jpeg) { x, y in
      let (red, green) = (x * 255 / width, y * 255 / height)
      let blue = (x + y) * 255 / (width + height)
      return [red, green, blue]
    }
  }

  /// A grey ramp with a step in it.
  static func gray(_ width: Int, _ height: Int, step: Int = 40) -> Image {
    let plane = Plane<UInt8>(width: width, height: height) { x, y in
      let ramp = x * 180 / width + y * 30 / height
      return UInt8(min(255, x > width / 2 ? ramp + step : ramp))
    }
    return Image(gray: plane)
  }

  static func jpegPicture(_ width: Int = 64, _ height: Int = 48) throws -> JPEGPicture {
    try JPEGPicture(JPEG.encode(picture(width, height), quality: 90))
  }

  static func depth(_ width: Int = 32, _ height: Int = 24) throws -> PhotoDepth {
    var properties = DepthProperties(
      .disparity, .uint8, first: 0.5, last: 2.25, accuracy: .relative, calibration: calibration)
    properties.isFiltered = true
    properties.quality = .high
    properties.nativeSample = .float16
    properties.version = 65_538
    return try PhotoDepth(samples: gray(width, height), properties: properties)
  }

  /// A photo with depth, portrait and skin mattes and a gain map.
  static func photo() throws -> DepthPhoto {
    var photo = DepthPhoto(picture: try jpegPicture())
    photo.set(try depth().auxiliary)
    photo.set(AuxiliaryImage(.matte(.portrait), DecodedPicture(gray(32, 24, step: 70))))
    photo.set(AuxiliaryImage(.matte(.skin), DecodedPicture(gray(16, 12, step: 60))))
    photo.set(AuxiliaryImage(.gainMap, DecodedPicture(gray(32, 24, step: 10))))
    return photo
  }

  /// A JPEG file with segments after its start marker.
  static func jpeg(_ segments: [[UInt8]], behind: [UInt8] = []) throws -> [UInt8] {
    let bytes = try jpegPicture().bytes
    return segments.reduce(Array(bytes[..<2]), +) + Array(bytes[2...]) + behind
  }

  /// XMP with a description that has the given attributes and elements.
  static func packet(_ attributes: String = "", _ elements: String = "") -> [UInt8] {
    Array(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/"
        xmlns:GImage="http://ns.google.com/photos/1.0/image/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/"
        xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" xmlns:depthData="http://ns.apple.com/depthData/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" \(attributes)>\(elements)</rdf:Description>
      </rdf:RDF></x:xmpmeta>
      <?xpacket end="w"?>
      """.utf8)
  }

  /// The segments of XMP with an extension that is split into pieces.
  static func extended(
    _ attributes: String, _ rest: [UInt8], identifier: String = String(repeating: "A", count: 32), piece: Int = 20_000,
    length: Int? = nil, change: (inout [(offset: Int, bytes: [UInt8])]) -> Void = { _ in }
  ) throws -> [[UInt8]] {
    var pieces = stride(from: 0, to: rest.count, by: piece).map {
      (offset: $0, bytes: Array(rest[$0..<min($0 + piece, rest.count)]))
    }
    change(&pieces)
    let standard = try JPEGAssembly.xmpSegment(packet(attributes + " xmpNote:HasExtendedXMP=\"\(identifier)\""))
    return try [standard]
      + pieces.map { piece in
        var writer = ByteWriter()
        writer.data(JPEGStructure.Segment.extendedXMPMark)
        writer.data(identifier.utf8)
        writer.uint32(length ?? rest.count)
        writer.uint32(piece.offset)
        writer.data(piece.bytes)
        return try JPEGAssembly.segment(0xE1, writer.bytes)
      }
  }

  /// A file like those of Lens Blur.
  static func gDepth(
    _ image: Image, format: String = "RangeInverse", near: String = "0.5", far: String = "8", units: String? = "m",
    confidence: Image? = nil, original: [UInt8]? = nil
  ) throws -> [UInt8] {
    var data = "GDepth:Data=\"\(base64(try PNG.encode(image)))\""
    if let confidence { data += " GDepth:Confidence=\"\(base64(try PNG.encode(confidence)))\"" }
    if let original { data += " GImage:Data=\"\(base64(original))\"" }
    let fields =
      "GDepth:Format=\"\(format)\" GDepth:Near=\"\(near)\" GDepth:Far=\"\(far)\" GDepth:Mime=\"image/png\""
      + (units.map { " GDepth:Units=\"\($0)\"" } ?? "")
    return try jpeg(extended(fields, packet(data), piece: 500))
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// A grey 16-bit image.
func gray16(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt16) -> Image {
  var image = Image(.gray16, width: width, height: height)
  for y in 0..<height {
    var row = image.mutableRow(y)
    for x in 0..<width {
      withUnsafeBytes(of: value(x, y)) { (row[2 * x], row[2 * x + 1]) = ($0[0], $0[1]) }
    }
  }
  return image
}
