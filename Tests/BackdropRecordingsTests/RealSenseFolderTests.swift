import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

extension FolderKindTests {
  // MARK: - librealsense's tools

  /// converter-csv.cpp and converter-png.hpp: names with milliseconds, metres in rows; depth pictures are drawings.
  @Test func rsConvert() throws {
    try made.color("out_Color_1000.00000000000000.png", 10, width: 4, height: 3)
    try made.color("out_Color_1033.25000000000000.png", 20, width: 4, height: 3)
    try made.color("out_Color_1500.00000000000000.png", 30, width: 4, height: 3)
    try made.color("out_Depth_1005.00000000000000.png", 99, width: 4, height: 3)
    try made.write("out_Depth_metadata_1005.00000000000000.txt", "Stream: Depth\n")
    try made.write("out_Color_metadata_1000.00000000000000.txt", "Stream: Color\n")
    #expect(refusal { try open() }?.kind == .unsupported)
    try made.write("out_Depth_1005.00000000000000.csv", "0.5,0,1.25,1e-05\n2.001,65.5,3,4\n0,0,0,10\n")
    try made.write("out_Depth_1031.00000000000000.csv", "0.5,0,1.25,1\r\n2,5,3,4\r\n0,0,0,9\r\n")
    var source = try open()
    let first = try #require(try source.next()), second = try #require(try source.next())
    #expect(try source.next() == nil)
    #expect(gray([first, second]) == [10, 20])
    #expect(isNear([second.time], [0.03325]))
    #expect(first.depth?.metres[0, 0] == 0.5 && first.depth?.metres[1, 0].isNaN == true)
    #expect(metres([first], 0, 1) == [2.001])
    #expect(first.depth?.metres[3, 0] == 1e-5)
    #expect(metres([first], 3, 2) == [10])
    #expect(second.depth?.metres[3, 2] == 9)
    #expect(source.skipped.first.map(\.error.message) == ["the depth picture is missing"])
    #expect(source.warnings.first?.message.contains("some pixels apart") == true)
    for bad in ["1,2\n3\n", "1,x\n", "\n", "1,,2\n", "1e999,1\n"] {
      try made.write("out_Depth_1005.00000000000000.csv", bad)
      source = try open()
      let next = try #require(try source.next())
      #expect(gray([next]) == [20], "\(bad)")
    }
  }

  /// Files saved by RealSense Viewer (model-views.cpp, frame_metadata_to_csv).
  @Test func viewerSnapshot() throws {
    try made.color("shot_Color.png", 44, width: 4, height: 3)
    try made.color("shot_Depth.png", 99, width: 4, height: 3)
    try made.write(
      "shot_Depth.raw", bytes: MadeOni.plain((0..<12).map { $0 == 5 ? 65_535 : UInt16(1024 + $0) }))
    try made.write(
      "shot_Depth_metadata.csv",
      "Frame Info: \nType,Depth\nFormat,Z16\nFrame Number,5\nTimestamp (ms),1000.25\nResolution x,4\nResolution y,3\n"
        + "Bytes per pixel,2\n\nIntrinsic:,\nFx,3.500000\nFy,3.600000\nPPx,1.400000\nPPy,1.100000\nDistorsion,Brown Conrady\n"
    )
    let found = try scenes()
    let map = try #require(found.first?.depth)
    #expect(metres(found, 1, 0) == [1.025])
    #expect(map.metres[1, 1].isNaN)
    #expect(map.intrinsics == Intrinsics(fx: 3.5, fy: 3.6, cx: 1.9, cy: 1.6, width: 4, height: 3))
    try made.write("shot_Depth_metadata.csv", "Format,Z16\n")
    #expect(refusal { try open() }?.message == "this file does not give the size of the depth")
  }

  /// Numbers in the form that C++ prints, compared with the system's own reader.
  @Test func decimals() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<2000 {
      let scales: [Double] = [1e-5, 1, 20, 1e6]
      let value = Double.random(in: 0..<1, using: &random) * scales[Int.random(in: 0..<4, using: &random)]
      let text = String(format: "%g", value)
      #expect(DecimalText.number(Array(text.utf8), 0..<text.utf8.count) == Double(text), "\(text)")
    }
    for text in ["", "-", ".", "e5", "1e", "1x", "nan", "1e400", "12345678901234567"] {
      #expect(DecimalText.number(Array(text.utf8), 0..<text.utf8.count) == nil, "\(text)")
    }
  }
}
