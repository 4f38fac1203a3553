import BackdropImaging

/// usbmuxd's protocol: lists Apple's phones and tablets connected by USB, and connects to their ports.
///
/// A message is 16 bytes (four little-endian 32-bit words: the total length, version 1, kind 8, a tag) and a property list. There is no
/// standard; the messages are those of libusbmuxd (github.com/libimobiledevice/libusbmuxd, 2.0).
struct Usbmux: Sendable {
  struct Device: Sendable {
    /// usbmuxd's number for it, until it is disconnected.
    var number: Int
    /// usbmuxd's serial number, at present equal to the UDID.
    var serial: String
    var udid: String
    /// The USB product number of its model.
    var product: Int

    var kind: String {
      // All USB numbers of iPads, as libimobiledevice's usbids and Linux's ipheth list them.
      [0x129A, 0x129F, 0x12A2, 0x12A3, 0x12A4, 0x12A5, 0x12A6, 0x12A9, 0x12AB].contains(product)
        ? "iPad" : product == 0 ? "iPhone or iPad" : "iPhone"
    }

    /// Whether the text is its serial number or UDID, with or without hyphens.
    func matches(_ text: String) -> Bool {
      func plain(_ text: String) -> String { text.lowercased().replacing("-", with: "") }
      return [serial, udid].contains { plain($0) == plain(text) }
    }
  }

  /// The longest time that an exchange with usbmuxd may take.
  static let timeout = Duration.seconds(3)
  private static let byteLimit = 1 << 20
  private static let deviceLimit = 64
  private let address: UsbmuxAddress

  /// A client of usbmuxd at an address; `nil` takes the address from the environment.
  init(_ address: UsbmuxAddress?) throws(BackdropError) {
    if let address { self.address = address } else { self.address = try .current() }
  }

  /// The devices connected by USB, in the order of their connection; `nil` if usbmuxd is not running.
  func devices() throws(BackdropError) -> [Device]? {
    guard let (answer, _) = try ask([("MessageType", .string("ListDevices"))]) else { return nil }
    return try Self.devices(in: answer)
  }

  /// The devices in an answer to `ListDevices`.
  static func devices(in answer: PropertyList) throws(BackdropError) -> [Device] {
    guard let list = answer["DeviceList"]?.elements else { throw misunderstood }
    return list.prefix(deviceLimit).compactMap(device).sorted { $0.number < $1.number }
  }

  /// A device connected by USB; Wi-Fi devices are left out.
  private static func device(_ entry: PropertyList) -> Device? {
    guard let properties = entry["Properties"], properties["ConnectionType"]?.text == "USB",
      let number = entry["DeviceID"]?.number ?? properties["DeviceID"]?.number,
      let serial = properties["SerialNumber"]?.text ?? properties["UDID"]?.text, isName(serial),
      case let udid = properties["UDID"]?.text ?? serial, isName(udid), (0...Int(UInt32.max)).contains(number)
    else { return nil }
    return Device(number: number, serial: serial, udid: udid, product: properties["ProductID"]?.number ?? 0)
  }

  /// Whether a text may be a serial number: letters, digits and hyphens.
  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.allSatisfy { $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Connects to a port of a device; `nil` if nothing listens there, or the device was disconnected.
  func connect(to device: Device, port: UInt16) throws(BackdropError) -> UsbmuxSocket? {
    let request: [(String, PropertyList)] = [
      ("MessageType", .string("Connect")), ("DeviceID", .integer(device.number)),
      // In network byte order.
      ("PortNumber", .integer(Int(port.byteSwapped))),
    ]
    guard let (answer, socket) = try ask(request) else { return nil }
    switch answer["Number"]?.number {
    case 0: return socket
    case 2, 3: return nil
    case let number?:
      throw BackdropError(
        .system, "usbmuxd cannot connect to the phone (result \(number))", hint: "reconnect the cable")
    case nil: throw Self.misunderstood
    }
  }

  /// Whether a device trusts this computer: usbmuxd then has a pairing record for it.
  func isPaired(with device: Device) throws(BackdropError) -> Bool {
    let answer = try ask([("MessageType", .string("ReadPairRecord")), ("PairRecordID", .string(device.serial))])?.answer
    return answer?["PairRecordData"] != nil
  }

  private static var misunderstood: BackdropError {
    BackdropError(
      .badData, "Backdrop does not understand usbmuxd's answer",
      hint: "install a newer version: sudo apt install usbmuxd")
  }

  /// The answer to a request, and the connection that it came through; `nil` if usbmuxd is not running.
  private func ask(
    _ request: [(key: String, value: PropertyList)]
  ) throws(BackdropError) -> (answer: PropertyList, socket: UsbmuxSocket)? {
    let deadline = SuspendingClock.now + Self.timeout
    guard let socket = try UsbmuxSocket(address, until: deadline) else { return nil }
    let body = PropertyList.file(
      request + [
        ("ProgName", .string("backdrop")), ("ClientVersionString", .string("backdrop")),
        ("kLibUSBMuxVersion", .integer(3)),
      ])
    var message: [UInt8] = []
    for word in [UInt32(16 + body.count), 1, 8, 1] {
      withUnsafeBytes(of: word.littleEndian) { message += $0 }
    }
    do throws(BackdropError) {
      try socket.send(message + body, until: deadline)
      guard let header = try socket.receive(16, until: deadline) else { throw Self.misunderstood }
      let length = Int(header.word32(0))
      guard length > 16 && length <= Self.byteLimit, let answer = try socket.receive(length - 16, until: deadline)
      else { throw Self.misunderstood }
      return (try PropertyList(answer), socket)
    } catch {
      if error.kind == .badData { throw Self.misunderstood }
      throw BackdropError(.system, "usbmuxd does not answer", hint: "restart it: sudo systemctl restart usbmuxd")
    }
  }
}
