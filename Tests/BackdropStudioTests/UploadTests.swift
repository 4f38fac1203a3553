import BackdropCodecs
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

/// The orientation and transparency of uploaded pictures.
@Suite struct UploadTests {
  private struct Info: Decodable { var id: Int, width: Int, height: Int }

  /// 120 × 80 as stored, with a red left half and a blue right half; upright it is 80 × 120 with red above.
  private func turned(_ kind: PictureFormat) throws -> [UInt8] {
    let image = Image.drawn(.rgb8, 120, 80, color: .jpeg) { x, _ in x < 60 ? [220, 0, 0] : [0, 0, 220] }
    var photo = DepthPhoto(picture: DecodedPicture(image))
    photo.orientation = .right
    guard kind == .png else { return try photo.jpeg() }
    // Backdrop writes pictures upright, so exiftool adds the orientation.
    let folder = TestSupport.TemporaryFolder()
    try Picture.save(image, to: OutputFile(folder.file("t.png"), overwrite: false))
    try OutsideTool.run("exiftool", ["-q", "-overwrite_original", "-n", "-Orientation=6", folder.file("t.png")])
    return try InputFile.read(folder.file("t.png"))
  }

  private static let hasExifTool = OutsideTool.isPresent("exiftool")

  @Test(.enabled(if: hasExifTool, "needs exiftool"), arguments: [PictureFormat.jpeg, .png])
  func photosAndBackgroundsAreUpright(kind: PictureFormat) async throws {
    let harness = try await StudioHarness.start()
    let bytes = try turned(kind)
    let reply = try await harness.request("POST", "/api/photos?name=t.\(kind.name)", body: bytes)
    let info = try JSONDecoder().decode(Info.self, from: Data(reply.body))
    #expect(info.width == 80 && info.height == 120, "\(reply.text)")
    let view = try await harness.request("GET", "/api/photos/\(info.id)/view.jpg?view=picture&size=fine")
    expectRedAboveBlue(try JPEG.decode(view.body, as: .rgb8))
    // A background for the photo workspace, then one for the live workspace.
    let own = try await harness.request("POST", "/api/photos/backgrounds?name=t", body: bytes)
    #expect(own.status == 200, "\(own.text)")
    expectRedAboveBlue(
      try JPEG.decode(try await harness.request("GET", "/api/photos/backgrounds/own:1/small.jpg").body, as: .rgb8))
    let dropped = try await harness.request("POST", "/api/backgrounds?name=t.\(kind.name)", body: bytes)
    #expect(dropped.status == 200, "\(dropped.text)")
    expectRedAboveBlue(
      try JPEG.decode(try await harness.request("GET", "/api/backgrounds/5/small.jpg").body, as: .rgb8))
    try await harness.stop()
  }

  private func expectRedAboveBlue(_ image: Image, sourceLocation: SourceLocation = #_sourceLocation) {
    let (middle, first, last) = (image.width / 2, image.row(image.height / 6), image.row(image.height * 5 / 6))
    #expect(first[3 * middle] > 180 && first[3 * middle + 2] < 60, sourceLocation: sourceLocation)
    #expect(last[3 * middle] < 60 && last[3 * middle + 2] > 180, sourceLocation: sourceLocation)
  }

  /// Clear pixels of a user's background become black, so no page can see their colours.
  @Test func clearBackgroundsAreBlack() async throws {
    let harness = try await StudioHarness.start()
    var image = Image.drawn(.rgba8, 64, 48, color: .jpeg) { x, _ in [250, 200, 0, x < 32 ? 255 : 0] }
    image.alpha = .straight
    let bytes = try PNG.encode(image)
    for (post, get) in [
      ("/api/photos/backgrounds?name=c.png", "/api/photos/backgrounds/own:1/small.jpg"),
      ("/api/backgrounds?name=c.png", "/api/backgrounds/5/small.jpg"),
    ] {
      let sent = try await harness.request("POST", post, body: bytes)
      #expect(sent.status == 200, "\(sent.text)")
      let small = try JPEG.decode(try await harness.request("GET", get).body, as: .rgb8)
      let row = small.row(small.height / 2)
      #expect(row[3 * 20] > 220 && row[3 * (small.width - 20)] < 20, "\(get)")
    }
    try await harness.stop()
  }
}
