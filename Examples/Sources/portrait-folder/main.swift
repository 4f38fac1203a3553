// Replaces the background of a folder of photos: portrait-folder PHOTOS BACKGROUND RESULTS
//
// BACKGROUND is a picture, #RRGGBB, blur, bokeh or scene:dunes. The program loads the networks once for all photos. It reports a photo that
// fails and continues with the next one. It keeps existing results.
import Backdrop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

guard CommandLine.arguments.count == 4 else {
  print("usage: portrait-folder PHOTOS BACKGROUND RESULTS")
  exit(2)
}
let (photos, background, results) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

do {
  var plan = Job.Plan(.backdrop)
  plan.background = try BackgroundChoice(parsing: background)
  plan.audience = .others
  let batch = try Batch([photos], to: results, making: .result, plan)
  _ = try batch.makeFolder()
  var failures = 0
  for item in batch.items {
    switch try batch.run(item, skipsExisting: true) {
    case .done(let summary):
      print(item.input, "→", summary.outputs.first ?? "")
      for warning in summary.warnings { print("  warning:", warning.text) }
    case .skipped: print(item.input, "is there already")
    case .failed(let error):
      failures += 1
      print(item.input, "failed:", error, error.hint.map { "(\($0))" } ?? "")
    }
  }
  exit(failures == 0 ? 0 : 1)
} catch {
  print(error, error.hint.map { "(\($0))" } ?? "")
  exit(2)
}
