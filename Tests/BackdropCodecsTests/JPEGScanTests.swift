import BackdropCodecs
import BackdropImaging
import TestSupport
import Testing

/// The number of scans that a file may have.
@Suite struct JPEGScanTests {
  @Test(arguments: [(1, 1), (1, 100), (2, 40)]) func asManyAsEncodersWrite(runs: Int, scans: Int) throws {
    let image = try JPEG.decode(MadeJPEG.progressive(runs: runs, scans: scans))
    #expect(image.width == 1024 && image.height == 1024 * runs && image.format == .gray8)
    #expect(image.row(99)[99] == 128)
  }

  @Test func moreAreRefused() throws {
    let file = MadeJPEG.progressive(runs: 1, scans: 101)
    let error = try #require(refusal { try JPEG.decode(file) })
    #expect(error.kind == .overLimit && error.message == "the JPEG of 1024×1024 has more than 100 scans")
    #expect(error.hint != nil)
  }

  /// Large pictures may have fewer: 20 for 200 megapixels. A file of 63 runs has 66 megapixels, so 60 scans are
  /// allowed.
  @Test func largePicturesHaveFewer() throws {
    func check(_ scans: Int) throws -> JPEGScans {
      try MadeJPEG.progressive(runs: 63, scans: scans).withUnsafeBytes { try JPEGScans($0) }
    }
    let most = 4_000_000_000 / (1024 * 1024 * 63)
    #expect(try check(most).count == most && most == 60)
    let error = try #require(refusal { try check(most + 1) })
    #expect(error.kind == .overLimit && error.message.contains("1024×64512"))
  }

  /// Scans in thumbnails, which are in segments, do not count, nor do scans after the end.
  @Test func onlyThePicturesOwnCount() throws {
    let plain = MadeJPEG.progressive(runs: 1, scans: 3)
    let hidden = [UInt8](repeating: 0, count: 2) + (0..<300).flatMap { _ in [0xFF, 0xDA, 0, 2] as [UInt8] }
    let segment = [0xFF, 0xE1, UInt8((hidden.count + 2) >> 8), UInt8((hidden.count + 2) & 255)] + hidden
    let file = Array(plain[..<2]) + segment + Array(plain[2...]) + hidden
    let scans = try file.withUnsafeBytes { try JPEGScans($0) }
    #expect(scans.count == 3 && scans.width == 1024 && scans.height == 1024)
    #expect(try JPEG.decode(Array(file)).width == 1024)
  }

  @Test(arguments: [
    [], [0xFF], [0xFF, 0xD8], [0xFF, 0xDA], [0xFF, 0xDA, 0xFF], [0xFF, 0xC0, 0, 3, 0], [0xFF, 0xFF, 0xFF],
  ])
  func piecesOfFiles(bytes: [UInt8]) throws {
    let scans = try bytes.withUnsafeBytes { try JPEGScans($0) }
    #expect(scans.count == 0 && scans.width == 0)
  }
}
