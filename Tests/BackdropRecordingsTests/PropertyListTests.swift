import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropRecordings

@Suite struct PropertyListTests {
  /// Foundation's writer is the reference.
  @Test func readsWhatFoundationWrites() throws {
    let value: [String: Any] = [
      "DeviceList": [["DeviceID": 7, "Properties": ["SerialNumber": "a<b>&\"c'", "LocationID": -1] as [String: Any]]],
      "Data": Data([1, 2, 3]), "Date": Date(timeIntervalSince1970: 0), "Real": 1.5, "Yes": true, "No": false,
      "Empty": "", "None": [Any](), "Nothing": [String: Any](),
    ]
    let bytes = try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0)
    let list = try PropertyList(Array(bytes))
    let device = try #require(list["DeviceList"]?.elements?.first)
    #expect(device["DeviceID"]?.number == 7 && device["Properties"]?["LocationID"]?.number == -1)
    #expect(device["Properties"]?["SerialNumber"]?.text == "a<b>&\"c'")
    #expect(list["Data"] == .other && list["Date"] == .other && list["Real"] == .other)
    #expect(list["Yes"] == .boolean(true) && list["No"] == .boolean(false) && list["Empty"]?.text == "")
    #expect(list["None"] == .array([]) && list["Nothing"] == .dictionary([:]) && list["Absent"] == nil)
  }

  @Test func foundationReadsWhatIsWritten() throws {
    let bytes = PropertyList.file([("A&B", .string("<x> & y")), ("Number", .integer(-5))])
    let value = try #require(
      try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any])
    #expect(value["A&B"] as? String == "<x> & y" && value["Number"] as? Int == -5)
  }

  @Test(arguments: [
    "", "bplist00", "<plist>", "<dict>", "<dict><string>a</string></dict>", "<dict><key>a</key></dict>",
    "<integer>x</integer>", "<integer>99999999999999999999</integer>", "<string>a</key>", "<!-- no end", "<what/>",
    "</dict>", "text", "<>", "<array><dict></array>",
    String(repeating: "<array>", count: 1000), "<!" + String(repeating: "-", count: 100_000),
    String(repeating: "<!---->", count: 20_000),
  ])
  func refused(text: String) {
    let seconds = processorSeconds {
      #expect(refusal { try PropertyList(Array(text.utf8)) }?.kind == .badData)
    }
    // Quadratic time would be a hundred times as much.
    #expect(seconds < 10)
  }

  @Test(arguments: [
    ("UNIX:/run/usbmuxd", true), ("127.0.0.1:27015", true), ("localhost:1", true), ("[::1]:27015", true),
    ("", false), ("UNIX:", false), ("UNIX:relative", false), ("UNIX:/" + String(repeating: "a", count: 200), false),
    ("192.168.1.5:27015", false), ("example.org:27015", false), ("localhost:0", false), ("localhost:99999", false),
    ("localhost", false),
  ])
  func addresses(text: String, isAddress: Bool) {
    let address = try? UsbmuxAddress(text)
    #expect((address != nil) == isAddress)
  }
}
