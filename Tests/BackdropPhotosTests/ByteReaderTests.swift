import BackdropImaging
import Testing
@testable import BackdropPhotos

@Suite struct ByteReaderTests {
  @Test(arguments: [ByteReader.Order.big, .little], 0...8) func readsWhatWasWritten(
    _ order: ByteReader.Order, _ size: Int
  )
    throws
  {
    let mask: UInt64 = size == 8 ? .max : (1 << UInt64(8 * size)) - 1
    let value = 0x0102_0304_0506_0708 & mask
    var writer = ByteWriter(order: order)
    writer.number(value, size: size)
    writer.uint16(7)
    writer.replace(at: size, 0xABCD, size: 2)
    var reader = ByteReader(writer.bytes, order: order)
    #expect(try reader.number(size) == value)
    #expect(try reader.uint16() == 0xABCD)
    #expect(reader.left == 0)
  }

  @Test func neverLeavesItsPart() throws {
    var reader = ByteReader([1, 2, 3, 4, 5], in: 1..<4)
    #expect(try reader.uint8() == 2)
    var part = try reader.part(2)
    #expect(throws: BackdropError.self) { try part.uint32() }
    #expect(try part.uint16() == 0x0304)
    #expect(throws: BackdropError.self) { try reader.uint8() }
    #expect(throws: BackdropError.self) { try reader.seek(to: 0) }
    #expect(throws: BackdropError.self) { try reader.skip(-1) }
    #expect(ByteReader([1], in: 0..<9).left == 1)
  }
}
