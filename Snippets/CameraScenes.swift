// Reads scenes from a camera for two seconds. The end of the loop switches the camera off.
import Backdrop

// "/dev/video0", "pipewire:", "rtsp://…", or "auto" for the first camera
let camera = try Camera("sim:talking", request: CameraRequest(width: 640, height: 360))

for try await scene in camera.scenes {
  print(scene.time, "\(scene.image.width)×\(scene.image.height)", scene.depth == nil ? "" : "with depth")
  if scene.time >= 2 { break }
}
