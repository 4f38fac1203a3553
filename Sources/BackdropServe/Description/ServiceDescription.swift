import Backdrop

/// The service's description in OpenAPI 3.1, generated from the tables of its parameters and routes.
struct ServiceDescription {
  let options: ServeOptions

  var document: JSONTree {
    var paths: [String: JSONTree] = [:]
    for route in Route.allCases where route != .rembg || options.answersRembg { paths[route.rawValue] = path(route) }
    var components: [String: JSONTree] = [
      "schemas": ["Error": Self.error, "Job": Self.job],
      "responses": ["Error": Self.errorResponse],
    ]
    if options.keyFile != nil {
      components["securitySchemes"] = ["key": ["type": "http", "scheme": "bearer"]]
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Backdrop", "version": "1",
        "summary": "Replaces the background of photos and videos.",
        "description":
          "Send a picture, get a picture. A setting has the name and the range that it has everywhere in Backdrop. Errors are objects with the fields error, hint and code.",
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/"]],
      "paths": .object(paths),
      "components": .object(components),
    ]
  }

  private func path(_ route: Route) -> JSONTree {
    var result: [String: JSONTree] = [:]
    for method in route.methods {
      var operation = operation(route, method.rawValue)
      if options.keyFile != nil && !route.isOpen { operation["security"] = [["key": []]] }
      if route.rawValue.contains("{id}") {
        operation["parameters"] = [
          ["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]
        ]
      }
      result[method.rawValue.lowercased()] = .object(operation)
    }
    return .object(result)
  }

  private func operation(_ route: Route, _ method: String) -> [String: JSONTree] {
    switch route {
    case .replace: media(.replace, "Replace the background of a picture.")
    case .matte: media(.matte, "Make the matte of a picture.")
    case .apply: media(.apply, "Apply a look to a picture.")
    case .jobs where method == "POST": newJob
    case .jobs: answer("List your jobs.", ["type": "array", "items": Self.jobReference])
    case .job where method == "DELETE":
      [
        "summary": "Give a job up, and remove it with its result.",
        "responses": Self.errors(["204": ["description": "Done."]], ["404"]),
      ]
    case .job: answer("Tell how far a job is.", Self.jobReference, ["404"])
    case .jobEvents:
      answer("Tell how far a job is, as server-sent events.", nil, ["404"], type: "text/event-stream")
    case .jobResult:
      answer("The result of a job.", Self.binary, ["404", "409"], type: "video/*")
    case .looks: answer("List the looks and their parameters.", ["type": "array", "items": ["type": "object"]])
    case .settings: answer("List all settings.", ["type": "array", "items": ["type": "object"]])
    case .description: answer("This description.", ["type": "object"])
    case .page: answer("This description as a page.", ["type": "string"], type: "text/html")
    case .style: answer("The style of the page.", ["type": "string"], type: "text/css")
    case .health: answer("Tell whether the service works.", ["type": "object"])
    case .readiness: answer("Tell whether the service takes requests.", ["type": "object"], ["503"])
    case .metrics: answer("Metrics for Prometheus.", ["type": "string"], type: "text/plain")
    case .rembg where method == "GET":
      [
        "summary": "Refused: the service fetches no pictures from other servers.",
        "responses": Self.errors([:], ["415"]),
      ]
    case .rembg: rembg
    }
  }

  // MARK: - Requests with pictures

  private func media(_ operation: MediaRequest.Operation, _ summary: JSONTree) -> [String: JSONTree] {
    let types = MediaType.pictures.map { ($0, JSONTree.object(["schema": Self.binary])) }
    return [
      "summary": summary, "operationId": .text(operation.rawValue),
      "parameters": .list(parameters(MediaType.pictureFormats, needsLook: operation == .apply)),
      "requestBody": body(accepting: ["image/*"]),
      "responses": Self.errors(
        [
          "200": ["description": "The picture.", "headers": Self.headers, "content": .object(Dictionary(types) { $1 })]
        ],
        Self.mediaErrors),
    ]
  }

  private var newJob: [String: JSONTree] {
    let choices = MediaRequest.Operation.allCases.map { JSONTree.text($0.rawValue) }
    let what: JSONTree = [
      "name": "do", "in": "query", "description": "What is done with the video.",
      "schema": ["type": "string", "enum": .list(choices), "default": "replace"],
    ]
    return [
      "summary": "Begin the work on a video.", "operationId": "job",
      "parameters": .list([what] + parameters(MediaType.videoFormats, needsLook: false)),
      "requestBody": body(accepting: ["video/*"]),
      "responses": Self.errors(
        ["202": ["description": "The job.", "content": ["application/json": ["schema": Self.jobReference]]]],
        Self.mediaErrors),
    ]
  }

  private var rembg: [String: JSONTree] {
    let fields: JSONTree = [
      "file": Self.binary, "om": ["type": "boolean", "description": "The matte alone."],
      "bgc": ["type": "string", "description": "A colour for the background: R,G,B,A."],
    ]
    return [
      "summary": "Remove the background, for clients of rembg's server.",
      "requestBody": [
        "required": true,
        "content": [
          "multipart/form-data": ["schema": ["type": "object", "required": ["file"], "properties": fields]]
        ],
      ],
      "responses": Self.errors(
        ["200": ["description": "The picture.", "content": ["image/png": ["schema": Self.binary]]]], Self.mediaErrors),
    ]
  }

  /// The settings in the query.
  private func parameters(_ formats: [String], needsLook: Bool) -> [JSONTree] {
    var result: [JSONTree] = [
      [
        "name": "format", "in": "query", "description": "The kind of file of the result. Default: the input's own.",
        "schema": ["type": "string", "enum": .list(formats.map { .text($0) })],
      ]
    ]
    for parameter in ServiceSettings.all where !MediaRequest.fileSettings.contains(parameter.name) {
      var schema = parameter.schema
      if parameter.name == "model" {
        schema = ["type": "string", "enum": .list(NetworkDescription.all.map { .text($0.id) })]
      }
      if parameter.name == "look" { schema = schema.merging(["enum": .list(Look.builtIn.map { .text($0.id) })]) }
      result.append([
        "name": .text(parameter.name), "in": "query", "description": .text(parameter.sentence), "schema": schema,
        "required": .toggle(needsLook && parameter.name == "look"),
      ])
    }
    result.append([
      "name": "look-parameters", "in": "query", "style": "form", "explode": true,
      "description": "The look's own parameters; GET /v1/looks lists them.",
      "schema": ["type": "object", "additionalProperties": ["type": "number"]],
    ])
    return result
  }

  private func body(accepting types: [String]) -> JSONTree {
    var fields: [String: JSONTree] = [
      "image": Self.binary.merging(["description": "The picture or video."]),
      "background": Self.binary.merging(["description": "A picture or video for the background."]),
      "settings": ["type": "object", "description": "Settings by their names, in place of the address."],
    ]
    for parameter in ServiceSettings.all where MediaRequest.fileSettings.contains(parameter.name) {
      fields[parameter.name] = Self.binary.merging(["description": .text(parameter.sentence)])
    }
    var content: [String: JSONTree] = [
      "multipart/form-data": ["schema": ["type": "object", "required": ["image"], "properties": .object(fields)]]
    ]
    for type in types + ["application/octet-stream"] { content[type] = ["schema": Self.binary] }
    return ["required": true, "content": .object(content)]
  }

  // MARK: - Answers

  private func answer(
    _ summary: JSONTree, _ schema: JSONTree?, _ errors: [String] = [], type: String = "application/json"
  ) -> [String: JSONTree] {
    let content: JSONTree = .object([type: .object(schema.map { ["schema": $0] } ?? [:])])
    return [
      "summary": summary, "responses": Self.errors(["200": ["description": "Done.", "content": content]], errors),
    ]
  }

  private static let mediaErrors = ["408", "411", "413", "415", "422", "500", "504"]

  /// The answers of an operation: the given ones, the given errors, and the errors that any request may get.
  private static func errors(_ answers: [String: JSONTree], _ codes: [String]) -> JSONTree {
    var result = answers
    for code in codes + ["400", "401", "403", "429", "431", "503"] {
      result[code] = ["$ref": "#/components/responses/Error"]
    }
    return .object(result)
  }

  private static let binary: JSONTree = ["type": "string", "format": "binary"]
  private static let jobReference: JSONTree = ["$ref": "#/components/schemas/Job"]

  private static let headers: JSONTree = [
    "Backdrop-Notes": ["description": "What the picture lacks: a list of sentences.", "schema": ["type": "string"]],
    "Backdrop-Look": ["description": "The look.", "schema": ["type": "string"]],
    "Backdrop-Networks": ["description": "The networks that made the matte.", "schema": ["type": "string"]],
    "Backdrop-Subject-From": ["description": "The source of the matte.", "schema": ["type": "string"]],
    "Server-Timing": ["description": "Milliseconds of the request, and of the work.", "schema": ["type": "string"]],
    "X-Request-Id": ["description": "The request's number in the log.", "schema": ["type": "string"]],
  ]

  private static let error: JSONTree = [
    "type": "object", "required": ["error", "code"],
    "properties": [
      "error": ["type": "string", "description": "The error, in one line."],
      "hint": ["type": "string", "description": "A way to mend it."],
      "code": ["type": "string", "description": "An identifier of the error's kind, for programs."],
    ],
  ]

  private static let errorResponse: JSONTree = [
    "description": "An error.",
    "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
  ]

  private static let job: JSONTree = [
    "type": "object", "required": ["id", "operation", "state", "frames"],
    "properties": [
      "id": ["type": "string"], "operation": ["type": "string"],
      "state": ["type": "string", "enum": ["waiting", "running", "done", "failed", "cancelled"]],
      "frames": ["type": "integer"], "frameCount": ["type": "integer"], "seconds": ["type": "number"],
      "notes": ["type": "array", "items": ["type": "string"]], "error": ["type": "string"],
      "hint": ["type": "string"], "code": ["type": "string"], "result": ["type": "string"],
    ],
  ]
}
