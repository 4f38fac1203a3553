import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

/// Pictures and videos without depth, with the person network.
@Suite struct PersonTests {
  static var isReady: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }
  let work = Workplace()

  @Test func depthMayBeInsistedOn() throws {
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 64, height: 48)), "flat.png")
    try work.refuse("replace flat.png -o out.png --matte depth", says: "has no depth", path: "flat.png")
  }

  @Test(arguments: [
    ("--matte nothing", "--matte cannot be 'nothing'"), ("--quality superb", "--quality cannot be 'superb'"),
    ("--refine 2", "--refine 2 is out of range"), ("--threshold 0", "--threshold 0 is out of range"),
    ("--smooth 1.5", "--smooth 1.5 is out of range"),
    ("--feather -1", "--feather -1 is out of range"), ("--model nobody", "Backdrop has no network 'nobody'"),
    ("--model nobody.onnx", "no such model file"), ("--model none.json", "no such file"),
  ])
  func refusesWrongChoices(_ flags: String, _ says: String) throws {
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 64, height: 48)), "flat.png")
    try work.refuse("replace flat.png -o out.png \(flags)", says: says)
  }

  @Test(.enabled(if: isReady, "needs the network runtime: backdrop models install"))
  func aPictureWithoutAPersonIsSaid() throws {
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 64, height: 48)), "flat.png")
    try work.refuse("replace flat.png -o out.png", says: "Backdrop found no person in the picture", path: "flat.png")
  }

  /// The network finds the simulated camera's person in colour alone, without matching the exact alpha.
  @Test(.enabled(if: isReady, "needs the network runtime: backdrop models install"))
  func findsThePersonOfTheSimulatedCamera() throws {
    let root = try work.json(
      "replace sim:talking?seconds=0.2&size=320x180 --matte person --background #ff0000 -o out.mp4 --save-matte mattes/"
    )
    let coverage = try #require(root["coverage"] as? Double)
    #expect((0.1...0.6).contains(coverage), "\(coverage)")
    #expect(root["frames"] as? Int == 6)
  }

  /// Real people whose mattes are known: a portrait before another background, and one of the development data. The error is below that of
  /// MediaPipe 0.10.21's own output, scaled bilinearly.
  @Test(.enabled(if: isReady && TestData.hasPhotos, "needs make setup-test"), arguments: ["live", "best"])
  func cutsARealPerson(_ quality: String) throws {
    let portrait = TestData.path(TestData.people[1])
    try work.succeed("replace \(portrait) --background scene:loft -o person.png --save-matte truth.png")
    #expect(try error(quality, of: work.path("person.png"), truth: "truth.png") < 0.0093)
    guard TestData.isPresent else { return }
    let name = TestData.path("matting/p3m/p_bac3c1ff")
    #expect(try error(quality, of: name + ".jpg", truth: name + "_alpha.png") < 0.007)
  }

  /// The mean absolute difference of a picture's matte from the truth.
  private func error(_ quality: String, of picture: String, truth: String) throws -> Double {
    try work.succeed("matte \(picture) -o matte.png --quality \(quality) --force")
    let root = try work.json("evaluate matte.png \(truth)")
    return try #require((root["mean"] as? [String: Double])?["mad"])
  }

  /// The command cuts out an object that no other network recognizes as a person, with a warning that `--strict` turns into an error.
  @Test(.enabled(if: isReady && TestData.hasPhotos, "needs make setup-test"))
  func warnsWhereNobodyIsRecognized() throws {
    let thing = TestData.path("skimage/data/coffee.png")
    let said = try work.succeed("replace \(thing) --background none -o out.png").errors
    #expect(said.contains("recognized no person in the picture"), "\(said)")
    try work.refuse("replace \(thing) --background none -o strict.png --strict", says: "recognized no person")
    let person = TestData.path(TestData.people[0])
    let quiet = try work.succeed("replace \(person) --background none -o person.png --strict").errors
    #expect(!quiet.contains("recognized"), "\(quiet)")
  }
}
