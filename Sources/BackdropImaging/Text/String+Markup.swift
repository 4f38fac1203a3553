extension String {
  /// The text as content or attribute of XML and HTML. Control characters other than tabs and line ends, which XML 1.0 (section 2.2)
  /// forbids, are left out.
  package var markup: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r", " "...: result.unicodeScalars.append(scalar)
      default: break
      }
    }
    return result
  }
}
