extension SceneAnalyzer {
  /// Seconds between two searches for faces in a stream.
  private static let facePeriod = 0.2

  /// Finds only the positions of faces.
  func findFaces(_ scene: Scene, into evidence: inout Evidence) {
    if let known = scene.faces {
      evidence.faces = known.sorted { $0.width * $0.height > $1.width * $1.height }
      return
    }
    // The time of a restarted video goes back.
    if stream.isStill || scene.time >= nextFaces || scene.time < nextFaces - 2 * Self.facePeriod {
      nextFaces = scene.time + Self.facePeriod
      var looked = scene
      do throws(BackdropError) {
        try faces.find(in: &looked)
        lastFaces = looked.faces
      } catch {
        // The light works without faces; other users report the failure themselves.
        lastFaces = nil
      }
    }
    evidence.faces = lastFaces
  }
}
