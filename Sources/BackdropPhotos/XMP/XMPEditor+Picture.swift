import BackdropImaging

extension XMPEditor {
  /// Adapts the packet to a picture that replaces the original one.
  ///
  /// - Returns: the names of removed properties, and which of them are unknown but may contain a picture.
  mutating func describe(_ change: PictureReplacement) throws(BackdropError) -> (gone: [XMLName], unknown: [XMLName]) {
    let gone = try remove { PictureNamespace.describesOldPicture($0.name, change) || $0.mayHoldPicture() }.gone
    return (gone, gone.filter { !PictureNamespace.describesOldPicture($0, change) })
  }

  /// Sets the picture's size and orientation where the packet has them; everything else stays.
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
    try remove { names.contains($0.name) }
    try add(wanted)
  }
}
