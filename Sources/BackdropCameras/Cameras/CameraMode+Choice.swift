extension CameraMode {
  struct Choice: Equatable {
    var mode: CameraMode
    /// Pictures per second; `nil` if the camera does not state it.
    var rate: Double?
  }

  /// The colour mode nearest to a request that needs the least work; `nil` if there is none.
  ///
  /// A shortfall from the requested side or rate weighs most, as a fraction of the request. Then comes the work in proportion to the
  /// pixels: little for raw samples, more for JPEGs, most for a video stream.
  static func nearest(to request: CameraRequest, among modes: [CameraMode]) -> Choice? {
    let choices = modes.filter { !$0.isDepth && $0.width > 0 && $0.height > 0 }.map {
      Choice(mode: $0, rate: $0.rate(nearest: request.rate))
    }
    func cost(_ choice: Choice) -> Double { choice.mode.cost(of: request, rate: choice.rate) }
    return choices.min { cost($0) < cost($1) }
  }

  /// The depth mode with the most pixels, and among these the one nearest to the requested rate; `nil` if there is none.
  static func deepest(for request: CameraRequest, among modes: [CameraMode]) -> Choice? {
    let choices = modes.filter(\.isDepth).map { Choice(mode: $0, rate: $0.rate(nearest: request.rate)) }
    func shortfall(_ choice: Choice) -> Double { max(0, 1 - (choice.rate ?? request.rate) / request.rate) }
    return choices.max {
      let (a, b) = ($0.mode.pixelCount, $1.mode.pixelCount)
      return a == b ? shortfall($0) > shortfall($1) : a < b
    }
  }

  /// The lowest rate that reaches the requested one, or else the highest; `nil` if the camera states none.
  func rate(nearest wished: Double) -> Double? {
    // 29.97 pictures per second satisfy a request for 30.
    let reaching = rates.filter { $0 >= wished * 0.99 }
    return reaching.min() ?? rates.max()
  }

  private func cost(of request: CameraRequest, rate: Double?) -> Double {
    let side = min(Double(width) / Double(request.width), Double(height) / Double(request.height))
    let area = Double(width * height) / Double(request.width * request.height)
    let reach = (rate ?? request.rate) / request.rate
    let shortfall = max(0, 1 - side) + max(0, 1 - reach / 0.99)
    let work: Double =
      switch encoding {
      case .nv12, .i420: 0.01
      case .yuyv: 0.015
      case .bgra, .rgba, .rgb: 0.03
      case .mjpeg: 0.1
      case .h264: 0.15
      case .depth16: 1
      }
    return shortfall + work * area * max(1, reach) + 0.1 * max(0, area - 1) + 0.01 * max(0, reach - 1)
  }
}
