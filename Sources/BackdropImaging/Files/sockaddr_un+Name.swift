import Libc

extension sockaddr_un {
  /// The most bytes of a name (unix(7)).
  package static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The address of a local socket; `nil` if the name is too long.
  package init?(name: [UInt8]) {
    guard name.count <= Self.longestName else { return nil }
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: name) }
  }
}
