import BackdropImaging
import BackdropLive
import Libc

/// The options that `backdrop studio` passes to the program that runs it.
package struct StudioStart: Codable {
  package var options: StudioOptions
  /// The path of the control socket; `nil` for the default.
  package var socket: String?
  package var opensBrowser: Bool

  package init(options: StudioOptions, socket: String?, opensBrowser: Bool) {
    (self.options, self.socket, self.opensBrowser) = (options, socket, opensBrowser)
  }
}

/// The options that `backdrop serve` passes to the program that runs it; `nil` for the default values.
package struct ServeStart: Codable {
  package var address: String?, port: Int?, keys: String?
  /// The name of a key to make instead of serving.
  package var newKey: String?
  package var rate: Int?
  package var origins: [String] = []
  package var concurrency: Int?, queue: Int?, deadline: Double?
  /// The maximum size of a body, in bytes.
  package var maximumBody: Int?
  package var limitPixels: Int?
  package var limitSide: Int, limitMemory: Int
  package var jobs: Int?, jobLife: Double?, drain: Double?
  package var answersRembg = false
  package var isQuiet = false
  /// Whether clients' files are decoded in sandboxed processes.
  package var usesSandbox = true

  package init(_ limits: ImageLimits) { (limitSide, limitMemory) = (limits.side, limits.memory) }
}

/// `backdrop-server`, the program of the studio and the service, which also contains the command. Packages install it as `backdrop`. A
/// program without servers, whose build is shorter, looks for it in its own folder. Both parse the flags and become that program.
package enum ServerProgram {
  private static let name = "backdrop-server"
  /// Whether this program is that one.
  @TaskLocal package static var isInside = false
  private static let limit = 1 << 16

  /// Replaces this process by the server.
  package static func become(_ service: String, with start: some Encodable) throws(BackdropError) -> Never {
    guard let path = find() else {
      throw BackdropError(
        .system, "the program \(name) is missing, which runs the \(service)",
        hint: "build it: swift build -c release --product \(name)")
    }
    var ends: [Int32] = [-1, -1]
    let line: [UInt8]
    do { line = try JSONWriter().encode(start) + Array("\n".utf8) } catch {
      preconditionFailure("options that cannot be encoded: \(error)")
    }
    // A pipe holds this many bytes without a reader.
    guard line.count <= limit, pipe(&ends) == 0, write(ends[1], line, line.count) == line.count, close(ends[1]) == 0
    else { throw BackdropError(.system, "Backdrop cannot start the \(service)", hint: "try again") }
    // The options go through a pipe, because they include a password, and every user can see a program's arguments.
    let arguments = [strdup(name), strdup(service), strdup("\(ends[0])"), nil]
    FilePath.withBytes(path) { _ = execv($0, arguments) }
    throw BackdropError(.system, "Backdrop cannot start the \(service)", path: path, hint: "install Backdrop again")
  }

  /// The options that ``become(_:with:)`` sent; `nil` if the program was started otherwise.
  package static func received<Start: Decodable>(_ type: Start.Type, for service: String) -> Start? {
    let arguments = ProcessEnvironment.arguments
    guard arguments.count == 2, arguments[0] == service, let descriptor = Int32(arguments[1]), descriptor > 2,
      fcntl(descriptor, F_GETFD) != -1
    else { return nil }
    defer { close(descriptor) }
    var input = DescriptorInput(descriptor: descriptor)
    do {
      return try input.line(limit: limit).map { try JSONReader.decode(type, from: Array($0.utf8)) }
    } catch { return nil }
  }

  private static func find() -> String? {
    guard let own = FileCalls.realPath("/proc/self/exe") else { return nil }
    let path = isInside ? own : FileName(own).folder + "/" + name
    return FileKind(path) == .file ? path : nil
  }
}
