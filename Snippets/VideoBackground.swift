// Puts the people in a video in front of a computed scene, and keeps the sound.
import Backdrop

let video = try Video("talk.mp4")
let summary = try await video.replacingBackground(with: .scenery(.dunes)).write(to: "out.mp4")
print("\(summary.frames) frames, \(summary.standby.count) of them with the standby frame")
