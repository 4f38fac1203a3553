/// A step of making a matte that can be left out to measure its effect, as `make quality` does.
package enum MatteStep: String, Sendable, CaseIterable, Codable {
  /// Other networks limit the leading network's matte; in pictures.
  case bounds
  /// The networks also process the mirror image.
  case mirror
  /// Small people are examined again in close-up.
  case frame
  /// The matte is fitted to the picture's edges: the guided filter.
  case refinement
  /// Colours along the edges decide opacity: closed-form matting; in pictures.
  case closedForm = "closed-form"
  /// Another network, or the same one in another view, runs from time to time; in streams.
  case secondPass = "looks"
  /// Temporal smoothing of the network's mattes, in streams.
  case smoothing
  /// Temporal smoothing of edges, in streams.
  case edges
  /// A search for people in parts of a stream's pictures that show nobody.
  case search
}
