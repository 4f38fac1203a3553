import TestSupport

/// Independent readers of clouds, in a Python with trimesh and Open3D.
enum CloudTool {
  struct Failure: Error { var text: String }

  static let hasTrimesh = OutsideTool.succeeds(OutsideTool.python, ["-c", "import trimesh, numpy"])
  static let hasOpen3D = OutsideTool.succeeds(OutsideTool.python, ["-c", importingOpen3D])
  static let hasGLTF = OutsideTool.succeeds(OutsideTool.python, ["-c", "import pygltflib, numpy, PIL"])

  /// Imports NumPy and Open3D without the packages of its notebook widgets, which it loads at once but reading does not need.
  static let importingOpen3D = """
    import sys, unittest.mock, numpy
    for name in ('dash', 'ipywidgets', 'plotly', 'plotly.graph_objects', 'plotly.subplots'):
        sys.modules[name] = unittest.mock.MagicMock()
    import open3d

    """

  /// Runs Python; returns all numbers that it prints.
  static func numbers(_ script: String, _ path: String) throws -> [Double] {
    try OutsideTool.text(OutsideTool.python, ["-c", script, path]).split(whereSeparator: \.isWhitespace).map {
      guard let number = Double($0) else { throw Failure(text: "not a number: \($0)") }
      return number
    }
  }
}
