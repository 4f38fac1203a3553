import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

/// A separate sound track: compares the position of a click in the file, decoded by ffmpeg, with its picture.
@Suite struct SoundTrackTests {
  let folder = TemporaryFolder()

  /// Seconds at which ffmpeg hears clicks: before the first packet there is silence.
  private func clicks(_ path: String) throws -> [Double] {
    let bytes = try MediaTool.output(path, "-af aresample=async=1:first_pts=0 -ac 1 -ar 48000 -f f32le")
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    var found: [Double] = []
    for (index, sample) in samples.enumerated() where abs(sample) > 0.25 {
      let time = Double(index) / 48_000
      if found.last.map({ time - $0 > 0.3 }) ?? true { found.append(time) }
    }
    return found
  }

  @Test(arguments: ["mp4", "mov", "mkv", "webm"], [true, false]) func clicksAreWhereTheyWere(
    _ fileExtension: String, _ grows: Bool
  )
    throws
  {
    let path = folder.file("click.\(fileExtension)")
    var settings = VideoSettings(
      codec: try VideoSettings.codec(forPath: path), width: 64, height: 48, frameRate: Rational(25, 1))
    settings.timeBase = Rational(1, 1000)
    settings.hasSound = true
    let writer = try VideoWriter(OutputFile(path, overwrite: false, growing: grows), settings: settings)
    // White at 1 and 2 seconds, and a click of 5 ms; sound arrives late, in chunks of any length.
    var (written, total) = (0, 0)
    func write(until seconds: Double) throws {
      let end = Int(seconds * 48_000)
      guard end > written else { return }
      let samples = (written..<end).map { index -> Float in
        let time = Double(index) / 48_000
        return [1.0, 2.0].contains { time >= $0 && time < $0 + 0.005 } ? (index % 48 < 24 ? 0.9 : -0.9) : 0
      }
      total += samples.count
      try writer.write(sound: samples)
      written = end
    }
    for frame in 0..<75 {
      var image = Image(.i420, width: 64, height: 48)
      image.fill(frame == 25 || frame == 50 ? .white : .black)
      try writer.write(image, time: Int64(frame) * 40, duration: 40)
      try write(until: Double(frame) * 0.04 - 0.3)
    }
    try write(until: 3)
    try writer.finish()
    let found = try clicks(path)
    #expect(found.count == 2)
    // A codec smears a click over a part of its 21 ms frame, but much less at a quarter of its height.
    for (time, expected) in zip(found, [1.0, 2.0]) {
      #expect(abs(time - expected) < 0.008, "\(fileExtension): \(time)")
    }
    let codec = try MediaTool.probe(path, "-select_streams a:0 -show_entries stream=codec_name,sample_rate,channels")
    #expect(codec == [fileExtension == "webm" ? "opus,48000,1" : "aac,48000,1"])
    let frames = try MediaTool.frameTimes(path).compactMap(Double.init)
    #expect(frames.count == 75 && abs(frames[25] - 1) < 0.002, "the pictures' times stay")
  }

  @Test func noSound() throws {
    let path = folder.file("silent.mp4")
    var settings = VideoSettings(width: 64, height: 48, frameRate: Rational(25, 1))
    settings.hasSound = true
    let writer = try VideoWriter(OutputFile(path, overwrite: false), settings: settings)
    for frame in 0..<10 { try writer.write(Image(.i420, width: 64, height: 48), time: Int64(frame), duration: 1) }
    try writer.finish()
    #expect(try MediaTool.frameTimes(path).count == 10)
    let plain = folder.file("plain.mp4")
    settings.hasSound = false
    let other = try VideoWriter(OutputFile(plain, overwrite: false), settings: settings)
    try other.write(Image(.i420, width: 64, height: 48), time: 0, duration: 1)
    try other.write(sound: [1, 1, 1])
    try other.finish()
    #expect(try MediaTool.probe(plain, "-select_streams a -show_entries stream=index").isEmpty)
  }
}
