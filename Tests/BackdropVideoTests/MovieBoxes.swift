import Foundation

/// The lengths of an mp4's or mov's tracks by its boxes (ISO/IEC 14496-12), read without FFmpeg.
struct MovieBoxes {
  struct Track {
    var kind = ""
    /// `mdhd`: ticks in a second, and the length of the track in ticks.
    var timescale = 0, length = 0
    /// The sum of the samples' durations: `stts`, or `trun` in a file of parts.
    var sum = 0
    var isInParts = false
  }

  private(set) var tracks: [Track] = []
  private let bytes: [UInt8]

  init(_ path: String) throws {
    bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let (moov, parts) = (boxes(0..<bytes.count, "moov"), boxes(0..<bytes.count, "moof"))
    for trak in moov.flatMap({ boxes($0, "trak") }) {
      let media = boxes(trak, "mdia")
      var track = Track()
      if let header = media.flatMap({ boxes($0, "mdhd") }).first {
        let isLong = bytes[header.lowerBound] == 1
        track.timescale = number(header.lowerBound + (isLong ? 20 : 12), 4)
        track.length = number(header.lowerBound + (isLong ? 24 : 16), isLong ? 8 : 4)
      }
      if let handler = media.flatMap({ boxes($0, "hdlr") }).first {
        track.kind = name(handler.lowerBound + 8)
      }
      let table = media.flatMap { boxes($0, "minf") }.flatMap { boxes($0, "stbl") }.flatMap { boxes($0, "stts") }
      for content in table {
        for entry in 0..<number(content.lowerBound + 4, 4) {
          let offset = content.lowerBound + 8 + 8 * entry
          track.sum += number(offset, 4) * number(offset + 4, 4)
        }
      }
      tracks.append(track)
    }
    for part in parts.flatMap({ boxes($0, "traf") }) {
      guard let header = boxes(part, "tfhd").first else { continue }
      // Tracks are numbered from 1 in the files that the tests make.
      let (index, flags) = (number(header.lowerBound + 4, 4) - 1, number(header.lowerBound + 1, 3))
      let skipped = (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0)
      let usual = flags & 8 != 0 ? number(header.lowerBound + 8 + skipped, 4) : 0
      tracks[index].isInParts = true
      for run in boxes(part, "trun") {
        let (flags, count) = (number(run.lowerBound + 1, 3), number(run.lowerBound + 4, 4))
        let size = [0x100, 0x200, 0x400, 0x800].filter { flags & $0 != 0 }.count * 4
        let first = run.lowerBound + 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
        for sample in 0..<count { tracks[index].sum += flags & 0x100 != 0 ? number(first + sample * size, 4) : usual }
      }
    }
  }

  private func number(_ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
  private func name(_ offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }

  private func boxes(_ range: Range<Int>, _ wanted: String) -> [Range<Int>] {
    var (offset, result) = (range.lowerBound, [Range<Int>]())
    while offset + 8 <= range.upperBound {
      var (size, head) = (number(offset, 4), 8)
      if size == 1 { (size, head) = (number(offset + 8, 8), 16) }
      if size == 0 { size = range.upperBound - offset }
      guard size >= head, offset + size <= range.upperBound else { break }
      if name(offset + 4) == wanted { result.append(offset + head..<offset + size) }
      offset += size
    }
    return result
  }
}
