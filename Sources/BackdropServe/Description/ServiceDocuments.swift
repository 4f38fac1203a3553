import BackdropHTTP
import NIOCore

/// The service's description in both forms. All answers share their bytes, so clients that read slowly take no memory.
struct ServiceDocuments: Sendable {
  /// The description in OpenAPI, as JSON.
  let description: ByteBuffer
  let page: ByteBuffer

  init(_ options: ServeOptions) {
    let document = ServiceDescription(options: options).document
    description = ByteBuffer(string: ServerJSON.text(document) ?? "{}")
    page = ByteBuffer(string: DescriptionPage(document: document).html)
  }
}
