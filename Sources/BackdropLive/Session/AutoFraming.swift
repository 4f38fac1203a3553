import Backdrop
import Libc

/// Chooses the visible part of the picture as a camera operator would: the face is a little above the middle, and no larger than
/// necessary.
///
/// While the face stays roughly in place, nothing moves. Movements are slow and end softly. After some seconds without a face, the whole
/// picture is visible again.
struct AutoFraming: Sendable {
  /// The maximum speed of the middle, in picture widths per second.
  static let maximumSpeed = 0.15
  /// The maximum zoom speed, as a factor per second.
  static let maximumZoomSpeed = 0.25
  static let maximumZoom = 1.8
  /// The wanted height of a face, in heights of the visible part.
  private static let faceHeight = 0.3
  /// The wanted height of its middle, in heights from the top.
  private static let faceLevel = 0.42
  /// The largest movement of a face without a reaction, in widths of the visible part, and the largest factor of a change of its size.
  private static let rest = 0.07, restZoom = 1.18
  /// The time constant of a movement in seconds: after it, about a third of the distance remains.
  private static let ease = 0.7
  /// The seconds without a face until the view returns to the whole picture.
  private static let longestAbsence = 3.0

  /// A part of the picture: its middle, in widths and heights, and its magnification.
  struct View: Sendable, Equatable {
    var x = 0.5, y = 0.5, zoom = 1.0

    /// The part, moved inside the picture and limited to the allowed zoom.
    var inside: View {
      var view = self
      view.zoom = min(max(zoom, 1), maximumZoom)
      let half = 0.5 / view.zoom
      (view.x, view.y) = (min(max(x, half), 1 - half), min(max(y, half), 1 - half))
      return view
    }
  }

  private(set) var view = View()
  private var goal = View()
  private var isMoving = false
  private var lastTime: Double?
  private var lastFace = -Double.infinity

  /// Whether the whole picture is visible and no movement is planned.
  var showsAll: Bool { view == View() && goal == View() }

  /// Updates the goal from the visible faces, in pixels of a picture.
  mutating func see(_ faces: [Rect], width: Int, height: Int, at time: Double) {
    guard let face = faces.max(by: { $0.width * $0.height < $1.width * $1.height }), face.height > 0 else {
      if time - lastFace > Self.longestAbsence { aim(View()) }
      return
    }
    lastFace = time
    let (wide, high) = (Double(width), Double(height))
    var wanted = View(zoom: Self.faceHeight * high / face.height)
    wanted.zoom = min(max(wanted.zoom, 1), Self.maximumZoom)
    wanted.x = face.center.x / wide
    wanted.y = face.center.y / high + (0.5 - Self.faceLevel) / wanted.zoom
    aim(wanted.inside)
  }

  /// Sets a new goal if it differs enough.
  private mutating func aim(_ wanted: View) {
    let from = isMoving ? goal : view
    let far = max(abs(wanted.x - from.x), abs(wanted.y - from.y)) * from.zoom
    let factor = max(wanted.zoom / from.zoom, from.zoom / wanted.zoom)
    guard far > Self.rest || factor > Self.restZoom || wanted == View() && from != View() else { return }
    (goal, isMoving) = (wanted, true)
  }

  /// Moves on to a time in seconds.
  mutating func move(to time: Double) {
    let seconds = min(0.2, max(0, time - (lastTime ?? time)))
    lastTime = time
    guard isMoving else { return }
    let part = 1 - exp(-seconds / Self.ease)
    func step(_ from: Double, _ to: Double, _ most: Double) -> Double {
      from + min(max((to - from) * part, -most * seconds), most * seconds)
    }
    view.x = step(view.x, goal.x, Self.maximumSpeed)
    view.y = step(view.y, goal.y, Self.maximumSpeed)
    view.zoom = step(view.zoom, goal.zoom, Self.maximumZoomSpeed)
    view = view.inside
    // The threshold is a third of a pixel of 1080 lines.
    guard abs(view.x - goal.x) + abs(view.y - goal.y) + abs(view.zoom - goal.zoom) < 3e-4 else { return }
    (view, isMoving) = (goal, false)
  }

  /// The visible part, in pixels of a picture.
  func region(width: Int, height: Int) -> Rect {
    let (wide, high) = (Double(width) / view.zoom, Double(height) / view.zoom)
    return Rect(x: view.x * Double(width) - wide / 2, y: view.y * Double(height) - high / 2, width: wide, height: high)
  }
}
