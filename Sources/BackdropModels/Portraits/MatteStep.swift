/// A step on the way to a matte that can be left out, to measure what it is worth; `make quality` does.
public enum MatteStep: String, Sendable, CaseIterable, Codable {
  /// Other networks bound the matte of the one that leads; in pictures.
  case bounds
  /// They look at the mirror image, too.
  case mirror
  /// People who are small are looked at once more from nearby.
  case frame
  /// The picture's edges decide where the matte ends: the guided filter.
  case refinement
  /// The colours along the edges decide opacity: closed-form matting; in pictures.
  case closedForm = "closed-form"
  /// Another network, or the same one in another view, is asked now and then; in streams.
  case looks
  /// The network's mattes are smoothed over time, in streams.
  case smoothing
  /// Edges are smoothed over time, in streams.
  case edges
  /// Squares of a stream's pictures in which nobody is seen are searched.
  case search
}
