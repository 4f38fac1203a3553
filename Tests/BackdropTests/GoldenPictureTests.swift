import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import Foundation
import TestSupport
import Testing

/// Ten looks of a simulated scene are what they were when somebody looked at them; `BACKDROP_WRITE_GOLDEN=1` draws them anew.
@Suite struct GoldenPictureTests {
  @Test(arguments: [
    "backdrop", "halo", "noir", "portrait", "stage", "spotlight", "color-highlight", "big-head", "depth-fog", "bokeh",
  ])
  func look(id: String) throws {
    let picture = try LookStage().draw(try #require(Look.named(id))).image
    let path = GeneratedDocumentation.page("Tests/Golden/\(id).png")
    if ProcessInfo.processInfo.environment["BACKDROP_WRITE_GOLDEN"] == "1" {
      try Picture.save(picture, to: OutputFile(path, overwrite: true))
    }
    let difference = try #require(PictureDifference(picture, try Picture.load(path, as: .rgba8)))
    // CPU levels differ by rounding, which a curve may make steeper.
    #expect(difference.mean < 0.5 && difference.large < 0.001, "\(difference)")
  }
}
