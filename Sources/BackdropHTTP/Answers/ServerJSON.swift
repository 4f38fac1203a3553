import BackdropImaging

package enum ServerJSON {
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    var writer = JSONWriter(notFinite: .texts(infinity: "inf", nan: "nan"))
    // Hints must not name the command's flags: pages have buttons, and other programs have settings.
    let wording: Hint.Wording = \.text
    writer.userInfo[Hint.wordingKey] = wording
    return try writer.encode(value)
  }

  package static func text(_ value: some Encodable) -> String? {
    do {
      return String(decoding: try encode(value), as: UTF8.self)
    } catch {
      // Encoding fails only for values that servers do not send.
      return nil
    }
  }
}
