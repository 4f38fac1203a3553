import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings
@testable import BackdropSimulation

/// Phones that stream, and all faults of phones and of usbmuxd.
@Suite(.serialized) struct IPhoneTests {
  let phone = StandInPhone()

  /// Frames of the simulated camera, with depth of a different size and all three levels of confidence.
  static let scenes = Result { () throws -> [Scene] in
    let camera = try SimulatedCamera(address: "sim:talking?size=320x240&depth=160x120&seconds=1")
    return (0..<3).map { index in
      var scene = camera.frame(index * 5).frame
      guard var map = scene.depth else { return scene }
      let levels = Plane<UInt8>(width: map.width, height: map.height) { x, y in [0, 128, 255][(x + y) % 3] }
      map.confidence = ConfidenceMap(levels)
      map.intrinsics = Intrinsics(fx: 300, fy: 301, cx: 161, cy: 119, width: 320, height: 240)
      scene.depth = map
      return scene
    }
  }

  private func usbmuxd() throws -> UsbmuxAddress { try UsbmuxAddress(phone.address) }

  private func open(_ name: String = "iphone:", rate: Double? = nil) throws(BackdropError) -> IPhoneSource {
    try IPhoneSource(name, options: RecordingOptions(), rate: rate, at: UsbmuxAddress(phone.address))
  }

  private func failure(_ name: String = "iphone:") -> BackdropError? { refusal { try open(name) } }

  private func send(_ bodies: [[UInt8]], _ sending: StandInPhone.Sending) {
    phone.state.withLock { state in
      state.messages = bodies.map { StandInPhone.message($0) }
      state.sending = sending
    }
  }

  /// Depth arrives bit by bit, and the picture except for JPEG's losses; distances of low confidence are holes.
  @Test(arguments: [0, 1]) func framesAreAsSent(sensor: Int) throws {
    let scenes = try Self.scenes.get()
    send(try scenes.map { try StandInPhone.body(of: $0, sensor: sensor) }, .once)
    let source = try open()
    #expect(source.width == 320 && source.height == 240)
    #expect(source.depthText == "160×120 (\(sensor == 0 ? "TrueDepth" : "LiDAR"))")
    for scene in scenes {
      let got = try #require(try source.next())
      let (map, sent) = (try #require(got.depth), try #require(scene.depth))
      #expect(map.intrinsics == Intrinsics(fx: 300, fy: 301, cx: 161, cy: 119, width: 320, height: 240))
      #expect(map.isRegistered)
      var (different, holes) = (0, 0)
      for (y, x) in product(0..<map.height, 0..<map.width) {
        let isLow = (x + y) % 3 == 0
        if isLow || sent.metres[x, y].isNaN {
          if !map.metres[x, y].isNaN { different += 1 }
          holes += 1
        } else if map.metres[x, y] != sent.metres[x, y] {
          different += 1
        }
      }
      #expect(different == 0 && holes > 1000)
      let decoded = try JPEG.decode(try JPEG.encode(scene.image, quality: 95), as: .rgba8)
      #expect(
        (0..<240).allSatisfy { y in
          let (row, wanted) = (got.image.row(y), decoded.row(y))
          return row.indices.allSatisfy { row[$0] == wanted[$0] }
        })
    }
    let error = refusal { try source.next() }
    #expect(error?.message == "the phone ended its stream" && error?.kind == .system && error?.hint != nil)
  }

  /// Frames of old apps, without confidence or without the pose.
  @Test(arguments: [(7, true), (7, false), (11, true)]) func oldApps(words: Int, hasPose: Bool) throws {
    var head = StandInPhone.Head()
    (head.words, head.hasPose) = (words, hasPose)
    (head.sensor, head.confidence) = (1, (0, 0))
    let jpeg = try JPEG.encode(Image(gray: Plane(repeating: 99, width: 64, height: 48)))
    let metres: [Float] = (0..<32 * 24).map { 1 + Float($0) / 100 }
    let depth = LZFSE.stored(metres.flatMap { MadeArchive.word(Int($0.bitPattern), 4) })
    let frame = try Record3DFrame(StandInPhone.body(head, jpeg: jpeg, depth: depth))
    let scene = try frame.scene(RecordingOptions())
    #expect(frame.sensor == .lidar && frame.camera.fx == 60 && frame.camera.cx == 32)
    #expect(scene.depth?.metres[5, 1] == metres[37] && scene.depth?.confidence == nil)
  }

  /// A portrait picture that is stored rotated: the scene's picture is upright, and depth is aligned with it.
  @Test func turnedPicture() throws {
    var picture = Image(.rgb8, width: 64, height: 48)
    for y in 0..<48 {
      var row = picture.mutableRow(y)
      for x in 0..<64 { row[3 * x] = x < 32 ? 255 : 0 }
    }
    // EXIF's orientation 6 rotates it, in a segment after the beginning.
    let jpeg = try JPEG.encode(picture)
    let exif: [UInt8] =
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let turned = Array(jpeg[..<2]) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + Array(jpeg[2...])
    let metres = (0..<32 * 24).map { $0 % 32 < 16 ? Float(1) : 2 }
    let depth = LZFSE.stored(metres.flatMap { MadeArchive.word(Int($0.bitPattern), 4) })
    var head = StandInPhone.Head()
    head.confidence = (0, 0)
    head.camera = (60, 61, 30, 20)
    let scene = try Record3DFrame(StandInPhone.body(head, jpeg: turned, depth: depth)).scene(RecordingOptions())
    let map = try #require(scene.depth)
    #expect(scene.image.width == 48 && scene.image.height == 64 && map.width == 24 && map.height == 32)
    // After a quarter turn to the right, x counts from the original lower edge, y from the original left edge.
    let camera = map.intrinsics?.scaled(toWidth: 48, height: 64)
    #expect(camera == Intrinsics(fx: 61, fy: 60, cx: 28, cy: 30, width: 48, height: 64))
    for (x, y) in [(5, 3), (5, 60), (40, 3), (40, 60)] {
      let isRed = scene.image.row(y)[4 * x] > 128
      #expect(map.metres[x / 2, y / 2] == (isRed ? 1 : 2))
    }
  }

  @Test func badFrames() throws {
    let jpeg = try JPEG.encode(Image(gray: Plane(repeating: 99, width: 64, height: 48)))
    let good = LZFSE.stored([UInt8](repeating: 0, count: 4 * 32 * 24))
    var plain = StandInPhone.Head()
    plain.confidence = (0, 0)
    func made(_ change: (inout StandInPhone.Head) -> Void, depth: [UInt8] = good, confidence: [UInt8] = []) throws {
      var head = plain
      change(&head)
      _ = try Record3DFrame(StandInPhone.body(head, jpeg: jpeg, depth: depth, confidence: confidence))
        .scene(RecordingOptions())
    }
    try made { _ in }
    // Depth of 4:3 covers pictures of every landscape aspect ratio.
    var wide = plain
    (wide.color, wide.camera) = ((64, 36), (60, 60, 32, 18))
    let picture = try JPEG.encode(Image(gray: Plane(repeating: 99, width: 64, height: 36)))
    let scene = try Record3DFrame(StandInPhone.body(wide, jpeg: picture, depth: good)).scene(RecordingOptions())
    let camera = scene.depth?.intrinsics?.scaled(toWidth: 32, height: 24)
    #expect(camera == Intrinsics(fx: 30, fy: 40, cx: 16, cy: 12, width: 32, height: 24))
    // Damaged confidence, or confidence of a different size, affects nothing else.
    try made({ $0.confidence = $0.depth }, confidence: [1, 2, 3])
    try made({ $0.confidence = (8, 8) }, confidence: LZFSE.stored([UInt8](repeating: 2, count: 64)))
    let changes: [(inout StandInPhone.Head) -> Void] = [
      { $0.color = (0, 48) }, { $0.color = (65, 48) }, { $0.color = (1 << 31, 1 << 31) },
      { $0.depth = (1 << 16, 1 << 16) }, { $0.depth = (0xFFFF_FFFF, 0xFFFF_FFFF) }, { $0.depth = (24, 32) },
      { $0.depth = (31, 24) }, { $0.depth = (0, 0) }, { $0.camera.0 = 0 }, { $0.camera.1 = .nan },
      { $0.camera.2 = .infinity },
    ]
    for (index, change) in changes.enumerated() {
      #expect(throws: BackdropError.self, "\(index)") { try made(change) }
    }
    for depth in [[], Array(good.dropLast()), Array(good.prefix(20)), [UInt8](repeating: 7, count: 100), good + [0]] {
      #expect(throws: BackdropError.self, "\(depth.count)") { try made({ _ in }, depth: depth) }
    }
    let body = StandInPhone.body(plain, jpeg: jpeg, depth: good)
    for count in 0..<min(body.count, 200) {
      #expect(throws: BackdropError.self) { try Record3DFrame(Array(body.prefix(count))) }
    }
    // Apps before 1.6 and other data: the hint says what to do.
    #expect(
      refusal { try Record3DFrame([UInt8](repeating: 1, count: 500)) }?.hint?.text
        == "update Record3D in the App Store, and switch on its USB streaming")
  }

  @Test func twoPhones() throws {
    send(try Self.scenes.get().map { try StandInPhone.body(of: $0) }, .rate(50))
    var (one, two, three) = (StandInPhone.Phone(), StandInPhone.Phone(), StandInPhone.Phone())
    one.isStreaming = false
    (two.number, two.serial, two.product) = (8, "00008101-000A1B2C3D4E5F60", 0x12AB)
    (three.number, three.serial, three.connection) = (9, "00008110-000000000000001E", "Network")
    phone.state.withLock { $0.phones = [one, two, three] }
    let list = IPhones.list(at: try usbmuxd())
    #expect(list.map(\.address) == ["iphone:\(one.serial)", "iphone:\(two.serial)"])
    #expect(list.map(\.name) == ["iPhone", "iPad"] && list.allSatisfy { $0.fault == nil })
    // Finds the streaming phone automatically and by its serial number, with and without hyphens.
    for name in ["iphone:", "record3d:", "iphone:\(two.serial)", "iphone:00008101000a1b2c3d4e5f60"] {
      #expect(throws: Never.self, "\(name)") { try first(try open(name)) }
    }
    #expect(failure("iphone:\(one.serial)")?.message == "Record3D on the iPhone is not streaming")
    #expect(failure("iphone:\(three.serial)")?.message.contains("is connected by USB") == true)
    let unknown = failure("iphone:00008101-000A1B2C3D4E5F61")
    #expect(unknown?.hint?.text.hasPrefix("did you mean '00008101-000A1B2C3D4E5F60'?") == true)
    #expect(failure("iphone:\u{1B}[31m<&>")?.message.contains("\u{1B}") == false)
  }

  @Test func phonesThatCannotBeUsed() throws {
    phone.state.withLock { $0.phones[0].isStreaming = false }
    #expect(failure()?.message == "Record3D on the iPhone is not streaming")
    #expect(
      failure()?.hint?.text == "open Record3D there, switch on USB streaming in its settings, and press its red button")
    phone.state.withLock { $0.phones[0].isPaired = false }
    #expect(failure()?.message == "the iPhone or iPad does not trust this computer")
    phone.plug([])
    // The kernel may list a phone that is connected to the test machine, so the expected message depends on it.
    #expect(failure()?.message == IPhones.absence(isServed: true).message)
    #expect(failure()?.kind == .system && failure()?.path == "iphone:")
    let absent = try UsbmuxAddress("UNIX:/nowhere/usbmuxd")
    #expect(
      refusal { try IPhoneSource("iphone:", options: RecordingOptions(), rate: nil, at: absent) }?.message
        == IPhones.absence(isServed: false).message)
  }

  /// The kernel's list distinguishes a phone without trust, one without usbmuxd, and none.
  @Test func whyThereIsNone() throws {
    let folder = TemporaryFolder()
    func plug(_ name: String, _ vendor: String, _ product: String) throws {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
      try folder.write((vendor + "\n").utf8, name + "/idVendor")
      try folder.write((product + "\n").utf8, name + "/idProduct")
    }
    let path = folder.file("")
    try plug("usb1", "1d6b", "0002")
    // An Apple keyboard.
    try plug("1-1", "05ac", "024f")
    for isServed in [true, false] {
      #expect(IPhones.absence(isServed: isServed, folder: path).message == "no iPhone or iPad is connected by USB")
    }
    try plug("1-2", "05ac", "12a8")
    #expect(IPhones.absence(isServed: true, folder: path) == IPhones.untrusted)
    #expect(IPhones.absence(isServed: false, folder: path).hint?.text.contains("apt install usbmuxd") == true)
    #expect(!IPhones.isPluggedIn("/nowhere"))
  }

  /// A usbmuxd that returns nonsense, errors, or nothing.
  @Test func hostileMux() throws {
    func result(_ number: Int) -> [UInt8] {
      StandInPhone.packet(PropertyList.file([("MessageType", .string("Result")), ("Number", .integer(number))]))
    }
    let huge = [UInt32.max, 1, 8, 1].flatMap { MadeArchive.word(Int($0), 4) }
    for answer in [
      [], [1, 2, 3], huge, StandInPhone.packet([]), StandInPhone.packet(Array("garbage".utf8)), result(1), result(99),
      StandInPhone.packet(Array("<plist><dict><key>DeviceList</key><string>a</string></dict></plist>".utf8)),
    ] {
      phone.state.withLock { $0.answer = answer }
      #expect(failure()?.message == "Backdrop does not understand usbmuxd's answer")
      let listed = IPhones.list(at: try usbmuxd())
      #expect(listed.count == 1 && listed[0].fault?.hint != nil)
    }
    // The list leaves out entries that are not devices.
    let odd = """
      <plist><dict><key>DeviceList</key><array><true/><dict/><dict><key>Properties</key><dict>
      <key>ConnectionType</key><string>USB</string><key>DeviceID</key><integer>-1</integer>
      <key>SerialNumber</key><string>a</string></dict></dict><dict><key>Properties</key><dict>
      <key>ConnectionType</key><string>USB</string><key>DeviceID</key><integer>1</integer>
      <key>SerialNumber</key><string>&lt;script&gt;</string></dict></dict></array></dict></plist>
      """
    phone.state.withLock { $0.answer = StandInPhone.packet(Array(odd.utf8)) }
    #expect(failure()?.message == IPhones.absence(isServed: true).message)
  }

  /// A length of 4 GB ends the stream before memory is allocated.
  @Test func lengthOfFourGigabytes() throws {
    let body = try StandInPhone.body(of: try Self.scenes.get()[0])
    phone.state.withLock { state in
      state.messages = [StandInPhone.message(body), StandInPhone.message([1, 2, 3], length: .max)]
      state.sending = .once
    }
    let source = try open()
    try first(source)
    let error = refusal { try first(source) }
    #expect(error?.kind == .overLimit && error?.message.contains("4294967295 bytes") == true)
    #expect(error?.path == "iphone:")
  }

  /// A phone that is silent from the beginning, one that stops between messages, and one that stops within a message.
  @Test func silence() throws {
    phone.state.withLock { $0.sending = .silence }
    #expect(failure()?.message == "the phone sends no frames")
    #expect(failure()?.hint?.text == "unlock it, open Record3D, and press its red button")
    let body = try StandInPhone.body(of: try Self.scenes.get()[0])
    send([body], .rate(50))
    let source = try open(rate: 30)
    try first(source)
    phone.state.withLock { $0.sending = .silence }
    let error = refusal { while true { _ = try source.next(within: 0.1) } }
    #expect(error?.message == "the phone sends no frames" && error?.kind == .system)
    phone.state.withLock { state in
      state.messages = [StandInPhone.message(body, length: UInt32(body.count) + 1000)]
      state.sending = .once
    }
    #expect(failure()?.message == "the phone ended its stream")
  }

  /// Reading waits no longer than requested.
  @Test func waitsNoLongerThanAsked() throws {
    send([try StandInPhone.body(of: try Self.scenes.get()[0])], .rate(1))
    let source = try open()
    try first(source)
    phone.state.withLock { $0.sending = .silence }
    // A frame may have been on its way. A longer wait would end with an error.
    let next = [try source.next(within: 0), try source.next(within: 0), try source.next(within: 0)]
    #expect(next.contains { $0 == nil })
  }

  /// Waits for a frame.
  private func first(_ source: IPhoneSource) throws { while try source.next(within: 1) == nil {} }

  /// From a flood of frames the source delivers the newest, at most at the requested rate, with limited memory.
  @Test func flood() throws {
    let scenes = try Self.scenes.get()
    send(try scenes.map { try StandInPhone.body(of: $0) }, .flood)
    let source = try open(rate: 20)
    let start = SuspendingClock.now
    var moments: [SuspendingClock.Instant] = []
    while moments.count < 10 { if let arrival = try source.next(within: 5) { moments.append(arrival.moment) } }
    // Half a frame's time apart.
    for (earlier, later) in zip(moments, moments.dropFirst()) { #expect(later - earlier >= .milliseconds(25)) }
    #expect(moments[9] - start >= .milliseconds(200))
    let sent = phone.state.withLock { $0.sent }
    #expect(sent >= 10)
  }

  /// The mailbox counts frames that the reader does not take in time, and limits its queue.
  @Test func whatWaitsIsBounded() {
    var mailbox = Record3DStream.Mailbox()
    let big = Record3DStream.Message(body: [UInt8](repeating: 0, count: 30 << 20), arrival: .now)
    for _ in 0..<10 { mailbox.receive(big, isNewestOnly: false) }
    #expect(mailbox.overtaken == 6 && mailbox.byteCount == 120 << 20)
    mailbox.receive(big, isNewestOnly: true)
    #expect(mailbox.overtaken == 10 && mailbox.byteCount == 30 << 20)
    #expect(mailbox.next() != nil && mailbox.next() == nil && mailbox.byteCount == 0)
  }

  /// The source skips and reports an unusable frame, or one of a different size; a recording continues.
  @Test func damagedFrames() throws {
    let scenes = try Self.scenes.get()
    let good = try scenes.map { try StandInPhone.body(of: $0) }
    let other = try SimulatedCamera(address: "sim:talking?size=160x120&seconds=1").frame(0).frame
    var cut = good[1]
    cut.removeLast(500)
    send([good[0], cut, try StandInPhone.body(of: other), [], good[2]], .once)
    let source = try open()
    #expect(try source.next() != nil && source.next() != nil)
    #expect(source.skipped.count == 3)
    #expect(source.skipped.first.contains { $0.reason.contains("160×120") })
    #expect(throws: BackdropError.self) { try source.next() }
  }

  /// A released source closes its connections: no descriptor remains.
  @Test func connectionsAreClosed() throws {
    send(try Self.scenes.get().map { try StandInPhone.body(of: $0) }, .rate(200))
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    _ = try open()
    let before = try descriptors()
    for _ in 0..<20 { try first(try open(rate: 30)) }
    try eventually("the connections are closed") { try descriptors() <= before + 4 }
  }
}
