@testable import HTTPWire

/// What a whole connection's bytes come to.
struct Answer: Equatable {
  var head: HTTPResponseHead?
  var body = ""
  var isComplete = false

  var status: Int? { head?.status }
}

/// Plays an answer, cut into pieces, up to the end of the connection or of the answer.
func answer(
  _ text: String, pieces: (([UInt8]) -> [ArraySlice<UInt8>])? = nil, endsProperly: Bool = true
) throws(HTTPWireError) -> Answer {
  let bytes = Array(text.utf8)
  var parser = HTTPResponseParser()
  var answer = Answer()
  var body: [UInt8] = []
  func take(_ event: HTTPResponseParser.Event) {
    switch event {
    case .head(let head): answer.head = head
    case .body(let bytes): body += bytes
    case .end: answer.isComplete = true
    }
  }
  for piece in pieces?(bytes) ?? [bytes[...]] {
    parser.feed(piece)
    while let event = try parser.next() { take(event) }
  }
  if let event = try parser.connectionEnded(isProper: endsProperly) { take(event) }
  answer.body = String(decoding: body, as: UTF8.self)
  return answer
}

/// Why it cannot be read; nil where it can.
func problem(_ text: String, endsProperly: Bool = true) -> HTTPWireError? {
  do throws(HTTPWireError) {
    _ = try answer(text, endsProperly: endsProperly)
    return nil
  } catch {
    return error
  }
}
