import BackdropHTTP

extension Answer {
  static var nothingHere: Answer { refusal(.notFound, "the studio has no page at this address") }
  static var noFile: Answer { refusal(.notFound, "the studio does not have this file") }
}
