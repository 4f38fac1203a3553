import BackdropImaging

extension PhotoMetadata {
  /// Adapts the metadata to a picture that replaces the original one, and removes every part of the old picture.
  /// ``setSize(width:height:_:)`` sets sizes and orientation separately.
  ///
  /// - Parameter dropsGainMap: whether the old picture's gain map is removed.
  /// - Returns: one sentence for each omitted part that a user may miss.
  mutating func describe(_ change: PictureReplacement, dropsGainMap: inout Bool) -> [String] {
    var remarks: [String] = []
    do throws(BackdropError) {
      var gone: [XMLName] = []
      var unknown: [XMLName] = []
      if let packet = xmp {
        var editor = XMPEditor(packet)
        (gone, unknown) = try editor.describe(change)
        xmp = editor.packet
      }
      if let extended = extendedXMP {
        var editor = XMPEditor(extended)
        let more = try editor.describe(change)
        gone += more.gone
        unknown += more.unknown
        extendedXMP = try XMPPacket(editor.packet).properties.isEmpty ? nil : editor.packet
      }
      if !unknown.isEmpty {
        let names = Set(unknown.map(\.local)).sorted().joined(separator: ", ")
        remarks.append("Backdrop leaves out parts of the XMP metadata that may hold the old picture: \(names.excerpt)")
      }
      if gone.contains(where: { PictureNamespace.gainMaps.contains($0.namespace) }) { dropsGainMap = true }
    } catch {
      // Unreadable data may contain anything.
      if xmp != nil { remarks.append("Backdrop cannot read the XMP metadata and leaves it out") }
      (xmp, extendedXMP) = (nil, nil)
    }
    if let bytes = exif {
      do throws(BackdropError) {
        var data = try EXIFData(bytes)
        remarks += data.describe(change, dropsGainMap: dropsGainMap)
        if data.damagedParts > 0 {
          remarks.append("Backdrop leaves out damaged parts of the EXIF data: \(data.damagedParts)")
        }
        exif = data.encoded
      } catch {
        exif = nil
        remarks.append("the EXIF data is damaged, and Backdrop leaves it out")
      }
    }
    if let bytes = imageResources {
      var resources = ImageResources(bytes)
      resources.describe(change)
      imageResources = resources.resources.isEmpty ? nil : resources.encoded
    }
    return remarks
  }

  /// Sets the picture's size where EXIF and XMP have it, and its orientation; leaves everything else.
  mutating func setSize(width: Int, height: Int, _ orientation: Orientation) {
    do throws(BackdropError) {
      if let bytes = exif {
        var data = try EXIFData(bytes)
        let before = data
        data.setSize(width: width, height: height)
        if data != before { exif = data.encoded }
      }
      if let packet = xmp {
        var editor = XMPEditor(packet)
        try editor.setSize(width: width, height: height, orientation)
        xmp = editor.packet
      }
    } catch {
      // Other programs cannot read damaged metadata either, so leave it.
    }
    setEXIFOrientation(orientation)
  }
}
