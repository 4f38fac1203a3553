import Libc

/// A program that has a device open; this account may not see all of them.
struct DeviceHolder: Equatable, CustomStringConvertible {
  var name: String
  var process: Int32

  var description: String { "\(name) (\(process))" }
}

enum DeviceHolders {
  /// The programs other than this one that have the file open.
  ///
  /// - Parameter processes: the system's folder of processes.
  static func of(_ path: String, processes: String = "/proc") -> [DeviceHolder] {
    guard let wanted = realPath(path), let folder = opendir(processes) else { return [] }
    defer { closedir(folder) }
    var found: [DeviceHolder] = []
    let own = getpid()
    while let entry = readdir(folder) {
      guard let process = Int32(name(entry)), process != own else { continue }
      let place = "\(processes)/\(process)"
      if openings(wanted, "\(place)/fd", atMost: 1) > 0 {
        found.append(DeviceHolder(name: programName(place), process: process))
      }
    }
    return found.sorted { $0.process < $1.process }
  }

  /// How often this program has the file open.
  static func openingsOfThisProgram(_ path: String) -> Int {
    realPath(path).map { openings($0, "/proc/self/fd", atMost: .max) } ?? 0
  }

  private static func openings(_ wanted: String, _ folder: String, atMost limit: Int) -> Int {
    guard let descriptors = opendir(folder) else { return 0 }
    defer { closedir(descriptors) }
    let wanted = Array(wanted.utf8)
    var count = 0
    // One byte more than the name, so that a longer one does not look equal.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: wanted.count + 1) { target in
      while count < limit, let entry = readdir(descriptors) {
        let length = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
            target.baseAddress.map { place in readlinkat(dirfd(descriptors), name, place, target.count) } ?? -1
          }
        }
        if length == wanted.count, target.prefix(length).elementsEqual(wanted, by: { UInt8(bitPattern: $0) == $1 }) {
          count += 1
        }
      }
    }
    return count
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func programName(_ place: String) -> String {
    guard let file = fopen("\(place)/comm", "re") else { return "a program" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    let name = String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    return name.isEmpty ? "a program" : name
  }
}
