import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Photos with a damaged part: reading returns the rest, and requesting the part reports the error.
@Suite struct FaultTests {
  /// The offsets of a photo's images, the picture first.
  static func offsets(_ bytes: [UInt8]) throws -> [Int] {
    let structure = try JPEGStructure(bytes)
    let payload = try #require(structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: bytes).first)
    return try MPFIndex(bytes, in: payload).entries.map(\.range.lowerBound)
  }

  /// Images of `MadePhoto.photo()` in their order.
  static let kinds: [AuxiliaryKind] = [.depth, .matte(.portrait), .matte(.skin), .gainMap]

  @Test(arguments: 1...4) func oneDamagedImageCostsItself(number: Int) throws {
    var bytes = try MadePhoto.photo().jpeg()
    bytes[try Self.offsets(bytes)[number]] = 0
    let photo = try DepthPhoto.read(bytes)
    #expect(photo.faults.map(\.message) == ["this is not a JPEG picture"])
    #expect(photo.auxiliaries.map(\.kind) == Self.kinds.indices.filter { $0 != number - 1 }.map { Self.kinds[$0] })
    _ = try photo.image()
    for (index, kind) in Self.kinds.enumerated() {
      func take() throws { if kind == .depth { _ = try photo.depth() } else { _ = try photo.samples(of: kind) } }
      if index == number - 1 { #expect(throws: BackdropError.self) { try take() } } else { try take() }
    }
    // Only intact parts are written.
    let again = try DepthPhoto.read(photo.jpeg())
    #expect(again.faults.isEmpty && again.auxiliaries.map(\.kind) == photo.auxiliaries.map(\.kind))
  }

  /// A file truncated in its last image, and one with a damaged index, still show their picture.
  @Test func theRestIsThere() throws {
    let bytes = try MadePhoto.photo().jpeg()
    let last = try #require(try Self.offsets(bytes).last)
    let cut = try DepthPhoto.read(Array(bytes[..<(last + 100)]))
    #expect(cut.faults.count == 1 && cut.auxiliaries.map(\.kind) == Array(Self.kinds.dropLast()))
    #expect(try cut.depth() != nil)
    let structure = try JPEGStructure(bytes)
    let payload = try #require(structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: bytes).first)
    let blind = try DepthPhoto.read(BadPhotoTests.patched(bytes, at: payload.lowerBound, 0))
    #expect(blind.faults.count == 1 && blind.auxiliaries.isEmpty)
    #expect(throws: BackdropError.self) { try blind.depth() }
    _ = try blind.image()
  }

  // MARK: - Along rays

  /// A flat wall that faces the camera: its distance is 2 m along the axis everywhere, and increases towards the corners along rays.
  static func wall(_ measure: String, format: DepthProperties.Quantity) throws -> [UInt8] {
    let camera = Intrinsics(fx: 40, fy: 44, cx: 31, cy: 25, width: 64, height: 48)
    let half = camera.scaled(toWidth: 32, height: 24)
    func length(_ x: Int, _ y: Int) -> Double {
      let (dx, dy) = ((Double(x) - half.cx) / half.fx, (Double(y) - half.cy) / half.fy)
      return (1 + dx * dx + dy * dy).squareRoot()
    }
    var properties = DepthProperties(
      format, .uint16, first: format == .depth ? 1 : 1.0 / 8, last: format == .depth ? 8 : 1, accuracy: .absolute,
      calibration: CameraCalibration(intrinsics: camera))
    properties.accuracy = .absolute
    let samples = gray16(32, 24) { x, y in
      let metres = 2 * (measure == "OpticRay" ? length(x, y) : 1)
      let part = format == .depth ? (metres - 1) / 7 : (1 / metres - 1.0 / 8) / (1 - 1.0 / 8)
      return UInt16((part * 65_535).rounded())
    }
    var photo = DepthPhoto(picture: try MadePhoto.jpegPicture())
    photo.set(AuxiliaryImage(.depth, DecodedPicture(samples), depth: properties))
    let bytes = try photo.jpeg(PhotoFileOptions(form: .dynamicDepth))
    guard measure == "OpticRay" else { return bytes }
    // The new value keeps the packet's length.
    let old = Array("<DepthMap:MeasureType>OpticalAxis<".utf8)
    let new = Array("<DepthMap:MeasureType>OpticRay   <".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
    return Array(bytes[..<start]) + new + Array(bytes[(start + old.count)...])
  }

  @Test(arguments: ["OpticalAxis", "OpticRay"], DepthProperties.Quantity.allCases)
  func distancesAreAlongTheAxis(measure: String, format: DepthProperties.Quantity) throws {
    let photo = try DepthPhoto.read(Self.wall(measure, format: format))
    let forms = try [
      photo, DepthPhoto.read(photo.jpeg(PhotoFileOptions(form: .dynamicDepth))), DepthPhoto.read(photo.jpeg()),
    ]
    for (index, form) in forms.enumerated() {
      let depth = try #require(try form.depth())
      #expect(depth.isAlongAxis)
      // Apple's form has 8 bits for a range that becomes small.
      let tolerance = index == 2 ? 0.05 : 0.002
      let metres = depth.depth.metres.samples
      #expect(
        metres.allSatisfy { abs($0 - 2) < Float(tolerance) }, "form \(index): \(metres.min() ?? 0)…\(metres.max() ?? 0)"
      )
      #expect(depth.properties.measure == (measure == "OpticRay" && index < 2 ? .opticRay : .opticalAxis))
    }
  }

  @Test(
    .enabled(if: HEICTool.canEncode, "needs libx265"), arguments: ["OpticalAxis", "OpticRay"],
    DepthProperties.Quantity.allCases)
  func distancesAreAlongTheAxisInHEIC(measure: String, format: DepthProperties.Quantity) throws {
    let photo = try DepthPhoto.read(Self.wall(measure, format: format))
    let heic = try #require(try DepthPhoto.read(photo.heic()).depth())
    #expect(heic.properties.measure == .opticalAxis)
    #expect(heic.depth.metres.samples.allSatisfy { abs($0 - 2) < 0.004 })
  }

  /// Without a camera the rays are unknown, and the photo reports it.
  @Test func raysOfNoCamera() throws {
    let fields = "GDepth:MeasureType=\"OpticRay\" GDepth:Format=\"RangeLinear\" GDepth:Near=\"1\" GDepth:Far=\"2\""
    let data = "GDepth:Data=\"\(MadePhoto.base64(try PNG.encode(MadePhoto.gray(32, 24))))\""
    let photo = try DepthPhoto.read(MadePhoto.jpeg(MadePhoto.extended(fields, MadePhoto.packet(data))))
    let depth = try #require(try photo.depth())
    #expect(depth.properties.measure == .opticRay && !depth.isAlongAxis)
    #expect(depth.depth.metres[0, 0] == 1)
  }

  // MARK: - Confidence

  /// Reading omits and reports confidence that is empty, truncated or not a picture; the depth remains.
  @Test(arguments: ["", "!!!!", "AAAA", "cut"]) func badConfidence(text: String) throws {
    let png = try PNG.encode(MadePhoto.gray(32, 24))
    let confidence = text == "cut" ? MadePhoto.base64(Array(png.prefix(png.count - 24))) : text
    let fields =
      "GDepth:Format=\"RangeInverse\" GDepth:Near=\"0.5\" GDepth:Far=\"8\" GDepth:Mime=\"image/png\" GDepth:Units=\"m\""
    let data = "GDepth:Data=\"\(MadePhoto.base64(png))\" GDepth:Confidence=\"\(confidence)\""
    let photo = try DepthPhoto.read(MadePhoto.jpeg(MadePhoto.extended(fields, MadePhoto.packet(data), piece: 500)))
    let depth = try #require(try photo.depth())
    let faults = photo.faults + [depth.confidenceFault].compactMap { $0 }
    #expect(
      faults.count == 1 && faults[0].message.hasPrefix("Backdrop leaves out the depth's confidence: "), "\(faults)")
    let whole = try #require(try DepthPhoto.read(MadePhoto.gDepth(MadePhoto.gray(32, 24))).depth())
    #expect(depth.confidence == nil && depth.depth.metres == whole.depth.metres)
  }

  @Test(.enabled(if: HEICTool.canEncode, "needs libx265"), arguments: [Orientation.up, .right])
  func confidenceGoesThroughHEIC(orientation: Orientation) throws {
    let sure = MadePhoto.gray(32, 24, step: 60)
    var photo = try DepthPhoto.read(MadePhoto.gDepth(MadePhoto.gray(32, 24), confidence: sure))
    photo.orientation = orientation
    let before = try #require(try photo.depth()?.confidence)
    let heic = try DepthPhoto.read(photo.heic())
    #expect(heic.auxiliaries.map(\.kind) == [.depth])
    #expect(try heic.depth()?.confidence == before)
    // Another copy keeps the confidence; removing the depth removes it.
    var copy = try DepthPhoto.read(heic.heic())
    #expect(try copy.depth()?.confidence == before)
    let google = try DepthPhoto.read(copy.jpeg(PhotoFileOptions(form: .dynamicDepth)))
    #expect(try google.depth()?.confidence == before)
    copy.set(try MadePhoto.depth().auxiliary)
    let other = try DepthPhoto.read(copy.heic())
    #expect(try other.depth()?.confidence == nil)
    #expect(other.auxiliaries.map(\.kind) == [.depth])
  }
}
