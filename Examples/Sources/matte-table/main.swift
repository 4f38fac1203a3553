// Prints a table of a video's mattes: matte-table VIDEO
//
// Each frame is a line with tabs between its fields: the time, the share of the picture that is foreground, the foreground's centre, and
// the source of the matte.
import Backdrop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

guard CommandLine.arguments.count == 2 else {
  print("usage: matte-table VIDEO")
  exit(2)
}

/// The centroid of a matte, as fractions of the picture's width and height; `nil` for an empty matte.
func middle(of matte: Matte) -> (x: Double, y: Double)? {
  var (x, y, sum) = (0.0, 0.0, 0.0)
  for row in 0..<matte.height {
    for column in 0..<matte.width {
      let opacity = matte[column, row]
      x += opacity * (Double(column) + 0.5)
      y += opacity * (Double(row) + 0.5)
      sum += opacity
    }
  }
  guard sum > 0 else { return nil }
  return (x / sum / Double(matte.width), y / sum / Double(matte.height))
}

func text(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }

do {
  let video = try Video(CommandLine.arguments[1])
  let mattes = MattePipeline(.stream)
  print("seconds", "coverage", "x", "y", "found by", separator: "\t")
  for try await scene in video.scenes {
    let matte = try mattes.matte(of: scene)
    let middle = middle(of: matte)
    print(
      text(scene.time), text(matte.coverage), middle.map { text($0.x) } ?? "-", middle.map { text($0.y) } ?? "-",
      mattes.evidence.subjectOrigin?.rawValue ?? "-", separator: "\t")
  }
} catch {
  print(error)
  exit(2)
}
