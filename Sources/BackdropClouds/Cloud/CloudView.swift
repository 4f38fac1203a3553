import BackdropImaging
import Libc

/// A viewpoint on a cloud: its original camera, orbited around the subject.
package struct CloudView: Sendable, Equatable {
  /// The orbit of the camera to the right and upwards, in degrees.
  package var yaw: Double, pitch: Double
  /// The clockwise rotation of the picture, in degrees.
  package var roll: Double
  /// The magnification; 1 is the original camera's.
  package var zoom: Double

  package static let zooms = 0.05...50.0

  package init(yaw: Double = 0, pitch: Double = 0, roll: Double = 0, zoom: Double = 1) {
    (self.yaw, self.pitch, self.roll, self.zoom) = (yaw, pitch, roll, zoom)
  }

  /// Reads `yaw,pitch,roll,zoom`; the last ones are optional.
  ///
  /// - Throws: `wrongArgument` for anything else, for angles beyond 360 degrees and a zoom out of range.
  package init(_ text: String) throws(BackdropError) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { Double($0.filter { $0 != " " }) ?? .nan }
    guard (1...4).contains(numbers.count), numbers.allSatisfy({ $0.isFinite }),
      numbers.prefix(3).allSatisfy({ abs($0) <= 360 }), numbers.count < 4 || Self.zooms.contains(numbers[3])
    else {
      throw BackdropError(
        .wrongArgument, "'\(text)' is not a view",
        hint: "write yaw,pitch,roll,zoom, such as 20,-10,0,1.2: degrees from −360…360 and a zoom of 0.05…50")
    }
    let all = numbers + [0, 0, 0, 1][numbers.count...]
    self.init(yaw: all[0], pitch: all[1], roll: all[2], zoom: all[3])
  }

  /// The view at a part (0…1) of a loop in which the camera swings about this view and returns to its start.
  ///
  /// The area behind objects is unknown, so a full turn would show nothing: the range is 28 degrees to each side and 9 up and down.
  package func onOrbit(_ part: Double) -> CloudView {
    var view = self
    view.yaw += 28 * sin(2 * .pi * part)
    view.pitch += 9 * (1 - cos(2 * .pi * part)) - 3
    return view
  }

  /// The rotation: yaw, then pitch, then roll.
  var rotation: Matrix3 {
    let (y, p, r) = (yaw * .pi / 180, pitch * .pi / 180, roll * .pi / 180)
    let yawing = Matrix3([[cos(y), 0, sin(y)], [0, 1, 0], [-sin(y), 0, cos(y)]])
    let pitching = Matrix3([[1, 0, 0], [0, cos(p), -sin(p)], [0, sin(p), cos(p)]])
    let rolling = Matrix3([[cos(r), -sin(r), 0], [sin(r), cos(r), 0], [0, 0, 1]])
    return rolling * (pitching * yawing)
  }
}
