#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where paths lead.
package enum FilePath {
  /// The path from the root, without `.`, `..` and symbolic links. What does not exist is taken to be no link.
  package static func resolved(_ path: String) -> String {
    var place = path.hasPrefix("/") ? "/" : real(".") ?? "."
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        place = FileName(place).folder
      } else {
        let next = (place == "/" ? "/" : place + "/") + part
        place = real(next) ?? next
      }
    }
    return place
  }

  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
