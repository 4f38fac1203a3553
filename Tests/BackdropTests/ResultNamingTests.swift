import BackdropLooks
import BackdropPhotos
import Testing

@testable import Backdrop

/// The extensions of results that the user does not name.
@Suite struct ResultNamingTests {
  @Test(
    arguments: [
      ("mp4", false, "mp4"), ("MOV", false, "MOV"), ("webm", false, "webm"), ("avi", false, "mp4"), ("", false, "mp4"),
      ("gif", false, "gif"), ("mp4", true, "mov"), ("webm", true, "webm"), ("", true, "mov"), ("gif", true, "gif"),
    ])
  func aVideo(of fileExtension: String, isTransparent: Bool, becomes wanted: String) throws {
    #expect(ResultNaming(try plan(isTransparent), isMatte: false).video(fileExtension) == wanted)
    #expect(ResultNaming(try plan(isTransparent), isMatte: true).video(fileExtension) == "mkv")
    // A server answers in the usual format if it does not offer the input's.
    #expect(
      ResultNaming(try plan(isTransparent), isMatte: false, known: []).video(fileExtension)
        == (isTransparent ? "mov" : "mp4"))
  }

  @Test(
    arguments: [
      ("a.jpg", false, "jpg"), ("a.JPEG", false, "JPEG"), ("a.png", true, "png"), ("a.jpg", true, "png"),
      ("a.webp", true, "webp"), ("a.heic", false, "heic"),
    ])
  func aPicture(_ name: String, isTransparent: Bool, becomes wanted: String) throws {
    let own = DepthPhoto.pictureContainer(named: name)
    let fileExtension = String(name.split(separator: ".")[1])
    let plan = try plan(isTransparent)
    #expect(ResultNaming(plan, isMatte: false).picture(own, fileExtension) == wanted)
    #expect(ResultNaming(plan, isMatte: true).picture(own, fileExtension) == "png")
    #expect(ResultNaming(plan, isMatte: false, known: ["png"]).picture(own, fileExtension) == "png")
    #expect(ResultNaming(plan, isMatte: false).picture(own) == (wanted == "JPEG" ? "jpg" : wanted))
  }

  private func plan(_ isTransparent: Bool) throws -> Job.Plan {
    var plan = Job.Plan()
    plan.background = try BackgroundChoice(parsing: isTransparent ? "none" : "navy")
    return plan
  }
}
