import BackdropImaging

/// The lists of the TUM RGB-D benchmark (Sturm et al., "A Benchmark for the Evaluation of RGB-D SLAM Systems",
/// IROS 2012): `rgb.txt` and `depth.txt`, lines of `timestamp filename`, comments after `#`.
enum TUMLists {
  /// One line: the time, and the file, relative to the folder.
  struct Item {
    var time: Double
    var file: String
  }

  /// The maximum time in seconds, some centuries: larger values are not times, and would not fit a video's ticks.
  private static let timeLimit = 1e10
  private static let lineLimit = 1_000_000
  private static let candidateLimit = 4_000_000

  /// Reads the lines of a list, sorted by time; of lines with equal times, the last applies.
  static func parse(_ path: String) throws(BackdropError) -> [Item] {
    let bytes = try InputFile.read(path, limit: 64 << 20)
    var items: [Double: String] = [:]
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = FilePath.text(line)
      let fields = text.split { [" ", "\t", ",", "\r"].contains($0) }
      guard let first = fields.first, !first.hasPrefix("#") else { continue }
      guard fields.count >= 2, let time = Double(first), abs(time) < timeLimit else {
        throw BackdropError(
          .badData, "line \(index + 1) is not a timestamp and a file name", path: path,
          hint: "write lines such as: 1305031102.175304 rgb/1305031102.175304.png")
      }
      let file = String(fields[1])
      guard staysInside(file) else {
        throw BackdropError(.badData, "line \(index + 1) names a file outside the recording", path: path)
      }
      items[time] = file
      guard items.count <= lineLimit else {
        throw BackdropError(.overLimit, "the list has more than \(lineLimit) frames", path: path)
      }
    }
    return items.map { Item(time: $0.key, file: $0.value) }.sorted { $0.time < $1.time }
  }

  /// Whether a relative path stays inside its folder; symbolic links there are the user's own.
  static func staysInside(_ path: String) -> Bool {
    path.utf8.first != UInt8(ascii: "/") && !path.utf8.contains(0)
      && !path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
  }

  /// The index of the second time that matches each first one: of all pairs less than `tolerance` apart, the closest are
  /// matched first, and each time is matched once. Both lists ascend, and so does the result.
  ///
  /// - Throws: `overLimit` if so many pairs are that close that the tolerance must be a mistake.
  static func associate(_ first: [Double], _ second: [Double], tolerance: Double) throws(BackdropError) -> [Int?] {
    var candidates: [(distance: Double, first: Int, second: Int)] = []
    var start = 0
    for (index, time) in first.enumerated() {
      while start < second.count && second[start] <= time - tolerance { start += 1 }
      var other = start
      while other < second.count && second[other] < time + tolerance {
        let distance = abs(time - second[other])
        if distance < tolerance { candidates.append((distance, index, other)) }
        other += 1
        guard candidates.count <= candidateLimit else {
          throw BackdropError(
            .overLimit, "more than \(candidateLimit) pairs of frames lie within \(tolerance) s of each other",
            hint: "give a smaller tolerance")
        }
      }
    }
    candidates.sort { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
    var partner = [Int?](repeating: nil, count: first.count)
    var isTaken = [Bool](repeating: false, count: second.count)
    for candidate in candidates where partner[candidate.first] == nil && !isTaken[candidate.second] {
      partner[candidate.first] = candidate.second
      isTaken[candidate.second] = true
    }
    return partner
  }
}
