import HTTPWire
import MailCore
import MailTestKit
import Testing
import Transport

@testable import HTTPClient

@Suite struct HTTPExchangeTests {
  private func exchange(whole: Double = 60, body: Int = 1 << 16) -> HTTPExchange {
    HTTPExchange(caFile: nil, limits: .init(connecting: 30, whole: whole, body: body))
  }

  private func request(_ port: UInt16) throws -> HTTPRequest {
    var request = HTTPRequest(.post, try #require(HTTPAddress("http://127.0.0.1:\(port)/a")))
    request.authorization = Secret("hidden-one")
    request.body = Secret("hidden-two")
    return request
  }

  private func failure(_ exchange: HTTPExchange, _ request: HTTPRequest) async -> HTTPFailure? {
    do throws(HTTPFailure) {
      _ = try await exchange.answer(to: request)
      return nil
    } catch {
      #expect(!"\(error) \(error.words)".contains("hidden"))
      return error
    }
  }

  /// A server that sends this and no more, and keeps the connection.
  private func server(_ answer: String, endless: Bool = false) throws -> ScriptedServer {
    try ScriptedServer { session in
      while let line = session.receive(), !line.isEmpty {}
      session.send(raw: Array(answer.utf8))
      let filler = [UInt8](repeating: 0x78, count: 1 << 16)
      while endless, session.socket.write(filler) {}
      while !session.socket.read().isEmpty {}
    }
  }

  @Test func `an answer is read to its end and no further`() async throws {
    let server = try server(
      "HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok")
    let response = try await exchange().answer(to: request(server.port))
    #expect(response.head.status == 201)
    #expect(response.body == Array("ok".utf8))
    #expect(server.received.first == "POST /a HTTP/1.1")
    #expect(server.received.contains("Host: 127.0.0.1:\(server.port)"))
    #expect(server.received.contains("Authorization: hidden-one"))
  }

  @Test func `a body that is not wanted is not read`() async throws {
    let server = try server("HTTP/1.1 404 No\r\nContent-Length: 999999999\r\n\r\n", endless: true)
    let response = try await exchange().answer(to: request(server.port)) { $0.status == 200 }
    #expect(response.head.status == 404 && response.body.isEmpty)
  }

  @Test(arguments: ["Content-Length: 999999999\r\n", ""])
  func `a body without end is cut off`(field: String) async throws {
    let server = try server("HTTP/1.1 200 OK\r\n\(field)\r\n", endless: true)
    let problem = await failure(exchange(body: 100_000), try request(server.port))
    #expect(problem == .bodyTooLarge(limit: 100_000))
  }

  @Test func `an answer that never pauses ends with the time`() async throws {
    let server = try server("HTTP/1.1 200 OK\r\n\r\n", endless: true)
    let exchange = exchange(whole: 0.3, body: .max)
    #expect(await failure(exchange, try request(server.port)) == .timedOut)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"])
  func `silence ends with the time`(answer: String) async throws {
    let server = try server(answer)
    #expect(await failure(exchange(whole: 0.5), try request(server.port)) == .timedOut)
  }

  @Test func `a cancelled task ends at once`() async throws {
    let server = try server("HTTP/1.1 200 OK\r\n")
    let (exchange, request) = (exchange(whole: 500), try request(server.port))
    let clock = ContinuousClock()
    let start = clock.now
    let task = Task { await failure(exchange, request) }
    while server.received.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    #expect(await task.value == .interrupted)
    #expect(clock.now - start < .seconds(200))
  }

  @Test func `a task that was cancelled before sends nothing`() async throws {
    let server = try server("HTTP/1.1 204 OK\r\n\r\n")
    let (exchange, request) = (exchange(), try request(server.port))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure(exchange, request)
    }
    task.cancel()
    #expect(await task.value == .interrupted)
    #expect(server.received.isEmpty)
  }

  @Test func `a server that says nothing or something else is told`() async throws {
    let mute = try ScriptedServer { session in
      while let line = session.receive(), !line.isEmpty {}
    }
    // Where it closes before it has read the form, the system resets the connection.
    let problem = await failure(exchange(), try request(mute.port))
    let reset = TransportError.reset(Endpoint(host: "127.0.0.1", port: mute.port))
    #expect(problem == .malformed(.noAnswer) || problem == .transport(reset))
    let mail = try server("* OK IMAP4rev1\r\n")
    #expect(await failure(exchange(), try request(mail.port)) == .malformed(.notHTTP))
    let nobody = try freePort()
    #expect(
      await failure(exchange(), try request(nobody))
        == .transport(.refused(Endpoint(host: "127.0.0.1", port: nobody))))
  }
}
