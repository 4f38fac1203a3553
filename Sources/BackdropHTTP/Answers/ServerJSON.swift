import BackdropImaging

/// How servers write JSON.
package enum ServerJSON {
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    var writer = JSONWriter(notFinite: .texts(infinity: "inf", nan: "nan"))
    // Pages have buttons in place of flags, and other programs settings.
    let wording: Remedy.Wording = \.text
    writer.userInfo[Remedy.wordingKey] = wording
    return try writer.encode(value)
  }

  package static func text(_ value: some Encodable) -> String? {
    do {
      return String(decoding: try encode(value), as: UTF8.self)
    } catch {
      // What a server says itself can be written.
      return nil
    }
  }
}
