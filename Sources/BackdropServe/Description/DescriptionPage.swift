import Backdrop

/// The service's description as a web page, without scripts and without resources from other hosts.
struct DescriptionPage {
  /// The description in OpenAPI.
  let document: JSONTree

  var html: String {
    let title = "Backdrop over HTTP"
    let settings = ServiceSettings.all.map {
      ["<code>\($0.name.markup)</code>", $0.summary.markup, $0.allowed.markup, $0.usual.markup]
    }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><link rel="stylesheet" href="/docs.css"></head><body><main>
      <h1>\(title)</h1>
      <p>Send a picture, get a picture. For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
      <pre>POST /v1/replace?background=scene:dunes&amp;quality=live HTTP/1.1
      Content-Type: image/jpeg</pre>
      <h2>Addresses</h2>
      \(addresses)
      <h2>Settings</h2>
      <p>Give them in the address, as fields of the form, or as one field <code>settings</code> in JSON. Files are fields of the form.</p>
      \(table(["Name", "What it does", "Values", "Default"], settings))
      <h2>Looks</h2>
      \(looks)
      </main></body></html>
      """
  }

  private var addresses: String {
    guard case .object(let document) = document, case .object(let paths)? = document["paths"] else { return "" }
    var rows: [[String]] = []
    for route in Route.allCases {
      guard case .object(let operations)? = paths[route.rawValue] else { continue }
      for (method, operation) in operations.sorted(by: { $0.key < $1.key }) {
        guard case .object(let fields) = operation, case .text(let summary)? = fields["summary"] else { continue }
        rows.append(["<code>\(method.uppercased()) \(route.rawValue.markup)</code>", summary.markup])
      }
    }
    return table(["Address", "What it does"], rows)
  }

  private var looks: String {
    table(
      ["Name", "What it does", "Parameters"],
      Look.builtIn.map { look in
        [
          "<code>\(look.id.markup)</code>", look.summary.markup,
          look.parameters.map { "<code>\($0.name.markup)</code> \($0.allowed.markup)" }.joined(separator: "<br>"),
        ]
      })
  }

  /// A table; its cells are HTML.
  private func table(_ titles: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\($0)</\(tag)>" }.joined() + "</tr>"
    }
    return "<table>" + line(titles, "th") + rows.map { line($0, "td") }.joined(separator: "\n") + "</table>"
  }

  static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
    pre { padding: 1rem; overflow-x: auto; border: 1px solid #8886; border-radius: .4rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #8884; }
    code { font-family: ui-monospace, monospace; }
    """
}
