import BackdropCodecs
import BackdropImaging
import Libc

/// The records of a ROS bag (wiki.ros.org/Bags/Format/2.0).
///
/// After `#ROSBAG V2.0` come records: the length of a header, fields `name=value` with their lengths, the length of the data, the data.
/// Chunks hold messages and are followed by an index of each; topics are listed at the end. If the recorder crashed, the file has no list
/// and no index after its last chunk, and its chunks are searched. No field of the file is trusted: chunks are decompressed on request, at
/// most four at a time, and none larger than ``chunkLimit``.
final class BagFile: BagSource {
  /// The source of one kind of messages.
  struct Topic: Sendable {
    var name: String
    var type: String
  }

  /// The time and the position of a message.
  struct Message: Sendable {
    /// The recording time, in nanoseconds.
    var time: UInt64
    var chunk: Int32
    /// In its chunk; in a database, its row.
    var position: Int32
  }

  private struct Chunk {
    var start: Int
    var packedCount: Int
    var count: Int
    /// `nil` for an uncompressed chunk.
    var packing: ChunkUnpacking.Packing?
  }

  let path: String
  private(set) var topics: [UInt32: Topic] = [:]
  /// The messages of wanted topics, in time order.
  private(set) var messages: [UInt32: [Message]] = [:]
  /// The error that ended the records before the end of the file or left them incomplete; `nil` if there is none.
  private(set) var damage: BackdropError?
  private let descriptor: Int32
  private let byteCount: Int
  private var chunks: [Chunk] = []
  private var hasList = false
  private var unpacked: [(chunk: Int32, bytes: [UInt8])] = []
  private var window = (start: 0, bytes: [UInt8]())

  /// The maximum size of a decompressed chunk: more than 4K pictures of both cameras.
  static let chunkLimit = 1 << 27
  private static let magic = Array("#ROSBAG V2.0\n".utf8)
  private static let headLimit = 1 << 20, topicLimit = 4096, messageLimit = 16_000_000
  private static let messageRecord: UInt8 = 2, bagRecord: UInt8 = 3, indexRecord: UInt8 = 4, chunkRecord: UInt8 = 5,
    topicRecord: UInt8 = 7

  /// Opens a file and finds the messages of the wanted topics.
  init(_ path: String) throws(BackdropError) {
    self.path = path
    (descriptor, byteCount) = try InputFile.open(path, isPlain: true)
    do throws(BackdropError) {
      guard let head = bytes(at: 0, min(13, byteCount)), head.starts(with: Array("#ROSBAG".utf8)) else {
        throw BackdropError(.badData, "this is not a ROS bag", hint: "copy it again from the original")
      }
      guard head == Self.magic else {
        throw BackdropError(
          .unsupported, "Backdrop reads only version 2.0 of bags", hint: "convert it: rosbag fix OLD.bag NEW.bag")
      }
      try readList()
      try walk()
    } catch { throw error.at(path) }
    for key in messages.keys { messages[key]?.sort { $0.time < $1.time } }
  }

  deinit { close(descriptor) }

  // MARK: - Records

  /// Reads the list of topics at the end; the bag's first record has its position.
  private func readList() throws(BackdropError) {
    guard let first = try record(at: Self.magic.count), first.operation == Self.bagRecord,
      let listStart = first.long("index_pos").flatMap({ Int(exactly: $0) }), listStart > first.next,
      listStart < byteCount
    else { return }
    var offset = listStart
    while let found = try record(at: offset) {
      if found.operation == Self.topicRecord { try add(found) }
      offset = found.next
    }
    hasList = !topics.isEmpty
  }

  private func walk() throws(BackdropError) {
    var offset = Self.magic.count
    var isIndexed = true
    while offset < byteCount {
      guard let found = try record(at: offset) else {
        damage = BackdropError(
          .badData, "the file is damaged or was cut off; Backdrop reads it up to there", path: path)
        break
      }
      offset = found.next
      switch found.operation {
      case Self.chunkRecord:
        if !isIndexed || !hasList { try readThrough() }
        try add(chunk: found)
        isIndexed = false
      case Self.indexRecord:
        isIndexed = true
        if hasList { try add(index: found) }
      case Self.topicRecord: try add(found)
      default: break
      }
    }
    if !isIndexed || !hasList { try readThrough() }
    if !hasList && damage == nil && !chunks.isEmpty {
      damage = BackdropError(
        .badData, "the recorder did not finish the file; Backdrop reads it up to there", path: path)
    }
  }

  private func add(chunk found: BagRecord) throws(BackdropError) {
    guard chunks.count < Int(Int32.max), let count = found.word("size") else { return }
    chunks.append(
      Chunk(
        start: found.dataStart, packedCount: found.dataCount, count: Int(count),
        packing: try Self.packing(found.text("compression"))))
  }

  private func add(_ found: BagRecord) throws(BackdropError) {
    guard let number = found.word("conn"), let name = found.text("topic"), found.dataCount <= Self.headLimit else {
      return
    }
    guard topics[number] == nil, topics.count < Self.topicLimit else { return }
    let fields = BagRecord.fields(found.data ?? bytes(at: found.dataStart, found.dataCount) ?? [])
    let type = fields["type"].map { String(decoding: $0, as: UTF8.self) } ?? ""
    topics[number] = Topic(name: name, type: type)
  }

  private func add(index found: BagRecord) throws(BackdropError) {
    guard let number = found.word("conn"), let topic = topics[number], BagStreams.wants(topic),
      let count = found.word("count"),
      found.dataCount >= 12 * Int(count), let data = bytes(at: found.dataStart, 12 * Int(count)), !chunks.isEmpty
    else { return }
    for item in 0..<Int(count) {
      let at = 12 * item
      try add(number, data.word32(at), data.word32(at + 4), Int32(truncatingIfNeeded: data.word32(at + 8)))
    }
  }

  private func add(_ number: UInt32, _ seconds: UInt32, _ nanoseconds: UInt32, _ offset: Int32) throws(BackdropError) {
    let time = UInt64(seconds) * 1_000_000_000 + UInt64(nanoseconds)
    messageCount += 1
    guard messageCount <= Self.messageLimit else {
      throw BackdropError(
        .overLimit, "the bag has more than \(Self.messageLimit) messages", hint: "record in several files")
    }
    messages[number, default: []].append(Message(time: time, chunk: Int32(chunks.count - 1), position: offset))
  }

  private var messageCount = 0

  /// Finds topics and messages by reading the last chunk itself.
  private func readThrough() throws(BackdropError) {
    guard !chunks.isEmpty else { return }
    let content: [UInt8]
    do throws(BackdropError) {
      content = try self.content(of: Int32(chunks.count - 1))
    } catch {
      damage = error.at(path)
      return
    }
    var offset = 0
    while let found = BagRecord(content, at: offset) {
      if found.operation == Self.topicRecord { try add(found) }
      if found.operation == Self.messageRecord, let number = found.word("conn"), let topic = topics[number],
        BagStreams.wants(topic), let time = found.long("time"), let position = Int32(exactly: offset)
      {
        try add(number, UInt32(truncatingIfNeeded: time), UInt32(time >> 32), position)
      }
      offset = found.next
    }
  }

  /// The record at a position in the file; `nil` at the end of the file or for a truncated record.
  private func record(at offset: Int) throws(BackdropError) -> BagRecord? {
    guard let length = bytes(at: offset, 4), let count = Int(exactly: length.word32(0)), count <= Self.headLimit,
      let head = bytes(at: offset, 4 + count + 4)
    else { return nil }
    return BagRecord(head: head, at: offset, byteCount: byteCount)
  }

  private static func packing(_ name: String?) throws(BackdropError) -> ChunkUnpacking.Packing? {
    guard let name, name != "none" else { return nil }
    if let packing = ChunkUnpacking.Packing(rawValue: name), packing != .zstd { return packing }
    throw BackdropError(
      .unsupported, "Backdrop does not read chunks with '\(name.prefix(20))' compression",
      hint: "decompress it: rosbag decompress FILE.bag")
  }

  // MARK: - Messages

  /// Reads the first `prefix` bytes of a message, or all.
  func read(_ message: Message, prefix: Int?, limit: Int) throws(BackdropError) -> [UInt8] {
    let chunk = chunks[Int(message.chunk)]
    let position = Int(message.position)
    guard position >= 0 else { throw damaged("a message is not in its chunk") }
    // An uncompressed chunk need not be read as a whole.
    let content = chunk.packing == nil ? nil : try content(of: message.chunk)
    let end = content?.count ?? chunk.start + chunk.packedCount
    let found =
      if let content { BagRecord(content, at: position) } else {
        position < chunk.packedCount ? try record(at: chunk.start + position) : nil
      }
    guard let found, found.operation == Self.messageRecord, found.next <= end else {
      throw damaged("a message is not in its chunk")
    }
    let count = min(found.dataCount, prefix ?? .max)
    guard count <= limit else { throw tooLong(count, limit) }
    if let content { return Array(content[found.dataStart..<found.dataStart + count]) }
    if let prefix, prefix < 1 << 12, let bytes = bytes(at: found.dataStart, count) { return bytes }
    guard let bytes = whole(at: found.dataStart, count) else { throw damaged("a message cannot be read") }
    return bytes
  }

  /// The camera's time, from the message's header.
  func stamp(of message: Message, in topic: UInt32) throws(BackdropError) -> Double {
    var reader = BagMessageReader(try read(message, prefix: BagHeader.byteCount, limit: Self.chunkLimit))
    return try BagHeader.time(&reader)
  }

  private func content(of number: Int32) throws(BackdropError) -> [UInt8] {
    if let found = unpacked.first(where: { $0.chunk == number }) { return found.bytes }
    let chunk = chunks[Int(number)]
    guard chunk.count <= Self.chunkLimit, chunk.packedCount <= Self.chunkLimit else {
      throw tooLong(max(chunk.count, chunk.packedCount), Self.chunkLimit)
    }
    guard let packed = whole(at: chunk.start, chunk.packedCount) else { throw damaged("a chunk is cut off") }
    var content = packed
    if let packing = chunk.packing { content = try ChunkUnpacking(packing, count: chunk.count).result(packed.span) }
    guard content.count == chunk.count else { throw damaged("a chunk does not have the length it claims") }
    unpacked.append((number, content))
    // A picture, its depth and the next of each, whose times are compared, may be in four separate chunks.
    while unpacked.count > 4 || unpacked.count > 1 && unpacked.reduce(0, { $0 + $1.bytes.count }) > 2 * Self.chunkLimit
    { unpacked.removeFirst() }
    return content
  }

  private func damaged(_ reason: String) -> BackdropError { BackdropError(.badData, reason, path: path) }

  private func tooLong(_ count: Int, _ limit: Int) -> BackdropError {
    BackdropError(.overLimit, "a part of the bag has \(count) bytes; the limit is \(limit)", path: path)
  }

  // MARK: - Bytes

  /// Reads bytes through a buffered window on the file; `nil` beyond the end.
  private func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    guard count >= 0, offset >= 0, offset <= byteCount, count <= byteCount - offset else { return nil }
    if count > 1 << 15 { return whole(at: offset, count) }
    if offset < window.start || offset + count > window.start + window.bytes.count {
      guard let more = whole(at: offset, min(1 << 16, byteCount - offset)) else { return nil }
      window = (offset, more)
    }
    return Array(window.bytes[(offset - window.start)..<(offset - window.start + count)])
  }

  private func whole(at offset: Int, _ count: Int) -> [UInt8]? {
    guard count >= 0, offset >= 0, offset <= byteCount, count <= byteCount - offset else { return nil }
    let (bytes, failure) = FileDescriptor(descriptor).read(count, at: offset)
    return failure == 0 ? bytes : nil
  }
}
