import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

/// Recordings whose depth is not registered to their pictures.
@Suite struct RecordingAlignmentTests {
  static let cameras = """
    {"depth": {"fx": 30, "fy": 30, "cx": 16, "cy": 12, "width": 32, "height": 24},
     "color": {"fx": 60, "fy": 60, "cx": 32, "cy": 18, "width": 64, "height": 36,
               "distortion": {"model": "inverse-brown-conrady", "coefficients": [0.001, 0, 0, 0, 0]}},
     "translation": [0, 0, 0.5]}
    """

  /// Pictures of 64×36 in one grey and depth of 32×24: a wall at 2 m, with a hole in the corner.
  func made() throws -> RecordingFolder {
    let made = RecordingFolder()
    for index in 1...3 {
      try made.color("rgb/\(index).png", 90, width: 64, height: 36)
      try made.depth("depth/\(index).png", units: 2000, width: 32, height: index == 2 ? 9 : 24)
    }
    try made.write("cams.json", Self.cameras)
    return made
  }

  @Test func depthComesToThePictures() throws {
    let made = try made()
    var options = RecordingOptions()
    options.alignment = try RecordingAlignment(file: made.folder.file("cams.json"))
    var source = try RGBDInput.open(made.path, options: options)
    #expect(source.width == 64 && source.height == 36 && source.frameCount == 3)
    let map = try #require(try source.next()?.depth)
    #expect(map.width == 64 && map.height == 36 && map.isRegistered && map.intrinsics?.fx == 60)
    // The colour camera is half a metre behind: it sees the other camera's whole wall at 2.5 m, 60 · 2 / 2.5 · 16/30 wide.
    for y in 1..<35 { for x in 8..<56 { #expect(map.metres[x, y] == 2.5, "(\(x), \(y))") } }
    #expect(map.metres[3, 18].isNaN && map.metres[60, 18].isNaN)
    // The second frame's depth has a different shape.
    #expect(try source.next() != nil)
    #expect(try source.next() == nil)
    #expect(source.skipped.first.map(\.number) == [2])
  }

  @Test func picturesComeToTheDepth() throws {
    let made = try made()
    var options = RecordingOptions()
    options.alignment = try RecordingAlignment(file: made.folder.file("cams.json"), view: .depth)
    var source = try RGBDInput.open(made.path, options: options)
    #expect(source.width == 32 && source.height == 24)
    let frame = try #require(try source.next())
    let map = try #require(frame.depth)
    #expect(frame.image.format == source.format && frame.image.width == 32 && frame.image.height == 24)
    #expect(map.isRegistered && map.metres[5, 5] == 2 && map.intrinsics?.fx == 30)
    // Rows missing in the wider picture: 18 / 60 · 2.5 / 2 · 30 from the middle.
    for (y, grey) in [(0, 0), (1, 90), (12, 90), (22, 90), (23, 0)] as [(Int, UInt8)] {
      let row = frame.image.row(y)
      #expect(row[4 * 16] == grey && row[4 * 16 + 3] == 255, "\(y)")
    }
    #expect(frame.image.row(0)[0] == 0)
  }

  @Test(arguments: [
    ("", "the file is empty"), ("[]", "holds no pair of cameras"),
    (String(repeating: "[", count: 100_000), "holds no pair of cameras"),
    (cameras.replacing("\"fx\": 30", with: "\"fx\": 0"), "fit no camera"),
    (cameras.replacing("\"width\": 64", with: "\"width\": 900000"), "900000"),
    (cameras.replacing("0, 0, 0.5", with: "0, 0"), "9 + 2 numbers"),
    (cameras.replacing("0, 0, 0.5", with: "0, 0, 1e9"), "over 100 m"),
    (cameras.replacing("\"translation\"", with: "\"rotation\": [1], \"translation\""), "1 + 3 numbers"),
    (cameras.replacing("inverse-brown-conrady", with: "fisheye"), "camera's distortion 'fisheye'"),
    (cameras.replacing("[0.001, 0, 0, 0, 0]", with: "[0.001]"), "Backdrop does not know the"),
    (cameras.replacing("[0.001, 0, 0, 0, 0]", with: "[1e300, 0, 0, 0, 0]"), "distortion coefficients are impossible"),
    (cameras.replacing("inverse-brown-conrady", with: "radial"), "distortion 'radial'"),
  ])
  func badFiles(text: String, reason: String) throws {
    let folder = TemporaryFolder()
    try folder.write(text.utf8, "c.json")
    let error = refusal { try RecordingAlignment(file: folder.file("c.json")) }
    #expect(
      error?.message.contains(reason) == true && error?.path == folder.file("c.json"), "\(String(describing: error))")
  }

  /// The notations of lenses in files.
  @Test func lenses() throws {
    let folder = TemporaryFolder()
    let radial = #"{"model": "radial", "center": [31, 17], "straightening": [0, 0.01], "distorting": [0, -0.01]}"#
    let text = Self.cameras.replacing(
      #"{"model": "inverse-brown-conrady", "coefficients": [0.001, 0, 0, 0, 0]}"#, with: radial)
    try folder.write(text.utf8, "c.json")
    let read = try RecordingAlignment(file: folder.file("c.json")).cameras
    #expect(
      read.color.lens
        == .radial(
          RadialDistortion(
            centerX: 31, centerY: 17, width: 64, height: 36, straightening: [0, 0.01], distorting: [0, -0.01])))
    #expect(read.depth.lens == .none && read.extrinsics.rotation == Extrinsics.identity.rotation)
  }

  @Test func camerasOfAnotherRecording() throws {
    let made = try made()
    try made.write("cams.json", Self.cameras.replacing("\"height\": 36", with: "\"height\": 64"))
    var options = RecordingOptions()
    options.alignment = try RecordingAlignment(file: made.folder.file("cams.json"))
    let error = refusal { try RGBDInput.open(made.path, options: options) }
    #expect(error?.message.contains("another aspect ratio than the colour camera: 64×64") == true)
  }
}
