import BackdropImaging
import Libc

/// The records of an `.oni` file from OpenNI 1 and 2 (OniDataRecords.cpp and DataRecords.h of OpenNI2, Apache-2.0).
///
/// It begins with `NI10`, a version and a time. Then there are records: `NIR\0`, kind, node, length of their fields including this header,
/// length of the data after them, and an undo position of 8 bytes, 4 before version 1.0.1. No field of the file is trusted: the reader
/// visits each record once, in order, and reads its data on request.
final class OniFile {
  /// A stream of the recording.
  struct Node {
    /// 2 for depth, 3 for colour, 5 for infrared.
    var kind: UInt32
    /// The four-letter code of its compression.
    var codec: UInt32
    /// Values by their names, before the first data.
    var properties: [String: [UInt8]] = [:]
    /// Its frames, in file order.
    var frames: [Data] = []
  }

  struct Data {
    var microseconds: UInt64
    var offset: Int
    var byteCount: Int
  }

  static let depth: UInt32 = 2, color: UInt32 = 3

  let path: String
  private(set) var nodes: [UInt32: Node] = [:]
  /// The error that ended the records before the end of the file; `nil` if they are complete.
  private(set) var damage: BackdropError?
  private let descriptor: Int32
  private let byteCount: Int
  private var headSize = 28

  /// The maximum number of records: more than a day of two streams at 30 frames a second.
  private static let recordLimit = 8_000_000
  /// The longest fields of a record, the longest value kept (longer ones are unused tables), and the most properties and streams.
  private static let fieldLimit = 1 << 16, valueLimit = 256, propertyLimit = 256, nodeLimit = 64
  private static let magic: UInt32 = 0x0052_494E

  /// Opens a file and visits its records.
  init(_ path: String) throws(BackdropError) {
    self.path = path
    (descriptor, byteCount) = try InputFile.open(path, isPlain: true)
    do throws(BackdropError) { try walk() } catch { throw error.at(path) }
  }

  deinit { close(descriptor) }

  /// The data of a frame.
  func read(_ data: Data, limit: Int) throws(BackdropError) -> [UInt8] {
    guard data.byteCount <= limit else {
      throw BackdropError(.overLimit, "a frame has \(data.byteCount) bytes; the limit is \(limit)", path: path)
    }
    guard let bytes = bytes(at: data.offset, data.byteCount) else {
      throw BackdropError(.system, "Backdrop cannot read a frame (\(systemReason()))", path: path)
    }
    return bytes
  }

  /// Reads bytes of the file; `nil` beyond its end.
  private func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    guard count >= 0, offset >= 0, offset <= byteCount, count <= byteCount - offset else { return nil }
    let (bytes, failure) = FileDescriptor(descriptor).read(count, at: offset)
    return failure == 0 ? bytes : nil
  }

  private func walk() throws(BackdropError) {
    guard let head = bytes(at: 0, 24), head.starts(with: Array("NI10".utf8)) else {
      throw BackdropError(
        .badData, "this is not an OpenNI recording, or most of it is missing", hint: "copy it again from the original")
    }
    let version = (Int(head[4]), Int(head[5]), Int(head.word16(6)), Int(head.word32(8)))
    guard version >= (1, 0, 0, 4) && version <= (1, 0, 1, 0) else {
      throw BackdropError(
        .unsupported,
        "Backdrop does not read version \(version.0).\(version.1).\(version.2).\(version.3) of OpenNI's recordings",
        hint: "it reads 1.0.0.4 to 1.0.1.0; record again with OpenNI2")
    }
    headSize = version < (1, 0, 1, 0) ? 24 : 28
    var (offset, count) = (24, 0)
    while offset < byteCount {
      count += 1
      guard count <= Self.recordLimit else {
        throw BackdropError(
          .overLimit, "the recording has more than \(Self.recordLimit) records", hint: "record in several files")
      }
      guard let head = bytes(at: offset, headSize) else { return end("is cut off") }
      let (fields, data) = (Int(head.word32(12)), Int(head.word32(16)))
      guard head.word32(0) == Self.magic, fields >= headSize, fields <= Self.fieldLimit else {
        return end("is damaged")
      }
      guard fields + data <= byteCount - offset, let body = bytes(at: offset + headSize, fields - headSize) else {
        return end("is cut off")
      }
      let kind = head.word32(4)
      // The end record; the recorder leaves old data after it.
      if kind == 0x0B { return }
      note(kind, head.word32(8), body, Data(microseconds: 0, offset: offset + fields, byteCount: data))
      offset += fields + data
    }
  }

  private func end(_ reason: String) {
    damage = BackdropError(.badData, "the file \(reason); Backdrop reads it up to there", path: path)
  }

  private func note(_ kind: UInt32, _ id: UInt32, _ body: [UInt8], _ data: Data) {
    switch kind {
    case 0x02, 0x0C, 0x0D:
      guard let (_, end) = body.name(at: 0), body.count >= end + 8, nodes[id] != nil || nodes.count < Self.nodeLimit
      else { return }
      // A stream that is added again continues.
      if nodes[id] == nil { nodes[id] = Node(kind: body.word32(end), codec: body.word32(end + 4)) }
    case 0x03, 0x06:
      guard let (name, end) = body.name(at: 0), body.count >= end + 4, let node = nodes[id], node.frames.isEmpty,
        node.properties.count < Self.propertyLimit
      else { return }
      let length = Int(body.word32(end))
      guard length <= min(body.count - end - 4, Self.valueLimit) else { return }
      nodes[id]?.properties[name] = Array(body[end + 4..<end + 4 + length])
    case 0x0A:
      guard body.count >= 8 else { return }
      nodes[id]?.frames.append(Data(microseconds: body.word64(0), offset: data.offset, byteCount: data.byteCount))
    default: break
    }
  }
}

extension OniFile.Node {
  func integer(_ name: String) -> Int? {
    properties[name].flatMap { $0.count >= 8 ? Int(truncatingIfNeeded: $0.word64(0)) : nil }
  }
}

extension [UInt8] {
  func word16(_ at: Int) -> UInt16 { UInt16(self[at]) | UInt16(self[at + 1]) << 8 }
  func word32(_ at: Int) -> UInt32 { UInt32(word16(at)) | UInt32(word16(at + 2)) << 16 }
  func word64(_ at: Int) -> UInt64 { UInt64(word32(at)) | UInt64(word32(at + 4)) << 32 }

  /// Reads a length and a zero-terminated name of that length; returns the name and the position after it.
  fileprivate func name(at start: Int) -> (String, Int)? {
    guard count >= start + 4 else { return nil }
    let length = Int(word32(start))
    guard length > 0, length <= 256, count >= start + 4 + length else { return nil }
    let letters = self[start + 4..<start + 4 + length].prefix { $0 != 0 }
    return (String(decoding: letters, as: UTF8.self), start + 4 + length)
  }
}
