import ArgumentParser
import Backdrop
import BackdropRecordings
import Foundation

/// Measures the time for reading a recording with depth, from its first frame to its last.
enum RecordingSpeed {
  static func run(_ path: String, json: Bool) throws {
    var (times, processor, frames, depths): ([Double], [Double], Int, Int) = ([], [], 0, 0)
    // The first round brings the file into the system's cache.
    for round in 0..<4 {
      (frames, depths) = (0, 0)
      var spent = 0.0
      let passed = try milliseconds {
        spent = try milliseconds(CLOCK_PROCESS_CPUTIME_ID) {
          var source = try RGBDInput.open(path)
          while let scene = try source.next() {
            frames += 1
            if scene.depth != nil { depths += 1 }
          }
        }
      }
      if round > 0 {
        times.append(passed)
        processor.append(spent)
      }
    }
    guard frames > 0 else { throw ValidationError("\(path) has no frames") }
    let rates = [times, processor].map { String(format: "%.1f", 1000 * Double(frames) / $0.sorted()[1]) }
    print(
      json
        ? "{\"workload\": \"recording\", \"frames\": \(frames), \"with_depth\": \(depths), \"frames_per_s\": \(rates[0]), "
          + "\"frames_per_core_s\": \(rates[1])}"
        : "recording \(path): \(frames) frames, \(depths) with depth, \(rates[0]) a second, \(rates[1]) a second of processor time"
    )
  }
}
