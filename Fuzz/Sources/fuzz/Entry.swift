import Foundation

// libFuzzer contains the main function and calls these functions. BACKDROP_FUZZ_TARGET names the parser: building one program takes
// less time than thirty.

/// Prepares for the first input. With BACKDROP_FUZZ_SEEDS it writes seeds and dictionaries into that folder and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  do {
    if let folder = ProcessInfo.processInfo.environment["BACKDROP_FUZZ_SEEDS"] {
      try writeSeeds(to: folder)
      exit(0)
    }
  } catch {
    fatalError("the seeds cannot be written: \(error)")
  }
  _ = chosen
  return 0
}

/// Runs the target on one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  _ = chosen.accepts(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private let chosen: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["BACKDROP_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    fatalError("BACKDROP_FUZZ_TARGET is one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
  }
  return target
}()

/// Writes a folder of seeds and a dictionary for each target, and a list of the targets with their maximum lengths.
private func writeSeeds(to folder: String) throws {
  var list = ""
  for target in FuzzTarget.all {
    let place = folder + "/" + target.name
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for (number, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(fileURLWithPath: place + "/seed-\(number)"))
    }
    let words = target.words.map { "\"\($0)\"\n" }.joined()
    try Data(words.utf8).write(to: URL(fileURLWithPath: folder + "/\(target.name).words"))
    list += "\(target.name) \(target.maximumLength)\n"
  }
  try Data(list.utf8).write(to: URL(fileURLWithPath: folder + "/targets"))
}
