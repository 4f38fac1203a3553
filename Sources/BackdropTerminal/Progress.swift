import BackdropImaging

/// A line with a job's progress; it is shown only on a terminal.
package struct Progress {
  private let total: Int?
  private let start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?
  private let isShown: Bool

  package init(total: Int?, isShown: Bool) {
    self.total = total
    self.isShown = isShown && Terminal.isInteractive
  }

  package mutating func update(done: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    let seconds = (now - start) / .seconds(1)
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var line = "\r\u{1B}[K"
    if let total, total > 0 {
      let part = min(1, Double(done) / Double(total))
      let filled = Int(part * 24)
      line += "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled) + "] "
      line += (part * 100).text("%3.0f%%  ") + "\(done)/\(total) frames  " + rate.text("%.1f/s")
      if rate > 0 {
        let left = min(Double(max(0, total - done)) / rate, 359_999).rounded(.up)
        line += "  " + Terminal.clock(Int(left)) + " left"
      }
    } else {
      line += "\(done) frames  " + rate.text("%.1f/s")
    }
    Terminal.writeToStandardError(line)
  }

  package func finish() {
    if lastShown != nil { Terminal.writeToStandardError("\r\u{1B}[K") }
  }
}
