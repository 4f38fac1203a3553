struct FileSignature: Sendable {
  let content: FileContent
  /// Any of these marks, and the second one.
  private let marks: [Mark], second: Mark?

  /// Bytes at a position, by default at the start of a file.
  struct Mark: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    var bytes: [UInt8]
    var start = 0

    init(stringLiteral text: String) { bytes = Array(text.utf8) }
    init(arrayLiteral elements: UInt8...) { bytes = elements }

    static func at(_ start: Int, _ mark: Mark) -> Mark {
      var mark = mark
      mark.start = start
      return mark
    }

    func isFound(in file: Span<UInt8>) -> Bool {
      file.count >= start + bytes.count && bytes.indices.allSatisfy { file[start + $0] == bytes[$0] }
    }
  }

  init(_ content: FileContent, _ marks: Mark..., and second: Mark? = nil) {
    (self.content, self.marks, self.second) = (content, marks, second)
  }

  /// The kind of a file; `nil` if no signature is in it. Kinds with other conditions are in ``FileContent``.
  static func content(of file: Span<UInt8>) -> FileContent? {
    all.first { $0.isFound(in: file) }?.content
  }

  private func isFound(in file: Span<UInt8>) -> Bool {
    marks.contains { $0.isFound(in: file) } && second?.isFound(in: file) != false
  }

  /// The first that matches is taken.
  private static let all = videos + raw + tiff + pictures + netpbm + rare + documents

  private static let videos: [FileSignature] = [
    FileSignature(.video("a GIF"), "GIF8"),
    FileSignature(.video("an AVI video"), "RIFF", and: .at(8, "AVI")),
    FileSignature(.video("a Matroska or WebM video"), [0x1A, 0x45, 0xDF, 0xA3]),
    FileSignature(.video("a YUV4MPEG2 video"), "YUV4MPEG2"),
  ]

  /// Some of them begin like TIFF files and have more bytes of their own.
  private static let raw: [FileSignature] = [
    FileSignature(.raw("a Canon raw file (CR2)"), "II*\0", and: .at(8, "CR\u{2}")),
    FileSignature(.raw("a Canon raw file (CRW)"), "II", and: .at(6, "HEAPCCDR")),
    FileSignature(.raw("a Phase One raw file (IIQ)"), "II*\0", and: .at(8, "IIII")),
    FileSignature(.raw("a Phase One raw file (IIQ)"), [0x4D, 0x4D, 0, 0x2A], and: .at(8, "MMMM")),
    FileSignature(.raw("a Fujifilm raw file (RAF)"), "FUJIFILMCCD-RAW"),
    FileSignature(.raw("a Panasonic or Leica raw file (RW2)"), "IIU\0"),
    FileSignature(.raw("an Olympus raw file (ORF)"), "IIRO", "IIRS", "MMOR"),
    FileSignature(.raw("a Minolta raw file (MRW)"), [0, 0x4D, 0x52, 0x4D]),
    FileSignature(.raw("a Sigma raw file (X3F)"), "FOVb"),
    FileSignature(.raw("a Contax raw file"), .at(25, "ARECOYK")),
    FileSignature(.raw("a Lytro raw file (LFP)"), [0x89, 0x4C, 0x46, 0x50]),
    FileSignature(.raw("a RED raw video (R3D)"), .at(4, "RED1"), .at(4, "RED2")),
  ]

  /// 43 is BigTIFF, which has offsets of 8 bytes.
  private static let tiff: [FileSignature] = [
    FileSignature(.tiff, "II*\0", [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0, 8, 0], [0x4D, 0x4D, 0, 0x2B, 0, 8])
  ]

  private static let pictures: [FileSignature] = [
    FileSignature(.otherPicture("an OpenEXR picture"), [0x76, 0x2F, 0x31, 0x01]),
    FileSignature(.otherPicture("a Photoshop file"), "8BPS"),
    FileSignature(.otherPicture("a JPEG XL picture"), [0xFF, 0x0A], .at(4, "JXL ")),
    FileSignature(.otherPicture("a JPEG 2000 picture"), [0xFF, 0x4F, 0xFF, 0x51], .at(4, "jP  ")),
    FileSignature(.otherPicture("a QOI picture"), "qoif"),
    FileSignature(.otherPicture("a DPX picture"), "SDPX", "XPDS"),
    FileSignature(.otherPicture("a PFM picture"), "PF\n", "Pf\n"),
    FileSignature(.otherPicture("a Sun raster picture"), [0x59, 0xA6, 0x6A, 0x95]),
    FileSignature(.otherPicture("a DirectDraw picture (DDS)"), "DDS "),
    FileSignature(.otherPicture("an XPM picture"), "/* XPM */"),
    FileSignature(.otherPicture("a FITS picture"), "SIMPLE  ="),
  ]

  /// The magic number, and white space or a comment.
  private static let netpbm: [FileSignature] = "1234567".utf8.flatMap { kind in
    " \t\n\r#".utf8.map { after in
      FileSignature(.otherPicture("a PPM, PGM, PBM or PAM picture"), [UInt8(ascii: "P"), kind, after])
    }
  }

  private static let rare: [FileSignature] = [
    FileSignature(.rarePicture("a BPG picture"), [0x42, 0x50, 0x47, 0xFB]),
    FileSignature(.rarePicture("a GIMP file (XCF)"), "gimp xcf"),
    FileSignature(.rarePicture("a JPEG XR picture"), [0x49, 0x49, 0xBC]),
    FileSignature(.rarePicture("a FLIF picture"), "FLIF"),
    FileSignature(.rarePicture("a DjVu file"), "AT&TFORM"),
    FileSignature(.rarePicture("an Apple icon (ICNS)"), "icns"),
    FileSignature(.rarePicture("a Farbfeld picture"), "farbfeld"),
    FileSignature(.rarePicture("a Radiance picture (HDR)"), "#?RADIANCE", "#?RGBE"),
    FileSignature(.rarePicture("an ImageMagick picture (MIFF)"), "id=ImageMagick"),
    FileSignature(.rarePicture("a PGF picture"), "PGF6"),
    FileSignature(.rarePicture("an MNG animation"), [0x8A, 0x4D, 0x4E, 0x47]),
    FileSignature(.rarePicture("a Cineon picture"), [0x80, 0x2A, 0x5F, 0xD7]),
    FileSignature(.rarePicture("a Paint Shop Pro picture"), "Paint Shop Pro Image"),
    FileSignature(.rarePicture("a DICOM picture"), .at(128, "DICM")),
  ]

  private static let documents: [FileSignature] = [
    FileSignature(.document("a PDF document"), "%PDF"),
    FileSignature(.document("a PostScript file"), "%!PS", [0xC5, 0xD0, 0xD3, 0xC6]),
    FileSignature(.document("an SVG or XML file"), "<svg", "<?xml", "\u{FEFF}<?xml", "<!DOCTYPE svg"),
    FileSignature(.document("a web page"), "<!DOCTYPE html", "<!doctype html", "<html"),
  ]
}
