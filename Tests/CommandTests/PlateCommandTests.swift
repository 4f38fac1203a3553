import BackdropCodecs
import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

/// `backdrop plate`, and `--plate` of `matte` and `replace`.
@Suite struct PlateCommandTests {
  static var isReady: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }
  let work = Workplace()

  @Test func refusesWhatIsNoPlate() throws {
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 64, height: 48)), "flat.png")
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 64, height: 64)), "square.png")
    try work.refuse("matte flat.png -o out.png --plate none.png", says: "no such plate", path: "none.png")
    try work.refuse("matte flat.png -o out.png --plate square.png", says: "different aspect ratios", path: "square.png")
    try work.refuse("plate flat.png -o out.jpg", says: "Backdrop writes a plate as a PNG picture", path: "out.jpg")
    try work.refuse(
      "plate flat.png -o flat.png --force", says: "would replace one of the input's files", path: "flat.png")
    try work.refuse("plate flat.png -o square.png", says: "the output already exists", path: "square.png")
    try work.refuse("plate nothing.mp4 -o out.png", says: "no such file")
    try work.refuse("matte sim: -o m/ --matte depth --plate flat.png", says: "a matte from depth does not use a plate")
    try work.refuse(
      "matte flat.png -o square.png --force --plate square.png", says: "the output would replace the plate")
  }

  /// The simulated camera does not move, so its background matches a plate of it, and the matte remains that of the person.
  @Test(.enabled(if: isReady, "needs the network runtime: backdrop models install"))
  func takesAPlateAndUsesIt() throws {
    let address = "sim:talking?seconds=0.5&size=320x180"
    let root = try work.json("plate \(address) -o plate.png")
    #expect(root["frames"] as? Int == 15)
    let unseen = try #require(root["unseen"] as? Double)
    #expect((0.1...0.7).contains(unseen), "\(unseen)")
    for plate in ["--plate plate.png", ""] {
      let root = try work.json("matte \(address) -o mattes/ --force --matte person \(plate)")
      let coverage = try #require(root["coverage"] as? Double)
      #expect((0.1...0.6).contains(coverage), "\(plate): \(coverage)")
    }
  }
}
