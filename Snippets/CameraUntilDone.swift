// Reads scenes from a camera until the task is cancelled. When the task ends, the camera is off.
import Backdrop

let watching = Task {
  var count = 0
  for try await _ in try Camera("sim:mug?size=320x240").scenes { count += 1 }
  return count
}
try await Task.sleep(for: .seconds(1))
watching.cancel()
print("saw", try await watching.value, "scenes")
