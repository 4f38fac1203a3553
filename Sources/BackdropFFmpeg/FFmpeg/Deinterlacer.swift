import BackdropImaging
import CFFmpeg

/// Deinterlaces pictures, and returns one for each, with FFmpeg's `bwdif` (`mode=send_frame:deint=interlaced`), which passes progressive
/// ones through. A picture is ready after the next one was sent, or at the end.
package final class Deinterlacer {
  /// Times that not every version of the filter keeps.
  private struct Times {
    var time: Int64, duration: Int64
    var isSilent: Bool
  }

  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>
  private let shape: (width: Int32, height: Int32, format: Int32)
  private var waiting: [Times] = []
  private var count: Int64 = 0
  /// Whether the end was announced.
  package private(set) var isEnding = false

  /// Makes a deinterlacer for frames of this size and format.
  ///
  /// - Throws: `unsupported` if the filter is not installed.
  package init(like frame: FrameBuffer) throws(BackdropError) {
    FFmpegLog.install()
    shape = Self.shape(of: frame)
    guard let graph = avfilter_graph_alloc() else {
      throw BackdropError(
        .unsupported, "interlaced video needs FFmpeg's libavfilter, and it is not installed",
        hint: "on Debian: sudo apt install libavfilter\(LIBAVFILTER_VERSION_MAJOR)")
    }
    self.graph = graph
    let form = "video_size=\(shape.width)x\(shape.height):pix_fmt=\(shape.format):time_base=1/1000:pixel_aspect=1/1"
    var (source, filter, sink): (UnsafeMutablePointer<AVFilterContext>?, _, _) = (
      nil, nil as UnsafeMutablePointer<AVFilterContext>?, nil as UnsafeMutablePointer<AVFilterContext>?
    )
    var codes = [avfilter_graph_create_filter(&source, avfilter_get_by_name("buffer"), "in", form, nil, graph)]
    codes.append(
      avfilter_graph_create_filter(
        &filter, avfilter_get_by_name("bwdif"), "bwdif", "mode=send_frame:parity=auto:deint=interlaced", nil, graph))
    codes.append(avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nil, nil, graph))
    guard codes.allSatisfy({ $0 >= 0 }), let source, let filter, let sink, avfilter_link(source, 0, filter, 0) >= 0,
      avfilter_link(filter, 0, sink, 0) >= 0, avfilter_graph_config(graph, nil) >= 0
    else {
      var failed: UnsafeMutablePointer<AVFilterGraph>? = graph
      avfilter_graph_free(&failed)
      throw BackdropError(
        .unsupported, "Backdrop cannot deinterlace this kind of video",
        hint: "deinterlace it first, for example with ffmpeg -vf bwdif")
    }
    (self.source, self.sink) = (source, sink)
  }

  deinit { avfilter_graph_free(&graph) }

  private static func shape(of frame: FrameBuffer) -> (width: Int32, height: Int32, format: Int32) {
    (frame.pointer.pointee.width, frame.pointer.pointee.height, frame.pointer.pointee.format)
  }

  /// Whether a frame has the size and format of earlier ones.
  package func accepts(_ frame: FrameBuffer) -> Bool { !isEnding && Self.shape(of: frame) == shape }

  /// Takes the frame, which is then empty. A silent one only precedes others and does not come out.
  package func send(_ frame: FrameBuffer, isSilent: Bool = false) throws(BackdropError) {
    waiting.append(
      Times(
        time: frame.pointer.pointee.best_effort_timestamp, duration: bd_frame_duration(frame.pointer).pointee,
        isSilent: isSilent))
    frame.pointer.pointee.pts = count
    count += 1
    try FFmpegCode(av_buffersrc_add_frame_flags(source, frame.pointer, 0)).check("deinterlace the video")
  }

  package func end() {
    guard !isEnding else { return }
    isEnding = true
    _ = av_buffersrc_add_frame_flags(source, nil, 0)
  }

  /// The next ready frame; `again` if another must be sent first, `endOfFile` at the end.
  package func receive(into frame: FrameBuffer) -> FFmpegCode {
    while true {
      let code = FFmpegCode(av_buffersink_get_frame(sink, frame.pointer))
      guard !code.isFailure else { return code }
      let times = waiting.isEmpty ? nil : waiting.removeFirst()
      guard let times, !times.isSilent else {
        av_frame_unref(frame.pointer)
        continue
      }
      frame.pointer.pointee.best_effort_timestamp = times.time
      frame.pointer.pointee.pts = times.time
      bd_frame_duration(frame.pointer).pointee = times.duration
      return code
    }
  }
}
