import BackdropImaging
import Libc

/// A program that has a device open; this account may not see all of them.
struct DeviceHolder: CustomStringConvertible {
  var name: String
  var process: Int32

  var description: String { "\(name) (\(process))" }
}

enum DeviceHolders {
  /// The programs other than this one that have the file open.
  static func of(_ path: String, processes: String = "/proc") -> [DeviceHolder] {
    guard let wanted = FileCalls.realPath(path), let names = try? Folder.names(in: processes) else { return [] }
    var found: [DeviceHolder] = []
    let own = getpid()
    for process in names.compactMap({ Int32($0) }) where process != own {
      let folder = "\(processes)/\(process)"
      if openings(wanted, "\(folder)/fd", atMost: 1) > 0 {
        found.append(DeviceHolder(name: InputFile.firstLine("\(folder)/comm") ?? "a program", process: process))
      }
    }
    return found.sorted { $0.process < $1.process }
  }

  /// The programs in words; `nil` if there are none.
  static func listed(_ path: String) -> String? {
    let holders = of(path)
    return holders.isEmpty ? nil : holders.map(\.description).joined(separator: ", ")
  }

  static func openingsOfThisProgram(_ path: String) -> Int {
    FileCalls.realPath(path).map { openings($0, "/proc/self/fd", atMost: .max) } ?? 0
  }

  private static func openings(_ wanted: String, _ folder: String, atMost limit: Int) -> Int {
    guard let descriptors = opendir(folder) else { return 0 }
    defer { closedir(descriptors) }
    let wanted = FilePath.bytes(wanted)
    var count = 0
    // One byte more than the name, so that a longer one does not look equal.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: wanted.count + 1) { target in
      while count < limit, let entry = readdir(descriptors) {
        let length = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
            target.baseAddress.map { base in readlinkat(dirfd(descriptors), name, base, target.count) } ?? -1
          }
        }
        if length == wanted.count, target.prefix(length).elementsEqual(wanted, by: { UInt8(bitPattern: $0) == $1 }) {
          count += 1
        }
      }
    }
    return count
  }
}
