import BackdropDepth
import BackdropImaging

/// The messages of a ROS 2 bag in an SQLite file (`.db3`), as librealsense 2.58 and later write it: a table of topics and one of
/// messages.
///
/// The system's SQLite reads the file. Queries read only plain tables, only integers and bytes, and at most ``BagFile/chunkLimit`` at
/// once.
final class BagDatabase: BagSource {
  let path: String
  private(set) var topics: [UInt32: BagFile.Topic] = [:]
  private(set) var messages: [UInt32: [BagFile.Message]] = [:]
  let damage: BackdropError? = nil
  private let library: SQLite
  private let database: SQLite.Handle
  private var content: SQLite.Handle?

  private static let messageLimit = 16_000_000

  deinit {
    if let content { _ = library.finalize(content) }
    _ = library.close(database)
  }

  /// Opens a file and finds the messages of the wanted topics.
  init(_ path: String) throws(BackdropError) {
    self.path = path
    let copy = try InputPipes.copy(of: path)
    guard FileKind(copy ?? path) == .file else {
      throw BackdropError(.wrongArgument, "no such file", path: path, hint: "check the name")
    }
    do throws(BackdropError) {
      try DecoderIsolation.refuse("recordings of ROS 2", path)
      let library = try SQLite.shared()
      self.library = library
      var handle: SQLite.Handle?
      let status = FilePath.withBytes(copy ?? path) { library.open($0, &handle, SQLite.readOnly, nil) }
      guard let database = handle else { throw BackdropError(.system, "SQLite does not start (\(status))") }
      self.database = database
      guard status == 0 else { throw failure() }
      _ = library.limit(database, SQLite.longest, Int32(BagFile.chunkLimit))
      try checkTables()
      try readLists()
    } catch { throw error.at(path) }
  }

  private func failure() -> BackdropError {
    let reason = library.message(database).map { String(cString: $0) } ?? "no reason given"
    return BackdropError(
      .badData, "the database cannot be read (\(reason.prefix(100)))", hint: "copy it again from where it came")
  }

  /// Runs a query to its end.
  private func rows(_ text: String, _ body: (SQLite.Handle) throws(BackdropError) -> Void) throws(BackdropError) {
    let statement = try prepare(text)
    defer { _ = library.finalize(statement) }
    while true {
      switch library.step(statement) {
      case SQLite.row: try body(statement)
      case SQLite.done: return
      default: throw failure()
      }
    }
  }

  private func prepare(_ text: String) throws(BackdropError) -> SQLite.Handle {
    var statement: SQLite.Handle?
    guard library.prepare(database, text, -1, &statement, nil) == 0, let statement else { throw failure() }
    return statement
  }

  private func bytes(_ statement: SQLite.Handle, _ column: Int32) -> [UInt8] {
    // SQLite's manual requires asking for the blob before its length.
    guard let start = library.blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(max(library.byteCount(statement, column), 0))))
  }

  /// Views and virtual tables may compute anything, so only plain tables are queried.
  private func checkTables() throws(BackdropError) {
    var plain = 0
    try rows(
      "SELECT 1 FROM sqlite_master WHERE name IN ('topics', 'messages') AND type = 'table' AND rootpage > 0"
    ) { _ throws(BackdropError) in plain += 1 }
    guard plain == 2 else {
      throw BackdropError(.badData, "this database is no ROS 2 bag", hint: "copy it again from where it came")
    }
  }

  private func readLists() throws(BackdropError) {
    try rows(
      "SELECT id, CAST(name AS BLOB), CAST(type AS BLOB), CAST(serialization_format AS BLOB) FROM topics LIMIT 4096"
    ) { statement throws(BackdropError) in
      let text = (1...3).map { String(decoding: bytes(statement, $0).prefix(4096), as: UTF8.self) }
      guard let id = UInt32(exactly: library.integer(statement, 0)), text[2] == "cdr" else { return }
      topics[id] = BagFile.Topic(name: text[0], type: text[1])
    }
    let wanted = Set(topics.filter { BagStreams.wants($0.value) }.keys)
    var count = 0
    try rows("SELECT id, topic_id, timestamp FROM messages ORDER BY timestamp, id") { statement throws(BackdropError) in
      guard let topic = UInt32(exactly: library.integer(statement, 1)), wanted.contains(topic),
        let row = Int32(exactly: library.integer(statement, 0))
      else { return }
      count += 1
      guard count <= Self.messageLimit else {
        throw BackdropError(
          .overLimit, "it has more than \(Self.messageLimit) messages", hint: "record in several files")
      }
      let time = UInt64(max(library.integer(statement, 2), 0))
      messages[topic, default: []].append(BagFile.Message(time: time, chunk: 0, position: row))
    }
  }

  func read(_ message: BagFile.Message, prefix: Int?, limit: Int) throws(BackdropError) -> [UInt8] {
    if content == nil { content = try prepare("SELECT data FROM messages WHERE id = ?1") }
    guard let statement = content else { throw failure() }
    defer { _ = library.reset(statement) }
    guard library.bind(statement, 1, Int64(message.position)) == 0, library.step(statement) == SQLite.row else {
      throw failure().at(path)
    }
    let result = bytes(statement, 0)
    guard result.count <= limit else {
      throw BackdropError(.overLimit, "a part of it has \(result.count) bytes, more than \(limit)", path: path)
    }
    return prefix.map { Array(result.prefix($0)) } ?? result
  }

  /// The camera's own time, from the metadata with the same recording time; the header holds the recorder's time.
  func stamp(of message: BagFile.Message, in topic: UInt32) throws(BackdropError) -> Double {
    if let name = topics[topic]?.name, let end = name.firstRange(of: "/image/")?.upperBound,
      let found = metadata(String(name[..<end]) + "metadata", message.time)
    {
      let values = try BagText.values(try read(found, prefix: nil, limit: 1 << 16))
      if let text = values["timestamp"], let milliseconds = Double(text), milliseconds.isFinite {
        return milliseconds / 1000
      }
    }
    return Double(message.time) / 1e9
  }

  private func metadata(_ name: String, _ time: UInt64) -> BagFile.Message? {
    guard let topic = topics.first(where: { $0.value.name == name })?.key, let all = messages[topic] else { return nil }
    let index = all.partitioningIndex { $0.time >= time }
    return index < all.count && all[index].time == time ? all[index] : nil
  }
}

/// Texts of the form `name=value;name=value`, which librealsense uses for data without a message type.
enum BagText {
  static func values(_ message: [UInt8]) throws(BackdropError) -> [String: String] {
    var reader = BagMessageReader(message, isCDR: true)
    var result: [String: String] = [:]
    for part in try reader.text().split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1)
      if sides.count == 2 { result[String(sides[0])] = String(sides[1]) }
    }
    return result
  }

  /// The number that is a message's complete text.
  static func number(_ message: [UInt8]) throws(BackdropError) -> Double? {
    var reader = BagMessageReader(message, isCDR: true)
    return Double(try reader.text())
  }

  static func numbers(_ text: String?) -> [Double] { (text ?? "").split(separator: ",").map { Double($0) ?? .nan } }

  static func camera(_ message: [UInt8]) throws(BackdropError) -> CameraModel? {
    let values = try Self.values(message)
    func number(_ name: String) -> Double { values[name].flatMap { Double($0) } ?? .nan }
    guard let width = values["width"].flatMap({ Int($0) }), let height = values["height"].flatMap({ Int($0) }),
      number("fx") > 0, number("fy") > 0
    else { return nil }
    let camera = try CameraFile.checked(
      Intrinsics(
        fx: number("fx"), fy: number("fy"), cx: number("ppx") + 0.5, cy: number("ppy") + 0.5, width: width,
        height: height))
    return try BagCamera.model(camera, values["model"] ?? "None", numbers(values["coeffs"]))
  }

  /// librealsense stores rotations column by column.
  static func extrinsics(_ message: [UInt8]) throws(BackdropError) -> Extrinsics? {
    let values = try Self.values(message)
    let (r, t) = (numbers(values["rotation"]), numbers(values["translation"]))
    guard r.count == 9, t.count == 3 else { return nil }
    return Extrinsics(matrix: [r[0], r[3], r[6], t[0], r[1], r[4], r[7], t[1], r[2], r[5], r[8], t[2]])
  }
}
