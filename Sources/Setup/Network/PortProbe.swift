import MailCore
import Settings
import Transport

/// Asks a port whether the server that is looked for answers there, with TLS and a certificate that is good.
///
/// **Blocks**: on a thread of its own.
struct PortProbe: Sendable {
  enum Answer: Sendable, Equatable {
    case yes, no
    /// It is there, but its certificate is not for this name.
    case badCertificate(String)
  }

  let nameServer: NameServer
  let caFile: String?
  var seconds = 6.0

  func ask(_ guess: ServerGuesses.Guess) -> Answer {
    let deadline = Deadline.after(seconds: seconds)
    let endpoint = Endpoint(host: nameServer.connectable(guess.host), port: guess.port)
    do {
      let stream = try NetworkStream.connect(
        endpoint,
        security: guess.tls == .implicit
          ? .implicit(TLSPolicy(caFile: caFile, resumesSessions: false)) : .plain,
        before: deadline)
      defer { stream.close() }
      return try converse(stream, guess, deadline) ? .yes : .no
    } catch {
      guard let error = error as? TransportError, case .certificate = error else { return .no }
      return .badCertificate(error.explanation.problem)
    }
  }

  /// The greeting; and that STARTTLS is offered, where it will be needed.
  private func converse(
    _ stream: NetworkStream, _ guess: ServerGuesses.Guess, _ deadline: Deadline
  ) throws -> Bool {
    let greeting = try lines(stream, deadline) { $0.contains("\n") }
    guard greeting.hasPrefix(guess.kind == .imap ? "* OK" : "220") else { return false }
    guard guess.tls == .starttls else { return true }
    let question = guess.kind == .imap ? "a CAPABILITY\r\n" : "EHLO [127.0.0.1]\r\n"
    try stream.write(Array(question.utf8), before: deadline)
    let answer = try lines(stream, deadline) { text in
      guess.kind == .imap
        ? text.contains("\na ") || text.hasPrefix("a ")
        : text.split(separator: "\n").contains { $0.dropFirst(3).first == " " }
    }
    return answer.uppercased().contains("STARTTLS")
  }

  private func lines(
    _ stream: NetworkStream, _ deadline: Deadline, until isWhole: (String) -> Bool
  ) throws -> String {
    var text: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while text.count < 16 << 10 {
      let count = try room.withUnsafeMutableBytes { (bytes) throws -> Int in
        try stream.read(into: bytes, before: deadline)
      }
      guard count > 0 else { break }
      text += room[..<count]
      if isWhole(String(decoding: text, as: UTF8.self)) { break }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
