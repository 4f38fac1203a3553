import BackdropImaging
import Foundation

/// A video file that stands in for a camera: played at its own pace, again and again.
final class FileCamera: CameraDevice {
  let name: String
  let mode: CameraMode
  private let reader: VideoReader
  private let start = MonotonicClock.seconds
  /// What the times of this round are behind those of the file, in seconds.
  private var shift = 0.0
  private var last = 0.0
  private var count = 0
  private var waiting: VideoFrame?

  private init(_ reader: VideoReader) {
    self.reader = reader
    name = reader.path
    let turns = reader.orientation.swapsSides
    mode = CameraMode(
      encoding: .i420, width: turns ? reader.height : reader.width, height: turns ? reader.width : reader.height,
      rates: reader.frameRate.map { [$0.value] } ?? [])
  }

  /// - Throws: what ``VideoReader`` throws for the file.
  static func open(_ path: String) throws(BackdropError) -> FileCamera {
    FileCamera(try VideoReader(path: path, threads: 1))
  }

  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture? {
    if waiting == nil { waiting = try following() }
    guard let frame = waiting else { return nil }
    let due = start + shift + frame.seconds
    let wait = due - MonotonicClock.seconds
    if wait > seconds {
      Thread.sleep(forTimeInterval: max(0, seconds))
      return nil
    }
    if wait > 0 { Thread.sleep(forTimeInterval: wait) }
    waiting = nil
    last = frame.seconds
    count += 1
    return CapturedPicture(image: frame.image.upright(), seconds: due, sequence: count)
  }

  private func following() throws(BackdropError) -> VideoFrame? {
    if let frame = try reader.next() { return frame }
    try reader.rewind()
    shift += last + (reader.frameRate?.inverse.value ?? 1.0 / 30)
    return try reader.next()
  }
}
