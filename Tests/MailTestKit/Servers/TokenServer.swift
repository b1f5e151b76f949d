import Foundation

/// An OAuth2 authorisation server on loopback, with everything that a mail program and a mail server ask of one:
/// consent page, tokens, device codes, revocation, introspection. It remembers what it was asked.
package final class TokenServer: @unchecked Sendable {  // everything mutable behind `lock`
  package struct Behaviour: Sendable {
    /// Who signs in, whatever browser comes.
    package var user = "alice"
    /// Seconds that an access token is said to live; nil: not said.
    package var lifetime: Int? = 3600
    /// Each refresh gives a new refresh token and forgets the old one.
    package var rotates = false
    /// Refreshing fails for good.
    package var refusesRefresh = false
    /// The person says no.
    package var denies = false
    /// What the device endpoint's client hears before it gets its token, in this order.
    package var deviceErrors: [String] = []
    package var deviceInterval: Int? = 1
    /// Seconds before the token endpoint answers.
    package var delay = 0.0
    /// How often a mail server may ask for one access token before it is said to have run out.
    package var uses = Int.max
    /// In place of the token endpoint's answer: a whole response.
    package var answer: Response?
    /// The consent page sends this state back in place of the one it got.
    package var forgedState: String?

    package init() {}
  }

  package struct Request: Sendable {
    package var method = ""
    package var path = ""
    package var query: [String: String] = [:]
    /// Names in lower case.
    package var headers: [String: String] = [:]
    package var form: [String: String] = [:]
  }

  package struct Response: Sendable {
    package var status: Int
    package var headers: [String]
    package var body: String

    package init(_ status: Int, headers: [String] = [], body: String = "") {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  private struct Code {
    var challenge: String
    var redirect: String
  }

  package var port: UInt16 { listener.port }
  private let lock = NSLock()
  private var current = Behaviour()
  private var log: [Request] = []
  private var codes: [String: Code] = [:]
  private var refreshTokens: Set<String> = []
  private var accessTokens: Set<String> = []
  private var deviceErrors: [String] = []
  /// How often a mail server asked for each access token.
  private var asked: [String: Int] = [:]
  private var listener: Listener! = nil

  package init(_ behaviour: Behaviour = Behaviour()) throws {
    current = behaviour
    listener = try Listener { [weak self] socket in
      self?.serve(socket)
      socket.close()
    }
  }

  deinit { listener?.stop() }

  package func stop() { listener.stop() }

  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  package var behaviour: Behaviour {
    get { locked { current } }
    set { locked { current = newValue } }
  }

  package var requests: [Request] { locked { log } }
  package func requests(_ path: String) -> [Request] { requests.filter { $0.path == path } }
  package func refreshes() -> [Request] {
    requests("/token").filter { $0.form["grant_type"] == "refresh_token" }
  }
  package func forget() { locked { log = [] } }

  /// From now on no access token given so far is good for anything.
  package func expireTokens() { locked { accessTokens = [] } }

  /// Makes a refresh token good, as an earlier log-in would have.
  package func admit(refreshToken: String) { locked { _ = refreshTokens.insert(refreshToken) } }
  package func admit(accessToken: String) { locked { _ = accessTokens.insert(accessToken) } }

  /// Every secret that left this server, for a look at what was written elsewhere.
  package var secrets: [String] { locked { given } }
  private var given: [String] = []

  // MARK: The browser

  /// What a browser gets for an address, and after a redirect for that one, too.
  package static func browse(_ url: String, follows: Bool = true) throws -> Response {
    guard let parts = URLComponents(string: url), let port = parts.port else {
      throw KitError("\(url) has no port")
    }
    let target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    let response = try exchange(
      port: UInt16(port), "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let location = response.headers.first { $0.lowercased().hasPrefix("location: ") }
    guard follows, response.status == 302, let location else { return response }
    return try browse(String(location.dropFirst("location: ".count)))
  }

  /// One request as it is, one response.
  package static func exchange(port: UInt16, _ request: String) throws -> Response {
    let socket = try Socket(connectingTo: port)
    defer { socket.close() }
    socket.write(Array(request.utf8))
    var bytes: [UInt8] = []
    while case let more = socket.read(), !more.isEmpty { bytes += more }
    let text = String(decoding: bytes, as: UTF8.self)
    let halves = text.components(separatedBy: "\r\n\r\n")
    let lines = (halves.first ?? "").components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw KitError("no HTTP answer but “\(text.prefix(100))”") }
    return Response(
      status, headers: Array(lines.dropFirst()),
      body: halves.dropFirst().joined(separator: "\r\n\r\n"))
  }

  // MARK: Serving

  private func locked<R>(_ body: () -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private func serve(_ socket: Socket) {
    var reader = LineReader(socket)
    guard let request = Self.request(&reader) else { return }
    locked { log.append(request) }
    let response = answer(request)
    let head =
      ["HTTP/1.1 \(response.status) Status", "Connection: close"]
      + ["Content-Length: \(response.body.utf8.count)"] + response.headers + ["", ""]
    socket.write(Array((head.joined(separator: "\r\n") + response.body).utf8))
    socket.finishWriting()
    while !socket.read().isEmpty {}
  }

  private static func request(_ reader: inout LineReader) -> Request? {
    guard let line = reader.line() else { return nil }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3 else { return nil }
    var request = Request()
    request.method = String(words[0])
    let target = words[1].split(separator: "?", maxSplits: 1)
    request.path = target.first.map(String.init) ?? ""
    request.query = target.count > 1 ? fields(String(target[1])) : [:]
    while let line = reader.line(), !line.isEmpty {
      let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
    guard let body = reader.bytes(length) else { return nil }
    request.form = fields(String(decoding: body, as: UTF8.self))
    return request
  }

  private static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "" }
      fields[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return fields
  }

  private func answer(_ request: Request) -> Response {
    switch request.path {
    case "/authorize": return authorize(request)
    case "/token":
      pause(behaviour.delay)
      if let answer = behaviour.answer { return answer }
      return token(request)
    case "/device": return device()
    case "/revoke":
      locked {
        refreshTokens.remove(request.form["token"] ?? "")
        accessTokens.remove(request.form["token"] ?? "")
      }
      return Response(200)
    case "/introspect":
      let token = request.form["token"] ?? request.query["token"] ?? ""
      let isActive = locked {
        asked[token, default: 0] += 1
        return accessTokens.contains(token) && asked[token, default: 0] <= current.uses
      }
      return Self.json(
        isActive ? ["active": true, "username": behaviour.user] : ["active": false])
    default: return Response(404)
    }
  }

  private func authorize(_ request: Request) -> Response {
    let query = request.query
    guard query["response_type"] == "code", let redirect = query["redirect_uri"],
      let challenge = query["code_challenge"], query["code_challenge_method"] == "S256",
      let state = query["state"]
    else { return Response(400, body: "not an authorisation request") }
    let code = "code-" + Self.unguessable()
    locked { codes[code] = Code(challenge: challenge, redirect: redirect) }
    let told = behaviour.forgedState ?? state
    let tail =
      behaviour.denies
      ? "error=access_denied&error_description=said+no&state=\(told)"
      : "code=\(code)&state=\(told)"
    return Response(302, headers: ["Location: \(redirect)?\(tail)"])
  }

  private func token(_ request: Request) -> Response {
    let form = request.form
    switch form["grant_type"] {
    case "authorization_code":
      guard let code = locked({ codes.removeValue(forKey: form["code"] ?? "") }),
        code.redirect == form["redirect_uri"],
        Self.challenge(of: form["code_verifier"] ?? "") == code.challenge
      else { return Self.refusal("invalid_grant") }
      return grant(refreshToken: newRefreshToken())
    case "refresh_token":
      let token = form["refresh_token"] ?? ""
      guard !behaviour.refusesRefresh, locked({ refreshTokens.contains(token) }) else {
        return Self.refusal("invalid_grant", "Token has been expired or revoked: \(token)")
      }
      guard behaviour.rotates else { return grant(refreshToken: nil) }
      locked { _ = refreshTokens.remove(token) }
      return grant(refreshToken: newRefreshToken())
    case "urn:ietf:params:oauth:grant-type:device_code":
      guard form["device_code"] == "device-code-0123456789" else {
        return Self.refusal("invalid_grant")
      }
      let error = locked { deviceErrors.isEmpty ? nil : deviceErrors.removeFirst() }
      if let error { return Self.refusal(error) }
      return grant(refreshToken: newRefreshToken())
    default: return Self.refusal("unsupported_grant_type")
    }
  }

  private func device() -> Response {
    locked { deviceErrors = current.deviceErrors }
    var fields: [String: Any] = [
      "device_code": "device-code-0123456789", "user_code": "WDJB-MJHT",
      "verification_uri": url("/activate"), "expires_in": 900,
    ]
    fields["interval"] = behaviour.deviceInterval
    return Self.json(fields)
  }

  private func grant(refreshToken: String?) -> Response {
    let access = "access-" + Self.unguessable()
    locked {
      _ = accessTokens.insert(access)
      given.append(access)
    }
    var fields: [String: Any] = ["access_token": access, "token_type": "Bearer"]
    fields["expires_in"] = behaviour.lifetime
    fields["refresh_token"] = refreshToken
    return Self.json(fields)
  }

  private func newRefreshToken() -> String {
    let token = "refresh-" + Self.unguessable()
    locked {
      _ = refreshTokens.insert(token)
      given.append(token)
    }
    return token
  }

  private static func unguessable() -> String {
    String(UInt64.random(in: 0...UInt64.max), radix: 36)
      + String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }

  private static func refusal(_ code: String, _ words: String? = nil) -> Response {
    var fields: [String: Any] = ["error": code]
    fields["error_description"] = words
    return json(fields, status: code == "invalid_client" ? 401 : 400)
  }

  private static func json(_ fields: [String: Any], status: Int = 200) -> Response {
    let data = (try? JSONSerialization.data(withJSONObject: fields)) ?? Data()
    return Response(
      status, headers: ["Content-Type: application/json", "Cache-Control: no-store"],
      body: String(decoding: data, as: UTF8.self))
  }

  /// S256 by another hand than the program's own.
  private static func challenge(of verifier: String) -> String? {
    let script = """
      printf %s "$1" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='
      """
    return try? runSuccessfully(["/bin/sh", "-c", script, "sh", verifier]).outputText
  }
}

extension DovecotServer.Options {
  /// Log-ins with access tokens of this server, and with nothing else.
  package static func tokens(of server: TokenServer, in directory: String) throws -> Self {
    let path = directory + "/dovecot-oauth2.conf.ext"
    try writeFile(
      path,
      """
      introspection_mode = post
      introspection_url = \(server.url("/introspect"))
      force_introspection = yes
      active_attribute = active
      active_value = true
      username_attribute = username
      timeout_msecs = 10000

      """, mode: 0o644)
    var options = Self(
      more: """
        passdb {
          driver = oauth2
          mechanisms = xoauth2 oauthbearer
          args = \(path)
        }
        """)
    options.mechanisms = "plain xoauth2 oauthbearer"
    return options
  }
}
