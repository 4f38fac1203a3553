import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The file formats for writing videos; the raw value is the name of FFmpeg's muxer. To add a format, add a case here.
enum VideoContainer: String, CaseIterable {
  case mp4, mov, matroska, webm

  /// The extensions of its files, the default first.
  var fileExtensions: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov"]
    case .matroska: ["mkv"]
    case .webm: ["webm"]
    }
  }

  /// The default extension with its dot.
  var suffix: String { "." + fileExtensions[0] }

  init(path: String) throws(BackdropError) {
    let fileExtension = FileName(path).fileExtension
    guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(fileExtension) }) else {
      throw BackdropError(
        .unsupported,
        fileExtension.isEmpty
          ? "the output's name has no file extension" : "videos are not written as .\(fileExtension)", path: path,
        hint: "end the name in \(VideoSettings.suffixes)")
    }
    self = container
  }

  func canHold(_ codec: VideoSettings.Codec) -> Bool {
    switch (self, codec) {
    case (.matroska, _), (.webm, .vp9), (.webm, .av1): true
    case (.mp4, .h264), (.mp4, .h265), (.mp4, .vp9), (.mp4, .av1), (.mov, .h264), (.mov, .h265), (.mov, .prores): true
    default: false
    }
  }

  /// Its default codec; with alpha `nil` if no default codec keeps that.
  func usualCodec(keepingAlpha: Bool) -> VideoSettings.Codec? {
    switch self {
    case .webm: .vp9
    case .mov where keepingAlpha: .prores
    case .mp4, .mov, .matroska: keepingAlpha ? nil : .h264
    }
  }

  /// Whether its files are of QuickTime's kind, which can also store an orientation.
  var isQuickTime: Bool { self == .mp4 || self == .mov }

  /// The codec for sound that it cannot hold.
  var soundCodec: SoundCodec { isQuickTime ? .aac : .opus }

  /// The format for subtitles that it cannot hold.
  var textCodec: TextCodec {
    switch self {
    case .mp4, .mov: .movText
    case .matroska: .subRip
    case .webm: .webVTT
    }
  }

  /// The muxer's name for a language with two codes (ISO 639-2/T and B): QuickTime uses the older ones; `nil` for the same.
  func languageName(_ code: String) -> String? {
    guard self == .mov else { return nil }
    return [
      "deu": "ger", "nld": "dut", "ell": "gre", "isl": "ice", "zho": "chi", "ron": "rum", "ces": "cze", "slk": "slo",
      "fas": "per", "hye": "arm", "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "sqi": "alb", "cym": "wel",
      "eus": "baq", "bod": "tib",
    ][code]
  }

  /// Whether it can hold sound or subtitles directly: its muxer can begin a temporary file with them.
  func holds(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    // Every opened stream has parameters.
    let codec = stream.pointee.codecpar!.pointee.codec_id
    // FFmpeg writes PCM to .mp4 since version 6.1; few players read it.
    guard let format = av_guess_format(rawValue, nil, nil),
      avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1,
      self != .mp4 || !String(cString: avcodec_get_name(codec)).hasPrefix("pcm_")
    else { return false }
    return FFmpegLog.capturing {
      var pointer: UnsafeMutablePointer<AVFormatContext>?
      guard avformat_alloc_output_context2(&pointer, nil, rawValue, nil) >= 0, let pointer else { return false }
      defer {
        if pointer.pointee.pb != nil { bd_file_close(&pointer.pointee.pb) }
        avformat_free_context(pointer)
      }
      guard let own = avformat_new_stream(pointer, nil),
        avcodec_parameters_copy(own.pointee.codecpar, stream.pointee.codecpar) >= 0
      else { return false }
      own.pointee.codecpar.pointee.codec_tag = 0
      own.pointee.time_base = stream.pointee.time_base
      pointer.pointee.pb = bd_nothing_open()
      return pointer.pointee.pb != nil && avformat_write_header(pointer, nil) >= 0
    }.result
  }

  /// The metadata keys with their own field in it. Others, such as those of camera makers, go into a list of names and texts, for which mp4
  /// and mov then drop those fields.
  private var ordinaryKeys: Set<String> {
    switch self {
    case .mov:
      ["title", "artist", "author", "album", "date", "comment", "genre", "copyright", "make", "model", "keywords"]
    case .mp4:
      [
        "title", "artist", "album_artist", "composer", "album", "date", "comment", "genre", "copyright", "grouping",
        "lyrics", "description", "synopsis", "show", "episode_id", "network", "keywords", "track", "disc", "media_type",
        "hd_video", "gapless_playback", "compilation", "episode_sort", "season_number",
      ]
    case .matroska, .webm: []
    }
  }

  /// Options that make its muxer keep all metadata of a file.
  func options(keeping metadata: OpaquePointer?) -> String {
    guard isQuickTime else { return "" }
    let hasOthers = metadata.tags.contains { tag in
      var key = tag.name.lowercased()
      // The language of a text.
      if let dash = key.lastIndex(of: "-"), key[dash...].count == 4 { key = String(key[..<dash]) }
      return !ordinaryKeys.contains(key) && !["location", "creation_time"].contains(key)
    }
    return hasOthers ? "+use_metadata_tags" : ""
  }
}
