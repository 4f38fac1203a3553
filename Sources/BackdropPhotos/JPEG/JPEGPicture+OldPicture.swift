import BackdropCodecs
import BackdropImaging

extension JPEGPicture {
  /// XMP that exceeded one segment, assembled; `nil` if it is missing or incomplete.
  func extendedXMP(of packet: [UInt8]?) -> [UInt8]? {
    do throws(BackdropError) {
      guard let packet, let identifier = ExtendedXMP.identifier(in: try XMPPacket(packet)) else { return nil }
      return try ExtendedXMP.assemble(identifier, of: structure, in: file)
    } catch {
      return nil
    }
  }

  /// The parts that do not fit another picture's file, one sentence each: data after this picture, and unread segments.
  var partsOfOldPicture: [String] {
    var result: [String] = []
    if trailer != nil {
      result.append("Backdrop leaves out the data after the picture in the file, such as a short video")
    }
    typealias Segment = JPEGStructure.Segment
    let known: [UInt8: [[UInt8]]] = [
      // Headers of the coded picture, and thumbnails beside them.
      0xE0: [[]], 0xEE: [[]], 0xE1: [Segment.exifMark, Segment.xmpMark, Segment.extendedXMPMark],
      0xE2: [Segment.iccMark, Segment.mpfMark, Segment.gainMapMark],
      // Curves of Apple's gain map.
      0xEA: [Array("AROT\0".utf8)], 0xED: [Segment.photoshopMark],
    ]
    let names = structure.segments.compactMap { segment -> String? in
      let isKnown = known[segment.marker]?.contains { segment.isMarked(segment.marker, $0, file) } ?? false
      return isKnown || !(0xE0...0xEF).contains(segment.marker) ? nil : "APP\(segment.marker - 0xE0)"
    }
    if !names.isEmpty {
      let list = Set(names).sorted().joined(separator: ", ")
      result.append("Backdrop leaves out parts of the JPEG that only its camera or program understands: \(list)")
    }
    return result
  }
}
