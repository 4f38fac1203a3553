// Puts the people of a video in front of a drawn scene; the sound goes along.
import Backdrop

let video = try Video("talk.mp4")
let summary = try await video.replacingBackground(with: .scenery(.dunes)).write(to: "out.mp4")
print("\(summary.frames) frames, \(summary.standby.count) of them without anybody to be shown")
