import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropPhotos
@testable import BackdropSandbox
import Foundation
import TestSupport
import Testing

/// Decoding in a sandbox gives the same result as decoding without one, bit for bit, including errors.
@Suite struct SamePictureTests {
  /// Everything that Backdrop reads from a photo.
  private struct Facts: Equatable {
    var picture: Result<PictureFacts, BackdropError>
    var plain: Result<PictureFacts, BackdropError>
    var auxiliaries: [Result<PictureFacts, BackdropError>]
    var depth: Result<[UInt8], BackdropError>
    var metadata: PhotoMetadata
    var space: ColorSpace
    var faults: [BackdropError]
    var facts: [Int]

    init(_ bytes: [UInt8]) throws(BackdropError) {
      func result<Value>(_ body: () throws(BackdropError) -> Value) -> Result<Value, BackdropError> {
        do throws(BackdropError) { return .success(try body()) } catch { return .failure(error) }
      }
      let photo = try DepthPhoto.read(bytes)
      picture = result { () throws(BackdropError) in PictureFacts(try photo.image()) }
      plain = result { () throws(BackdropError) in PictureFacts(try photo.image(as: .rgb8, upright: false)) }
      auxiliaries = photo.auxiliaries.map { auxiliary in
        result { () throws(BackdropError) in PictureFacts(try auxiliary.samples()) }
      }
      depth = result { () throws(BackdropError) in
        try photo.depth().map { Image(gray: $0.disparity.perMetre.bits).packedBytes } ?? []
      }
      (metadata, space, faults) = (photo.metadata, photo.picture.colorSpace, photo.faults)
      facts = [
        photo.width, photo.height, photo.orientation.rawValue, photo.frameCount, photo.picture.bitsPerSample,
        photo.stereo == nil ? 0 : 1, photo.original == nil ? 0 : 1,
      ]
    }
  }

  /// Generated files of all kinds, with names.
  private static func madeFiles() throws -> [(name: String, bytes: [UInt8])] {
    var random = SeededRandom(seed: 11)
    let colors = Image.noise(.rgb8, 61, 43, &random)
    var clear = Image.noise(.rgba8, 33, 20, &random)
    clear.alpha = .straight
    let deep = Image.noise(.gray16, 20, 9, &random)
    var named = PictureMetadata(exif: nil, xmp: Array("<x xmlns='http://a/'><b c='d'>e</b></x>".utf8))
    named.texts = [PictureText(keyword: "Title", Array("hello".utf8))]
    var p3 = colors
    p3.color.space = .displayP3
    var photo = DepthPhoto(picture: DecodedPicture(colors))
    photo.set(
      try PhotoDepth(
        samples: Image(gray: Plane<UInt8>(repeating: 90, width: 16, height: 12)),
        properties: DepthProperties(.disparity, .uint8, first: 0.5, last: 2.25)
      ).auxiliary)
    photo.set(
      AuxiliaryImage(.matte(.portrait), DecodedPicture(Image(gray: Plane(repeating: 200, width: 16, height: 12)))))
    var files: [(String, [UInt8])] = [
      ("colors.png", try PNG.encode(colors, metadata: named)), ("clear.png", try PNG.encode(clear)),
      ("deep.png", try PNG.encode(deep)), ("p3.png", try PNG.encode(p3)), ("colors.jpg", try JPEG.encode(colors)),
      ("p3.jpg", try JPEG.encode(p3)),
      ("gray.jpg", try JPEG.encode(colors.converted(to: .gray8))),
      ("colors.webp", try WebP.encode(clear, metadata: named)),
      ("colors.avif", try AVIF.encode(clear, isFast: true)),
      ("gray.avif", try AVIF.encode(deep.converted(to: .gray8), isFast: true)),
      ("colors.tif", tiff(colors)), ("text.txt", Array("hello, this is no picture".utf8)),
    ]
    for fileExtension in ["jpg", "heic"] {
      let container = try DepthPhoto.container(named: "depth." + fileExtension)
      files.append(("depth." + fileExtension, try container.encode(photo, options: PhotoFileOptions())))
    }
    return files
  }

  /// A TIFF of one strip of R, G and B (TIFF 6.0, section 6).
  private static func tiff(_ image: Image) -> [UInt8] {
    let bytes = MadeArchive.word
    let (entries, pixels) = (10, image.packedBytes)
    let behind = 8 + 2 + 12 * entries + 4
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + bytes(value, 4)
    }
    var file = Array("II*\0".utf8) + bytes(8, 4) + bytes(entries, 2)
    file += entry(256, 4, 1, image.width) + entry(257, 4, 1, image.height) + entry(258, 3, 3, behind)
    file += entry(259, 3, 1, 1) + entry(262, 3, 1, 2) + entry(273, 4, 1, behind + 6) + entry(277, 3, 1, 3)
    file += entry(278, 4, 1, image.height) + entry(279, 4, 1, pixels.count) + entry(284, 3, 1, 1)
    return file + bytes(0, 4) + bytes(8, 2) + bytes(8, 2) + bytes(8, 2) + pixels
  }

  private func expectSame(_ name: String, _ bytes: [UInt8], _ sandbox: DecoderSandbox) {
    let (here, there) = SandboxFixture.both(sandbox) { () throws(BackdropError) in try Facts(bytes) }
    #expect(here == there, "\(name)")
  }

  @Test func madePictures() throws {
    let sandbox = try SandboxFixture.sandbox()
    for (name, bytes) in try Self.madeFiles() { expectSame(name, bytes, sandbox) }
  }

  /// Damaged files cause the same errors in both.
  @Test(arguments: [UInt64(1), 2, 3]) func damagedPictures(seed: UInt64) throws {
    let sandbox = try SandboxFixture.sandbox()
    var random = SeededRandom(seed: seed)
    for (name, bytes) in try Self.madeFiles() {
      for _ in 0..<12 {
        expectSame("\(name), seed \(seed)", random.damaged(bytes), sandbox)
      }
    }
  }

  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test")) func realPhotos() throws {
    let sandbox = try SandboxFixture.sandbox()
    let phones = [
      "android_gdepth_table.jpg", "iphone13pro_pug_depth_gainmap.heic", "iphone14pro_rotated_mirrored_nodepth.heic",
      "iphone7plus_statue_orient6.jpg", "iphone_gainmap_only.jpeg", "iphonex_person_depth_matte.jpg",
    ].map { "photos/" + $0 }
    for name in TestData.people + TestData.present(phones) {
      expectSame(name, try InputFile.read(TestData.path(name)), sandbox)
    }
  }

  /// Chunks of recordings, whose libraries the process opens before it enters the sandbox; the last one has another length.
  @Test func chunks() throws {
    let sandbox = try SandboxFixture.sandbox()
    let bytes = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let stored =
      [4, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82] + MadeArchive.word(bytes.count | 1 << 31, 4) + bytes + [0, 0, 0, 0]
    let packed = [UInt8](try OutsideTool.run("bzip2", ["-c"], input: Data(bytes)))
    let frame =
      [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + MadeArchive.word(bytes.count, 4) + MadeArchive.word(bytes.count << 3 | 1, 3)
      + bytes
    for (packing, packed, count) in [
      (.lz4, stored, 60_000), (.bz2, packed, 60_000), (.zstd, frame, 60_000), (.bz2, packed, 59_999),
    ]
      as [(ChunkUnpacking.Packing, [UInt8], Int)]
    {
      let (here, there) = SandboxFixture.both(sandbox) { () throws(BackdropError) in
        try ChunkUnpacking(packing, count: count).result(packed.span)
      }
      #expect(here == there && (try? here.get()) == (count == bytes.count ? bytes : nil), "\(packing)")
    }
  }

  /// A reserve decodes each picture in a new copy of a waiting process, and the pictures outlive these processes.
  @Test func reserve() throws {
    var random = SeededRandom(seed: 5)
    let image = Image.noise(.rgb8, 50, 40, &random)
    let png = try PNG.encode(image)
    let reserve = try DecoderReserve(SandboxFixture.options())
    var pictures: [Image] = []
    for _ in 0..<6 {
      let sandbox = reserve.sandbox()
      pictures.append(try sandbox.run { () throws(BackdropError) in try PNG.decode(png) })
    }
    let plain = PictureFacts(try PNG.decode(png))
    #expect(pictures.allSatisfy { PictureFacts($0) == plain })
    // Files for each decoding library.
    let sandbox = reserve.sandbox()
    for (name, bytes) in try Self.madeFiles() { expectSame(name, bytes, sandbox) }
  }

  /// The sandbox reuses memory, but not that of a picture that is still in use.
  @Test func picturesKeepTheirMemory() throws {
    let sandbox = try SandboxFixture.sandbox()
    var random = SeededRandom(seed: 6)
    var kept: [(PictureFacts, Image)] = []
    for round in 0..<12 {
      let image = Image.noise(.rgb8, 300 + 40 * round, 400, &random)
      let png = try PNG.encode(image)
      let read = try sandbox.run { () throws(BackdropError) in try PNG.decode(png) }
      let plain = PictureFacts(try PNG.decode(png))
      #expect(PictureFacts(read) == plain)
      if round.isMultiple(of: 2) { kept.append((plain, read)) }
    }
    #expect(kept.allSatisfy { PictureFacts($0.1) == $0.0 })
  }

  /// One process decodes many pictures, until it has got half of the memory that it may have.
  @Test func anotherProcessAfterHalfOfTheMemory() throws {
    let sandbox = try SandboxFixture.sandbox()
    let first = try sandbox.process(.none)
    // Each picture is larger than the one before, so it needs memory of its own, 46 MiB and more; the half is 512 MiB.
    for side in stride(from: 4000, through: 4200, by: 20) {
      let png = try PNG.encode(Image(.rgb8, width: side, height: 4000))
      _ = try sandbox.run { () throws(BackdropError) in try PNG.decode(png) }
      if side == 4140 { #expect(try sandbox.process(.none) === first) }
    }
    #expect(try sandbox.process(.none) !== first)
  }
}

extension Plane<Float> {
  /// The samples' bytes, so that comparison includes NaN.
  fileprivate var bits: Plane<UInt8> {
    var result = Plane<UInt8>(repeating: 0, width: 4 * width, height: height)
    for y in 0..<height {
      let from = row(y)
      for x in 0..<width {
        let bits = from[x].bitPattern
        for byte in 0..<4 { result[4 * x + byte, y] = UInt8(bits >> UInt32(8 * byte) & 255) }
      }
    }
    return result
  }
}
