import BackdropImaging

/// Reads the text files of numbers that accompany a recording: matrices, lists of poses, tables.
enum NumberText {
  /// The maximum size of a list in bytes: more than a million lines of poses.
  static let listLimit = 128 << 20

  /// Reads a file's rows of numbers, separated by spaces, tabs, commas or semicolons. Other text becomes NaN; empty lines and lines that
  /// begin with `#` are skipped.
  static func rows(_ path: String, limit: Int = 1 << 16) throws(BackdropError) -> [[Double]] {
    let bytes = try InputFile.read(path, limit: limit)
    return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
      guard line.first != UInt8(ascii: "#") else { return nil }
      let row = line.split { [0x20, 0x09, 0x2C, 0x3B].contains($0) }.map { number($0) }
      return row.isEmpty ? nil : row
    }
  }

  /// Reads a square matrix of `count` rows, row by row.
  static func matrix(_ path: String, _ count: Int) throws(BackdropError) -> [Double] {
    let rows = try rows(path)
    guard rows.count == count, rows.allSatisfy({ $0.count == count }) else {
      throw BackdropError(.badData, "this is not a matrix with \(count) rows of \(count) numbers", path: path)
    }
    return rows.flatMap { $0 }
  }

  private static func number(_ text: ArraySlice<UInt8>) -> Double {
    // OpenCV writes `525.` for an integer.
    let whole = text.last == UInt8(ascii: ".") ? text.dropLast() : text
    return whole.count <= 64 ? Double(String(decoding: whole, as: UTF8.self)) ?? .nan : .nan
  }
}
