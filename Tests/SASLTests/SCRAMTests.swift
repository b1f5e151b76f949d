import MailCore
import SASL
import Testing
import Transport

/// One whole exchange as both sides have it on the wire.
struct SCRAMVector: Sendable, CustomTestStringConvertible {
  let name: String
  let mechanism: SASLMechanism
  var user = "user"
  var password = "pencil"
  var authorization = ""
  let nonce: String
  var binding: ChannelBinding?
  let clientFirst: String
  let serverFirst: String
  let clientFinal: String
  let serverFinal: String

  var testDescription: String { name }

  func start() throws -> SASLExchange {
    try exchange(
      mechanism, user: user, password: password, authorization: authorization,
      offered: [mechanism.rawValue, "SCRAM-SHA-256-PLUS"],
      context: context(nonce: nonce, channelBinding: binding))
  }
}

private let counting = Array(UInt8(0)..<32)

let scramVectors = [
  SCRAMVector(
    name: "RFC 5802 §5", mechanism: .scramSHA1, nonce: "fyko+d2lbbFgONRv9qkxdawL",
    clientFirst: "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL",
    serverFirst:
      "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
    clientFinal:
      "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
    serverFinal: "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="),
  SCRAMVector(
    name: "RFC 7677 §3", mechanism: .scramSHA256, nonce: "rOprNGfwEbeRWgbNEkqO",
    clientFirst: "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
    serverFirst:
      "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    clientFinal:
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    serverFinal: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
  // The two below were computed with Python's hashlib and hmac.
  SCRAMVector(
    name: "bound by tls-exporter", mechanism: .scramSHA256Plus, nonce: "rOprNGfwEbeRWgbNEkqO",
    binding: ChannelBinding(kind: .tlsExporter, data: counting),
    clientFirst: "p=tls-exporter,,n=user,r=rOprNGfwEbeRWgbNEkqO",
    serverFirst:
      "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    clientFinal:
      "c=cD10bHMtZXhwb3J0ZXIsLAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=QC6CS20quADQRb3mT99YUH+n3VJxUvzuK0K0E1Vrs2M=",
    serverFinal: "v=2GiAgapEppLVlUXbxUDksL3VgYHzuqiK5tR4mhJGgvs="),
  SCRAMVector(
    name: "bound by tls-server-end-point, with another identity", mechanism: .scramSHA1Plus,
    user: "a,b=c", authorization: "x,y", nonce: "fyko+d2lbbFgONRv9qkxdawL",
    binding: ChannelBinding(kind: .tlsServerEndPoint, data: counting),
    clientFirst: "p=tls-server-end-point,a=x=2Cy,n=a=2Cb=3Dc,r=fyko+d2lbbFgONRv9qkxdawL",
    serverFirst: "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=1",
    clientFinal:
      "c=cD10bHMtc2VydmVyLWVuZC1wb2ludCxhPXg9MkN5LAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f,r=fyko+d2lbbFgONRv9qkxdawL3rfc,p=KMpQh8e1UcMRvanmt8wPwzFCz7E=",
    serverFinal: "v=E/fsebn59ghyG0XRoMBFPR0Ui/s="),
]

struct SCRAMTests {
  @Test(arguments: scramVectors) func `a published exchange comes out byte for byte`(
    vector: SCRAMVector
  ) throws {
    var exchange = try vector.start()
    #expect(try text(exchange.initialResponse()) == vector.clientFirst)
    #expect(try text(exchange.respond(to: Array(vector.serverFirst.utf8))) == vector.clientFinal)
    #expect(try exchange.respond(to: Array(vector.serverFinal.utf8)).isEmpty)
    try exchange.succeeded()
  }

  @Test(arguments: scramVectors) func `the server's empty prompt brings the first message`(
    vector: SCRAMVector
  ) throws {
    var exchange = try vector.start()
    #expect(try text(exchange.respond(to: [])) == vector.clientFirst)
    #expect(try text(exchange.respond(to: Array(vector.serverFirst.utf8))) == vector.clientFinal)
  }

  @Test(arguments: scramVectors) func `a wrong server signature is no success`(
    vector: SCRAMVector
  ) throws {
    var exchange = try vector.start()
    _ = try exchange.initialResponse()
    _ = try exchange.respond(to: Array(vector.serverFirst.utf8))
    var final = Array(vector.serverFinal.utf8)
    final[2] = final[2] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    #expect(throws: SASLError.wrongServerSignature(vector.mechanism)) {
      _ = try exchange.respond(to: final)
    }
    #expect(throws: SASLError.serverNotVerified(vector.mechanism)) { try exchange.succeeded() }
  }

  @Test func `success before the server's signature is no success`() throws {
    let vector = scramVectors[1]
    var exchange = try vector.start()
    _ = try exchange.initialResponse()
    #expect(throws: SASLError.serverNotVerified(.scramSHA256)) { try exchange.succeeded() }
    _ = try exchange.respond(to: Array(vector.serverFirst.utf8))
    #expect(throws: SASLError.serverNotVerified(.scramSHA256)) { try exchange.succeeded() }
  }

  @Test(arguments: [
    "", ",", "r=", "r", "x", "r=abc,s=QSXCR+Q6sek8bf92,i=4096",
    "r=fyko+d2lbbFgONRv9qkxdawL,s=QSXCR+Q6sek8bf92,i=4096",  // adds nothing of its own
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,i=4096,s=QSXCR+Q6sek8bf92",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=,i=4096", "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=!,i=4096",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=0",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=-1",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=10000001",
    "r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=99999999999999999999999",
    "m=must,r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=1",  // unknown mandatory extension
  ]) func `a malformed first message is refused`(message: String) throws {
    var exchange = try scramVectors[0].start()
    _ = try exchange.initialResponse()
    #expect(throws: SASLError.self) { _ = try exchange.respond(to: Array(message.utf8)) }
    #expect(throws: SASLError.self) { try exchange.succeeded() }
  }

  @Test func `extensions behind the count are tolerated`() throws {
    var exchange = try scramVectors[0].start()
    _ = try exchange.initialResponse()
    let answer = try exchange.respond(
      to: Array("r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=QSXCR+Q6sek8bf92,i=4096,x=new".utf8))
    #expect(text(answer)?.hasPrefix("c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfc,p=") == true)
  }

  @Test func `the server's own reason is kept and made visible`() throws {
    let vector = scramVectors[0]
    var exchange = try vector.start()
    _ = try exchange.initialResponse()
    _ = try exchange.respond(to: Array(vector.serverFirst.utf8))
    #expect(throws: SASLError.refused(.scramSHA1, reason: "invalid-proof\\u{1b}")) {
      _ = try exchange.respond(to: Array("e=invalid-proof\u{1b}".utf8))
    }
    #expect(exchange.serverError == "invalid-proof\\u{1b}")
  }

  @Test func `a list without PLUS is remarked upon when we could have bound`() throws {
    let binding = ChannelBinding(kind: .tlsExporter, data: counting)
    func header(offered: [String], binding: ChannelBinding?) throws -> String? {
      var exchange = try exchange(
        .scramSHA256, offered: offered, context: context(channelBinding: binding))
      return try text(exchange.initialResponse()).map { String($0.prefix(3)) }
    }
    #expect(try header(offered: ["SCRAM-SHA-256"], binding: binding) == "y,,")
    #expect(try header(offered: ["SCRAM-SHA-256"], binding: nil) == "n,,")
    #expect(
      try header(offered: ["scram-sha-256-plus", "SCRAM-SHA-256"], binding: binding) == "n,,")
  }

  @Test func `a binding that the server does not know leaves the next mechanism to try`() throws {
    let vector = scramVectors[2]
    var exchange = try vector.start()
    _ = try exchange.initialResponse()
    func next(_ exchange: SASLExchange) -> SASLMechanism? {
      exchange.alternative(among: [.scramSHA1, .plain], isJudged: true, isFurther: false)
    }
    #expect(next(exchange) == .scramSHA1)  // a NO now cannot be about the password
    _ = try exchange.respond(to: Array(vector.serverFirst.utf8))
    #expect(next(exchange) == nil)
    _ = try? exchange.respond(to: Array("e=channel-bindings-dont-match".utf8))
    #expect(next(exchange) == .scramSHA1)
  }

  @Test func `a server that may have no secret for SCRAM is shown the password, once`() throws {
    let vector = scramVectors[1]
    var exchange = try vector.start()
    _ = try exchange.initialResponse()
    func next(isJudged: Bool, isFurther: Bool = false) -> SASLMechanism? {
      exchange.alternative(
        among: [.scramSHA1, .cramMD5, .plain, .login], isJudged: isJudged, isFurther: isFurther)
    }
    #expect(next(isJudged: true) == .plain)  // it has seen no proof yet
    #expect(next(isJudged: true, isFurther: true) == nil)
    _ = try exchange.respond(to: Array(vector.serverFirst.utf8))
    #expect(next(isJudged: true) == nil)
    #expect(next(isJudged: false) == .plain)
    #expect(next(isJudged: false, isFurther: true) == nil)
    #expect(
      exchange.alternative(among: [.scramSHA1], isJudged: false, isFurther: false) == nil)
  }

  @Test func `a password that was shown is judged, whatever the server says`() throws {
    for mechanism in [SASLMechanism.plain, .login] {
      #expect(
        try exchange(mechanism).alternative(
          among: [.login, .cramMD5], isJudged: false, isFurther: false) == nil)
    }
  }

  @Test func `PLUS without a channel is refused before anything is sent`() {
    #expect(throws: SASLError.self) { _ = try exchange(.scramSHA256Plus) }
  }

  @Test(arguments: [
    ("I\u{AD}X", "IX"), ("user", "user"), ("USER", "USER"), ("\u{AA}", "a"), ("\u{2168}", "IX"),
  ]) func `passwords are prepared as RFC 4013's examples`(written: String, prepared: String) throws
  {
    var first = try exchange(.scramSHA1, password: written)
    var second = try exchange(.scramSHA1, password: prepared)
    _ = try first.initialResponse()
    _ = try second.initialResponse()
    let challenge = Array(scramVectors[0].serverFirst.utf8)
    #expect(try first.respond(to: challenge) == second.respond(to: challenge))
  }

  @Test(arguments: ["\u{7}", "a\u{627}", "\u{627}1", "\u{FFFD}", "\u{E000}", "\u{202E}abc"])
  func `passwords that RFC 4013 forbids are refused`(password: String) {
    #expect(throws: SASLError.self) { _ = try exchange(.scramSHA1, password: password) }
  }

  @Test func `a password that is no UTF-8 is taken as its bytes`() throws {
    let credential = SASLCredential(user: "user", secret: Secret([0xFF, 0xFE, 0x41] as [UInt8]))
    var exchange = try SASLExchange(
      .scramSHA1, credential: credential, offered: [], context: context())
    _ = try exchange.initialResponse()
    #expect(try !exchange.respond(to: Array(scramVectors[0].serverFirst.utf8)).isEmpty)
  }

  @Test func `random messages never crash it`() throws {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array("rsiev=,0123456789ABab+/\u{0}\u{FF}".utf8)
    for _ in 0..<3000 {
      var exchange = try scramVectors[0].start()
      for _ in 0..<3 {
        let length = Int.random(in: 0...40, using: &random)
        var message = (0..<length).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }
        if Bool.random() { message = Array("r=fyko+d2lbbFgONRv9qkxdawL".utf8) + message }
        _ = try? exchange.respond(to: message)
      }
      #expect(throws: SASLError.self) { try exchange.succeeded() }
    }
  }
}
