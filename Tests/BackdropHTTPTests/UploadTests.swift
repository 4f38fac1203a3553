import NIOHTTP1
import Testing

@testable import BackdropHTTP

/// The studio and the service decide on bodies and on the names of their files by the same rules.
@Suite struct UploadTests {
  private func head(_ fields: [(String, String)]) -> HTTPRequestHead {
    HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: HTTPHeaders(fields))
  }

  @Test(
    arguments: [
      ([:], 0), (["Content-Length": "5"], 5), (["Content-Length": "-5"], nil), (["Content-Length": "five"], nil),
      (["Transfer-Encoding": "chunked"], nil), (["Transfer-Encoding": "chunked", "Content-Length": "0"], nil),
    ] as [([String: String], Int?)])
  func lengths(fields: [String: String], length: Int?) {
    let head = head(fields.map { ($0.key, $0.value) })
    #expect(head.bodyLength == length && head.hasBody == (length != 0))
  }

  @Test func bodiesBeyondTheLimitAreRefused() {
    let (long, chunked) = (head([("Content-Length", "2049")]), head([("Transfer-Encoding", "chunked")]))
    #expect(long.refusal(ofBodyBeyond: 2048, hint: "cut it")?.status == .payloadTooLarge)
    #expect(long.refusal(ofBodyBeyond: 2049, hint: "cut it") == nil)
    #expect(chunked.refusal(ofBodyBeyond: 2048, hint: "cut it")?.status == .lengthRequired)
    #expect(head([]).refusal(ofBodyBeyond: 0, hint: "cut it") == nil)
  }

  @Test(arguments: [
    ("jpg", "7.jpg"), ("JPG", "7.jpg"), ("", "7.bin"), ("../x", "7.x"), ("é", "7.bin"), ("abcdefgh", "7.abcde"),
  ])
  func filesHavePlainNames(given: String, name: String) {
    #expect(DropFolder.fileName(7, fileExtension: given) == name)
  }

  @Test func namesOfFilesHaveALimit() {
    let long = String(repeating: "a", count: 300)
    func request(_ query: String) -> Request {
      Request(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/?" + query), peer: "")
    }
    #expect(request("name=a%20b.jpg").fileName(or: "photo") == "a b.jpg")
    #expect(request("other=1").fileName(or: "photo") == "photo")
    #expect(request("name=" + long).fileName(or: "photo").count == Request.maximumFileName)
  }
}
