import ArgumentParser
import BackdropImaging
import BackdropTerminal

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve pictures and videos to other programs, over HTTP.",
    discussion: """
      POST a picture to /v1/replace, /v1/matte or /v1/apply, and a video to /v1/jobs. The page at /docs and the OpenAPI \
      description at /openapi.json list all addresses and settings. HTTP/1.1 and HTTP/2 without TLS: other computers reach the service \
      through a proxy that encrypts, such as nginx or Caddy.

      Only this computer can connect, unless you give --address and --keys. A line of the file of keys is NAME SHA256 [REQUESTS/min]; \
      --new-key makes one. SIGHUP reads the file again. On SIGTERM the service answers the requests that it has, and ends.

      The address goes to standard output. Each request is a line of JSON on standard error.
      """)

  @Option(help: "The address to listen on. Default: 127.0.0.1.") var address: String?
  @Option(help: "The port. Default: 7260; 0 takes any that is free.") var port: Int?

  @Option(help: ArgumentHelp("A file of keys; requests without one of them are refused.", valueName: "file"))
  var keys: String?

  @Option(help: ArgumentHelp("Print a new key, and its line for the file of keys, and end.", valueName: "name"))
  var newKey: String?

  @Option(
    parsing: .unconditional,
    help: "Requests a minute for each key, or without keys for each address. Default: any number.")
  var rate: Int?

  @Option(
    help: ArgumentHelp(
      "Let pages of this origin use the service, such as https://example.org. May be repeated.", valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(parsing: .unconditional, help: "Pictures to work on at once. Default: one for each processor.")
  var concurrency: Int?

  @Option(parsing: .unconditional, help: "Requests that may wait beside those; others get 429. Default: 16.")
  var queue: Int?

  @Option(parsing: .unconditional, help: "Seconds after which a request for a picture is given up. Default: 60.")
  var deadline: Double?

  @Option(help: ArgumentHelp("The largest body, such as 200MB. Default: 64MB.", valueName: "size"))
  var limitBody: String?

  @OptionGroup var limiting: LimitOptions
  @Option(parsing: .unconditional, help: "Video jobs to keep at once. Default: 16.") var jobs: Int?
  @Option(parsing: .unconditional, help: "Seconds to keep a finished job. Default: 3600.") var jobLife: Double?

  @Option(parsing: .unconditional, help: "Seconds to wait for requests and jobs at the end. Default: 30.")
  var drain: Double?

  @Flag(help: "Also answer clients of rembg's server: POST /api/remove.") var rembg = false
  @Flag(name: [.short, .long], help: "Do not log requests.") var quiet = false

  func run() throws {
    var start = ServeStart(try limiting.limits())
    (start.usesSandbox, start.limitPixels) = (limiting.sandbox ?? true, limiting.limitPixels)
    (start.address, start.port, start.keys, start.newKey, start.rate) = (address, port, keys, newKey, rate)
    (start.origins, start.concurrency, start.queue, start.deadline) = (allowOrigin, concurrency, queue, deadline)
    (start.jobs, start.jobLife, start.drain, start.answersRembg, start.isQuiet) = (jobs, jobLife, drain, rembg, quiet)
    if let limitBody {
      start.maximumBody = try LimitOptions.bytes(limitBody, hint: "write --limit-body 200MB")
    }
    try ServerProgram.become("service", with: start)
  }
}
