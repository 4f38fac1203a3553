import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// Kinds of files by their first bytes. Those of raw files are of `file` 5.44's magic, dcraw 9.28 and ExifTool 13.58's samples.
@Suite struct FileContentTests {
  let folder = TemporaryFolder()

  @Test(arguments: [
    ("FUJIFILMCCD-RAW 0201FF389501", "a Fujifilm raw file (RAF)"),
    ("IIU\0\u{18}\0\0\0", "a Panasonic or Leica raw file (RW2)"),
    ("IIRO\u{8}\0\0\0", "an Olympus raw file (ORF)"), ("MMOR\0\0\0\u{8}", "an Olympus raw file (ORF)"),
    ("II*\0\u{10}\0\0\0CR\u{2}\0", "a Canon raw file (CR2)"), ("II\u{1A}\0\0\0HEAPCCDR", "a Canon raw file (CRW)"),
    ("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "a Canon raw file (CR3)"),
    ("\0MRM\0\0\n\u{C}", "a Minolta raw file (MRW)"),
    ("FOVb\u{2}\0\u{2}\0", "a Sigma raw file (X3F)"), ("II*\0\u{8}\n\0\0IIII", "a Phase One raw file (IIQ)"),
  ]) func rawFiles(start: String, title: String) {
    let content = FileContent(Array(start.utf8).span)
    #expect(content == .raw(title))
    #expect(content.refusal?.message == "Backdrop does not read \(title)" && content.refusal?.kind == .unsupported)
    #expect(content.refusal?.hint?.text.contains("develop it first") == true)
  }

  @Test(arguments: [
    ("BPG\u{FB}", FileContent.rarePicture("a BPG picture")), ("gimp xcf file", .rarePicture("a GIMP file (XCF)")),
    ("8BPS\0\u{1}", .otherPicture("a Photoshop file")), ("\u{FF}\n\u{FA}", .otherPicture("a JPEG XL picture")),
    ("\0\0\0\u{C}JXL \r\n\u{87}\n", .otherPicture("a JPEG XL picture")),
    ("qoif\0\0\0\u{1}", .otherPicture("a QOI picture")),
    ("#?RADIANCE\n", .rarePicture("a Radiance picture (HDR)")), ("II\u{BC}\u{1}", .rarePicture("a JPEG XR picture")),
    ("%PDF-1.7", .document("a PDF document")), ("%!PS-Adobe-3.0 EPSF-3.0", .document("a PostScript file")),
    ("<?xml version=\"1.0\"?><svg/>", .document("an SVG or XML file")), ("<!DOCTYPE html>", .document("a web page")),
    ("\0\0\0\u{18}ftypmif3", .rarePicture("an HEIF picture in the short form")),
    ("II*\0\u{8}\0\0\0", .tiff), ("MM\0*\0\0\0\u{8}", .tiff), ("II+\0\u{8}\0\0\0", .tiff),
    ("P7 is not a picture without more, but P8 is none", .otherPicture("a PPM, PGM, PBM or PAM picture")),
    ("P8\n", .unknown), ("P66", .unknown), ("words", .unknown), ("", .unknown), ("\0\0\u{1}\0", .unknown),
    ("\u{FF}\u{D8}", .picture(.jpeg)), ("RIFF\0\0\0\0WEBP", .picture(.webp)), ("RIFF\0\0\0\0WAVE", .unknown),
  ]) func otherFiles(start: String, content: FileContent) {
    // One byte a character.
    let bytes = start.unicodeScalars.map { UInt8($0.value) }
    let found = FileContent(bytes.span)
    #expect(found == content)
  }

  /// Pictures and videos that FFmpeg 5.1 writes.
  @Test(
    .enabled(if: MediaTool.isPresent, "needs FFmpeg: make setup-test"),
    arguments: [
      ("jp2", "a JPEG 2000 picture"), ("j2c", "a JPEG 2000 picture"), ("ppm", "a PPM, PGM, PBM or PAM picture"),
      ("pgm", "a PPM, PGM, PBM or PAM picture"), ("pbm", "a PPM, PGM, PBM or PAM picture"),
      ("pam", "a PPM, PGM, PBM or PAM picture"), ("qoi", "a QOI picture"), ("dpx", "a DPX picture"),
      ("pcx", "a PCX picture"), ("sgi", "an SGI picture"), ("tga", "a TGA picture"), ("ras", "a Sun raster picture"),
      ("exr", "an OpenEXR picture"), ("pfm", "a PFM picture"), ("fits", "a FITS picture"),
      ("ico", "a Windows icon (ICO)"),
    ]) func pictures(fileExtension: String, title: String) throws
  {
    let path = folder.file("a." + fileExtension)
    try MediaTool.make("-f lavfi -i testsrc=s=48x32 -frames:v 1", path)
    let head = try InputFile.head(path)
    let content = FileContent(head.span)
    #expect(content == .otherPicture(title))
  }

  /// No video is taken for a picture without a signature.
  @Test(
    .enabled(if: MediaTool.isPresent, "needs FFmpeg: make setup-test"),
    arguments: [
      "mp4", "mov", "mkv", "webm", "avi", "ts", "m2ts", "mpg", "m2v", "flv", "ogv", "wmv", "nut", "h264", "hevc", "ivf",
      "obu", "y4m", "gif", "vob", "dv", "3gp", "mjpeg",
    ]) func videos(fileExtension: String) throws
  {
    let path = folder.file("a." + fileExtension)
    let options =
      [
        "dv": "-s 720x576 -pix_fmt yuv420p", "webm": "-c:v libvpx", "obu": "-c:v libaom-av1 -cpu-used 8",
        "y4m": "-pix_fmt yuv420p", "ivf": "-c:v libvpx", "3gp": "-c:v mpeg4",
      ][fileExtension] ?? ""
    try MediaTool.make("-f lavfi -i testsrc=s=176x144:r=25:d=0.2 " + options, path)
    let head = try InputFile.head(path)
    let content = FileContent(head.span)
    switch content {
    case .video, .unknown: break
    case .picture(.jpeg): #expect(fileExtension == "mjpeg")
    case let other: Issue.record("\(fileExtension) is taken for \(other)")
    }
  }
}
