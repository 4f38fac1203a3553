import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Forms of Google's depth formats that other programs write and Backdrop does not.
@Suite struct GooglePhotoTests {
  static let namespaces =
    """
    xmlns:Device="http://ns.google.com/photos/dd/1.0/device/" xmlns:Container="http://ns.google.com/photos/dd/1.0/container/"
    xmlns:Item="http://ns.google.com/photos/dd/1.0/item/" xmlns:Camera="http://ns.google.com/photos/dd/1.0/camera/"
    xmlns:DepthMap="http://ns.google.com/photos/dd/1.0/depthmap/" xmlns:Image="http://ns.google.com/photos/dd/1.0/image/"
    """

  /// Attributes in typed nodes, structures with `rdf:value` and `rdf:type`, padding, an original picture, upper and lower case, a JPEG
  /// depth image.
  @Test(arguments: [true, false]) func dynamicDepthOfOthers(_ isWrapped: Bool) throws {
    let image = MadePhoto.gray(32, 24)
    let depth = try JPEG.encode(image, quality: 100)
    let original = try MadePhoto.jpegPicture(20, 15).bytes
    func item(_ mime: String, _ length: Int, _ padding: Int, _ uri: String) -> String {
      isWrapped
        ? """
        <rdf:li rdf:parseType="Resource"><rdf:value rdf:parseType="Resource"><Item:Mime>\(mime)</Item:Mime>
        <Item:Length>\(length)</Item:Length><Item:Padding>\(padding)</Item:Padding><Item:DataURI>\(uri)</Item:DataURI>
        </rdf:value><rdf:type>http://ns.google.com/photos/dd/1.0/container/:Item</rdf:type></rdf:li>
        """
        : """
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(mime)" Item:Length="\(length)"
        Item:Padding="\(padding)" Item:DataURI="\(uri)"/></rdf:li>
        """
    }
    let directory =
      item("image/jpeg", 0, 5, "primary") + item("image/jpeg", original.count, 3, "original")
      + item("image/jpeg", depth.count, 0, "map")
    let map =
      """
      <Camera:DepthMap rdf:parseType="Resource"><DepthMap:Format>RANGEINVERSE</DepthMap:Format>
      <DepthMap:Units>Diopters</DepthMap:Units><DepthMap:Near>2</DepthMap:Near><DepthMap:Far>0.125</DepthMap:Far>
      <DepthMap:DepthURI>map</DepthMap:DepthURI></Camera:DepthMap>
      """
    let picture =
      "<Camera:Image Image:ItemSemantic=\"Original\" Image:ItemURI=\"original\"/>"
    let camera =
      isWrapped
      ? "<rdf:li rdf:parseType='Resource'><rdf:value rdf:parseType='Resource'>\(map)\(picture)</rdf:value></rdf:li>"
      : "<rdf:li rdf:parseType='Resource'><Device:Camera rdf:parseType='Resource'>\(map)\(picture)</Device:Camera></rdf:li>"
    let xmp = MadePhoto.packet(
      Self.namespaces,
      """
      <Device:Container rdf:parseType="Resource"><Container:Directory><rdf:Seq>\(directory)</rdf:Seq></Container:Directory>
      </Device:Container><Device:Cameras><rdf:Seq>\(camera)</rdf:Seq></Device:Cameras>
      """)
    let behind = [1, 2, 3, 4, 5] + original + [9, 9, 9] + depth
    let photo = try DepthPhoto.read(MadePhoto.jpeg([JPEGAssembly.xmpSegment(xmp)], behind: behind))
    #expect((photo.original as? JPEGPicture)?.bytes == original)
    let found = try #require(try photo.depth())
    #expect(found.properties.accuracy == .absolute)
    // 2 diopters are half a metre, an eighth of a diopter is eight metres.
    let v = Double(found.samples.plane(as: UInt8.self)[7, 7]) / 255
    #expect(abs(Double(found.disparity.perMetre[7, 7]) - (2 - v * 1.875)) < 1e-6)
    #expect(try DepthPhoto.read(photo.jpeg()).auxiliaries.map(\.kind) == [.depth])
  }

  /// A written range reads back as the same line, near first.
  @Test(arguments: 0..<50) func ranges(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for quantity in DepthProperties.Quantity.allCases {
      let ends = (Double.random(in: 0.01...50, using: &random), Double.random(in: 0.01...50, using: &random))
      let accuracy: DisparityMap.Accuracy = Bool.random(using: &random) ? .absolute : .relative
      let before = DepthProperties(quantity, .uint8, first: ends.0, last: ends.1, accuracy: accuracy)
      let (range, isReversed) = try GoogleRange.describing(before)
      #expect(range.near <= range.far)
      let fields = [
        "Format": range.format.rawValue, "Near": "\(range.near)", "Far": "\(range.far)",
        "Units": range.metres == nil ? "None" : "Meters",
      ]
      let after = try GoogleRange { fields[$0] }.properties(.uint8)
      let (first, last) = isReversed ? (after.last, after.first) : (after.first, after.last)
      #expect(abs((first ?? 0) - ends.0) < 1e-9 && abs((last ?? 0) - ends.1) < 1e-9, "seed \(seed)")
      #expect(after.quantity == quantity && after.accuracy == accuracy)
    }
  }

  /// An index in the other byte order, as other cameras write it.
  @Test func littleEndianIndex() throws {
    var writer = ByteWriter(order: .little)
    writer.data("II".utf8)
    writer.uint16(42)
    writer.uint32(8)
    writer.uint16(3)
    for (tag, type, count, value) in [(0xB000, 7, 4, 0x3030_3130), (0xB001, 4, 1, 2), (0xB002, 7, 32, 50)] {
      writer.uint16(tag)
      writer.uint16(type)
      writer.uint32(count)
      writer.uint32(value)
    }
    writer.uint32(0)
    for (attribute, size, offset) in [(0x2003_0000, 40, 0), (0x0002_0002, 7, 60)] {
      writer.uint32(attribute)
      writer.uint32(size)
      writer.uint32(offset)
      writer.uint32(0)
    }
    let bytes = [0, 0, 0] + writer.bytes
    let index = try MPFIndex(bytes, in: 3..<bytes.count)
    #expect(index.entries.map(\.range) == [0..<40, 63..<70])
    #expect(index.entries.map(\.type) == [0x03_0000, 0x02_0002])
  }
}
