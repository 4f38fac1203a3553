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
    let names = structure.segments.compactMap { segment -> String? in
      switch segment.marker {
      // Headers of the coded picture, and thumbnails beside them.
      case 0xE0, 0xEE: return nil
      case 0xE1
      where [Segment.exifMark, Segment.xmpMark, Segment.extendedXMPMark].contains {
        segment.isMarked(0xE1, $0, file)
      }: return nil
      case 0xE2
      where [Segment.iccMark, Segment.mpfMark, Segment.gainMapMark].contains {
        segment.isMarked(0xE2, $0, file)
      }: return nil
      // Curves of Apple's gain map.
      case 0xEA where segment.isMarked(0xEA, "AROT\0", file): return nil
      case 0xED where segment.isMarked(0xED, Segment.photoshopMark, file): return nil
      case 0xE0...0xEF: return "APP\(segment.marker - 0xE0)"
      default: return nil
      }
    }
    if !names.isEmpty {
      let list = Set(names).sorted().joined(separator: ", ")
      result.append("Backdrop leaves out parts of the JPEG that only its camera or program understands: \(list)")
    }
    return result
  }
}
