import BackdropImaging
import CFFmpeg

/// FFmpeg's libraries, which are opened at the first call of theirs (`CFFmpegLoader`), and need not be installed.
package enum FFmpegLibraries {
  /// Refuses what cannot be read or written without them.
  ///
  /// - Throws: `unsupported` where they are not there.
  package static func check(for path: String) throws(BackdropError) {
    // What stands in their place answers every question with 0.
    guard avformat_version() == 0 else { return }
    throw BackdropError(
      .unsupported, "videos need FFmpeg's libraries, and they are not installed", path: path,
      hint: "install FFmpeg 5.1; on Debian 12: sudo apt install libavformat59 libswscale6")
  }
}
