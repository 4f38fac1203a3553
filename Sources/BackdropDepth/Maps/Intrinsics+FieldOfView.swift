import BackdropImaging
import Libc

extension Intrinsics {
  /// Whether they are plausible: sizes and focal lengths above 0, and no value beyond 10⁹.
  public var isPossible: Bool {
    fx > 0 && fy > 0 && fx < 1e9 && fy < 1e9 && abs(cx) < 1e9 && abs(cy) < 1e9 && width > 0 && height > 0
  }

  /// The field of view across and down, in degrees.
  public var fieldOfView: (across: Double, down: Double) {
    (Self.angle(cx, Double(width), fx), Self.angle(cy, Double(height), fy))
  }

  private static func angle(_ center: Double, _ side: Double, _ focal: Double) -> Double {
    (atan(center / focal) + atan((side - center) / focal)) * 180 / .pi
  }

  /// A camera with square pixels and a horizontal view of `degrees`, with its axis through the middle.
  ///
  /// - Throws: `wrongArgument` for an angle that is not above 0 and below 180.
  public init(fieldOfView degrees: Double, width: Int, height: Int) throws(BackdropError) {
    guard degrees > 0.01 && degrees < 179.99 else {
      throw BackdropError(
        .wrongArgument, "a field of view of \(degrees) degrees is out of range: 0.01…179.99",
        hint: "a phone sees about 65 degrees across, a Kinect 58")
    }
    let focal = Double(width) / 2 / tan(degrees * .pi / 360)
    self.init(fx: focal, fy: focal, cx: Double(width) / 2, cy: Double(height) / 2, width: width, height: height)
  }
}
