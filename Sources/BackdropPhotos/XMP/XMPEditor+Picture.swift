import BackdropImaging

extension XMPEditor {
  /// Makes the packet true of another picture than the one that it came with.
  ///
  /// - Returns: the names of what is gone, and of these the ones that are not known, and may hold a picture.
  mutating func describe(_ change: PictureReplacement) throws(BackdropError) -> (gone: [XMLName], unknown: [XMLName]) {
    let gone = try remove(where: {
      PictureNamespace.describesOldPicture($0.name, change) || PictureNamespace.mayHoldPicture($0)
    }).gone
    return (gone, gone.filter { !PictureNamespace.describesOldPicture($0, change) })
  }

  /// Where the packet says how large the picture is and how it lies, it says this; all else stays.
  mutating func setSize(width: Int, height: Int, _ orientation: Orientation) throws(BackdropError) {
    let known = try XMPPacket(packet)
    var wanted: [XMPProperty] = []
    for (names, value) in [
      (PictureNamespace.width, width), (PictureNamespace.height, height),
      ([PictureNamespace.orientation], orientation.rawValue),
    ] {
      for name in names where known.properties[name].map({ $0.text != "\(value)" }) ?? false {
        wanted.append(XMPProperty(name.namespace, name.local, "\(value)"))
      }
    }
    guard !wanted.isEmpty else { return }
    let names = Set(wanted.map(\.name))
    try remove(names.contains)
    try add(wanted)
  }
}
