import BackdropImaging
import CFFmpeg

/// FFmpeg's libraries, opened by the first call to them (`CFFmpegLoader`). They need not be installed.
package enum FFmpegLibraries {
  /// Opens them in advance, including libavfilter, which interlaced videos need, so that later calls open no files.
  package static func open() {
    _ = avformat_version()
    _ = avfilter_get_by_name("bwdif")
    FFmpegLog.install()
  }

  /// Checks that the libraries are installed.
  ///
  /// - Throws: `unsupported` if they are missing.
  package static func check(for path: String) throws(BackdropError) {
    // The placeholder for missing libraries returns 0 for every call.
    guard avformat_version() == 0 else { return }
    throw BackdropError(
      .unsupported, "videos need FFmpeg's libraries, and they are not installed", path: path,
      hint: "on Debian: sudo apt install libavformat\(LIBAVFORMAT_VERSION_MAJOR) libswscale\(LIBSWSCALE_VERSION_MAJOR)")
  }
}
