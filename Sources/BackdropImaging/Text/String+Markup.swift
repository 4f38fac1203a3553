extension String {
  /// The text as content or attribute of XML and HTML. XML 1.0, section 2.2, has no control characters but the tab and ends of lines;
  /// others are left out.
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
