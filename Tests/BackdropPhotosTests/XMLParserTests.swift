import Foundation
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

@Suite struct XMLParserTests {
  func parse(_ text: String, limits: XMLParser.Limits = .init()) throws -> XMLElement {
    try XMLParser.parse(Array(text.utf8), limits: limits)
  }

  @Test func elementsAttributesAndText() throws {
    let root = try parse(
      """
      \u{FEFF}<?xml version="1.0"?><!-- <no> --><a xmlns="u:1" xmlns:p='u:2' k="1" p:k='&lt;&#x41;&#66;&quot;'>
      x<p:b/>y<![CDATA[<z>&amp;]]><!-- c --><c xmlns="">&gt;</c></a>
      """)
    #expect(root.name == XMLName("u:1", "a"))
    #expect(root.attributes.map(\.name) == [XMLName("", "k"), XMLName("u:2", "k")])
    #expect(root.attributes.map(\.value) == ["1", "<AB\""])
    #expect(root.text == "\nxy<z>&amp;")
    #expect(root.children.map(\.name) == [XMLName("u:2", "b"), XMLName("", "c")])
    #expect(root.children[1].text == ">")
  }

  /// Positions at which an editor can cut.
  @Test func rangesCoverWhatTheySay() throws {
    let text = "<a b=\"1\"  c='2' ><d>x</d><e/></a>"
    let root = try parse(text)
    func part(_ range: Range<Int>) -> String { String(decoding: Array(text.utf8)[range], as: UTF8.self) }
    #expect(root.attributes.map { part($0.range) } == [" b=\"1\"", "  c='2'"])
    #expect(root.children.map { part($0.range) } == ["<d>x</d>", "<e/>"])
    #expect(part(root.range) == text)
    #expect(root.endTag.map { part($0..<text.utf8.count) } == "</a>")
    #expect(root.children[1].endTag == nil)
  }

  @Test(arguments: [
    "", "   ", "text", "<", "<a", "<a>", "<a></b>", "</a>", "<a b></a>", "<a b=1></a>", "<a b=\"1></a>",
    "<a b=\"1\"c=\"2\"/>", "<a b=\"<\"/>", "<p:a/>", "<a p:b=\"1\"/>", "<a>&nbsp;</a>", "<a>&#0;</a>",
    "<a>&#xD800;</a>", "<a>&#99999999;</a>", "<a>& </a>", "<a>&amp</a>", "<a><!-- </a>", "<a><![CDATA[</a>", "<?x",
    "<a>&verylongentityname;</a>",
  ])
  func damaged(_ text: String) {
    let error = refusal { _ = try parse(text) }
    #expect(error?.kind == .badData, "\(text): \(String(describing: error))")
    #expect(error?.hint != nil)
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><!DOCTYPE x></a>", "<!ELEMENT a>",
  ])
  func documentTypes(_ text: String) {
    #expect(refusal { _ = try parse(text) }?.kind == .unsupported)
  }

  @Test func limits() throws {
    let deep = String(repeating: "<a>", count: 64) + String(repeating: "</a>", count: 64)
    _ = try parse(deep)
    let bombs: [String] = [
      "<a>" + deep + "</a>", String(repeating: "<a>", count: 1_000_000),
      "<a>" + String(repeating: "<b/>", count: 100_001) + "</a>",
      "<a " + (0...200_000).map { "b\($0)=\"\"" }.joined(separator: " ") + "/>",
      "<a " + (0...300).map { "xmlns:p\($0)=\"u\"" }.joined(separator: " ") + "/>",
    ]
    for bomb in bombs {
      let error = refusal { _ = try parse(bomb) }
      #expect(error?.kind == .overLimit, "\(bomb.prefix(40)): \(String(describing: error))")
    }
    #expect(refusal { _ = try parse("<a>12345</a>", limits: XMLParser.Limits(bytes: 5)) }?.kind == .overLimit)
  }

  @Test func otherEncodings() {
    for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
      #expect(refusal { _ = try XMLParser.parse(mark + [0x3C, 0, 0x61, 0]) }?.kind == .unsupported)
    }
  }

  /// Attributes, elements, `rdf:value` and nested descriptions all result in the same property.
  @Test(arguments: [
    ("q:k=\"v\"", ""), ("", "<q:k>v</q:k>"), ("", "<q:k rdf:parseType='Resource'><rdf:value>v</rdf:value></q:k>"),
    ("", "<q:k><rdf:Description><rdf:value>v</rdf:value><q:lang>x</q:lang></rdf:Description></q:k>"),
  ])
  func simpleProperties(_ attributes: String, _ elements: String) throws {
    let xmp = try XMPPacket(MadePhoto.packet("xmlns:q=\"urn:q\" " + attributes, elements))
    let value = xmp["urn:q", "k"]
    #expect(value?.text == "v" || value?["urn:q", "lang"]?.text == "x")
  }

  @Test func arraysAndStructures() throws {
    let xmp = try XMPPacket(
      MadePhoto.packet(
        "xmlns:q=\"urn:q\"",
        """
        <q:list><rdf:Bag><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Bag></q:list>
        <q:all><rdf:Seq><rdf:li rdf:parseType="Resource"><q:in q:a="1"><q:b>2</q:b></q:in></rdf:li>
        <rdf:li><rdf:Description q:a="3"/></rdf:li></rdf:Seq></q:all><q:none/>
        """))
    #expect(xmp["urn:q", "list"]?.items.map(\.text) == ["1", "2"])
    let all = try #require(xmp["urn:q", "all"]?.items)
    #expect(all[0]["urn:q", "in"]?["urn:q", "a"]?.text == "1")
    #expect(all[0]["urn:q", "in"]?["urn:q", "b"]?.text == "2")
    #expect(all[1]["urn:q", "a"]?.text == "3")
    #expect(xmp.text("urn:q", "none") == "")
  }

  @Test func editingKeepsEveryOtherByte() throws {
    let packet = MadePhoto.packet(
      "dc:a=\"1\" GDepth:Near=\"2\" dc:b='3'", "<!-- x --><GDepth:Data>..</GDepth:Data><dc:c>4</dc:c>")
    var editor = XMPEditor(packet)
    let left = try editor.remove { GoogleNamespace.describesDepth($0.name) }.left
    #expect(left == 3)
    let expected = MadePhoto.packet("dc:a=\"1\" dc:b='3'", "<!-- x --><dc:c>4</dc:c>")
    #expect(editor.packet == expected)
    try editor.add([XMPProperty(GoogleNamespace.depth, "Near", "<5> & \"6\"\u{1}")])
    let xmp = try XMPPacket(editor.packet)
    #expect(xmp.text(GoogleNamespace.depth, "Near") == "<5> & \"6\"")
    #expect(xmp.text("http://purl.org/dc/elements/1.1/", "c") == "4")
    #expect(try XMPEditor.withoutDepth(packet) == expected)
  }

  @Test func base64() throws {
    var random = SeededRandom(seed: 4)
    for count in 0..<64 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = MadePhoto.base64(bytes)
      #expect(try Base64.decode(text, "x") == bytes)
      #expect(try Base64.decode(String(text.prefix { $0 != "=" }), "x") == bytes)
      #expect(try Base64.decode(text.map { "\($0)\n " }.joined(), "x") == bytes)
    }
    for bad in ["A", "AA*A", "AA=A", "AAAAA", "é"] {
      #expect(throws: BackdropError.self) { _ = try Base64.decode(bad, "x") }
    }
  }

  /// RFC 1321, appendix A.5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5(_ text: String, _ digest: String) {
    let found = MD5.digest(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    #expect(found == digest)
  }
}
