import Foundation
import TestSupport

@testable import BackdropPhotos

/// Independent readers of HEIC files.
enum HEICTool {
  static let hasPillow = OutsideTool.succeeds(OutsideTool.python, ["-c", "import pillow_heif, numpy"])
  static let hasExifTool = ExifTool.isPresent
  static let canEncode = {
    let source = HEVCSource(.init(gray: .init(repeating: 0, width: 16, height: 16)))
    return (try? HEVCEncoder(like: source, width: 16, height: 16, .standard)) != nil
  }()

  /// pillow-heif's output, line by line: size, lengths of metadata, range of depth, Adler-32 of the samples of 8-bit auxiliary pictures,
  /// mean of the colours.
  static func pillow(_ path: String) throws -> [String] {
    let script = """
      import sys, zlib, numpy, pillow_heif
      h = pillow_heif.open_heif(sys.argv[1])
      print('size', *h.size, h.mode)
      print('exif', len(h.info.get('exif') or b''), 'xmp', len(h.info.get('xmp') or b''),
            'icc', len(h.info.get('icc_profile') or b''))
      for d in h.info.get('depth_images', []):
          m = d.info.get('metadata') or {}
          print('depth', *d.size, zlib.adler32(numpy.asarray(d).tobytes()), m.get('d_min'), m.get('d_max'))
      for urn in sorted(h.info.get('aux', {})):
          for i in h.info['aux'][urn]:
              a = h.get_aux_image(i)
              print('aux', urn, *a.size, zlib.adler32(numpy.asarray(a).tobytes()))
      print('mean', *[round(float(v), 2) for v in numpy.asarray(h).reshape(-1, len(h.mode)).mean(0)])
      """
    return try OutsideTool.text(OutsideTool.python, ["-c", script, path]).split(whereSeparator: \.isNewline).map(
      String.init)
  }
}
