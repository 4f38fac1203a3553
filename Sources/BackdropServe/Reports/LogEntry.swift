import BackdropHTTP
import BackdropImaging
import Libc

struct LogEntry: Encodable {
  var time = Self.now
  var event = "request"
  var id: String?
  var method: String?
  var route: String?
  /// The name of the key.
  var key: String?
  var peer: String?
  var status: Int?
  var milliseconds: Double?
  var bytes: Int?
  var error: String?

  /// The present time in UTC (RFC 3339), in milliseconds.
  private static var now: String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    func padded(_ number: some BinaryInteger, _ count: Int) -> String { String(number).zeroPadded(to: count) }
    return "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))T"
      + "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))."
      + "\(padded(time.tv_nsec / 1_000_000, 3))Z"
  }

  /// The line, without a line break.
  var line: String { ServerJSON.text(self) ?? "" }
}
