import Foundation
import MailTestKit
import Testing

/// `mirror doctor` against real servers, in health and in sickness.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct DoctorRunTests {
  private struct Finding: Decodable {
    var account: String?
    var check: String
    var state: String
    var words: String
    var remedy: String?
    var exitStatus: Int32
  }

  private func examine(_ mirror: MirrorProgram) throws -> (status: Int32?, findings: [Finding]) {
    let outcome = try mirror.run(["doctor", "--format", "json"])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return (outcome.status, try decoder.decode([Finding].self, from: Data(outcome.output)))
    } catch {
      throw KitError("\(error): \(outcome.summary)")
    }
  }

  /// Over TLS, with two messages that were pulled.
  private func pulled() throws -> MirrorProgram {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    try server.client(user).append(["one", "two"].map { SampleMessage(token: $0) })
    let mirror = try MirrorProgram(AccountSettings(overTLS: server, user: user))
    let outcome = try mirror.run(["pull"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    try runSuccessfully(["chmod", "700", mirror.root])
    return mirror
  }

  @Test func `a sound account is fine in every line, and nothing is changed`() throws {
    let mirror = try pulled()
    let before = TreeSnapshot(mirror.root, leavingOut: Self.isBookkeeping)
    let (status, findings) = try examine(mirror)
    #expect(status == 0)
    // How much room there is, is the machine's affair.
    for finding in findings where finding.check != "disk-space" {
      #expect(finding.state == "fine" && finding.exitStatus == 0, "\(finding)")
    }
    let own = findings.filter { $0.account == nil }.map(\.check)
    #expect(own == ["configuration", "clock", "tree", "disk-space", "index"])
    let checks = findings.filter { $0.account == "personal" }.map(\.check)
    #expect(
      checks == [
        "name", "password", "connection", "tls", "log-in", "changes", "discovery", "download",
        "changing", "server", "mailboxes", "special-use", "permissions", "state", "last-run",
      ])
    func words(_ check: String) -> String { findings.first { $0.check == check }?.words ?? "" }
    #expect(words("tls").hasPrefix("TLSv1.3, "))
    #expect(words("tls").contains("by CN=mirror test authority good for 36"))
    #expect(words("state").hasSuffix("2 messages in 6 mailboxes"))
    let after = TreeSnapshot(mirror.root, leavingOut: Self.isBookkeeping)
    #expect(before.changes(to: after) == [])
  }

  private static func isBookkeeping(_ path: String) -> Bool {
    path.hasPrefix(".mirror") || Scenario.isBookkeeping(path.replacing("personal/", with: ""))
      || path == "personal"
  }

  @Test func `each thing that is wrong is told with what to do, and the worst is the status`()
    throws
  {
    let mirror = try pulled()
    try writeFile(mirror.account + "/INBOX/.mbsyncstate", "")
    try writeFile(mirror.root + "/.mirror/index.db", "no database at all")
    try writeFile(mirror.account + "/.mirror/state.db", "no database at all")
    var (status, findings) = try examine(mirror)
    func finding(_ check: String, _ state: String) -> Finding? {
      findings.first { $0.check == check && $0.state == state }
    }
    #expect(status == 65, "\(findings)")
    #expect(finding("state", "wrong")?.words.hasSuffix("state.db is damaged.") == true)
    #expect(finding("state", "wrong")?.remedy?.hasPrefix("Pull") == true)
    #expect(finding("index", "wrong")?.remedy?.contains("mirror-index") == true)
    #expect(finding("other-tools", "notice")?.words.hasPrefix("INBOX/.mbsyncstate") == true)
    try mirror.configure { $0.password = "wrong" }
    (status, findings) = try examine(mirror)
    #expect(status == 77)
    #expect(finding("log-in", "wrong")?.exitStatus == 77)
    #expect(finding("tls", "fine") != nil, "what came before is told, too")
    #expect(finding("mailboxes", "fine") == nil)
    // With -q only what is wrong, on standard error.
    let quiet = try mirror.run(["doctor", "-q"])
    #expect(quiet.status == 77 && quiet.output == [])
    #expect(quiet.errorText.split(separator: "\n").count == 3, "\(quiet.errorText)")
    // One pull mends what it can.
    try mirror.configure { $0.password = DovecotServer.password }
    #expect(try mirror.run(["pull"]).status == 0)
    (status, findings) = try examine(mirror)
    #expect(status == 0, "\(findings)")
  }

  /// The first page is whole, so nothing is noticed when the file is opened.
  @Test func `a page that is torn in the middle of the state is found, and the remedy works`()
    throws
  {
    let mirror = try pulled()
    let path = mirror.account + "/.mirror/state.db"
    var bytes = try readFile(path)
    let page = Int(bytes[16]) << 8 | Int(bytes[17])
    for place in page * 2..<page * 4 { bytes[place] = 0xA5 }
    try writeFile(path, bytes)
    let (status, findings) = try examine(mirror)
    let state = findings.first { $0.check == "state" }
    #expect(status == 65 && state?.state == "wrong", "\(findings)")
    #expect(state?.remedy?.contains("from state.backup.db") == true, "\(findings)")
    #expect(try readFile(path) == bytes, "doctor only looks")
    try runSuccessfully(["mv", path, path + ".damaged"])
    let pull = try mirror.run(["pull"])
    #expect(pull.status == 0 && pull.outputText.contains("0 new"), "\(pull.summary)")
    #expect(try examine(mirror).status == 0)
  }

  @Test func `a certificate that has expired, and a port where nobody listens`() throws {
    let mirror = try pulled()
    let certificates = try Certificates.shared.get()
    let endpoint = try TLSEndpoint(try certificates.issue("doctor", expired: true))
    try mirror.configure { $0.port = endpoint.port }
    var (status, findings) = try examine(mirror)
    let tls = findings.first { $0.check == "tls" }
    #expect(status == 69 && tls?.state == "wrong", "\(findings)")
    #expect(tls?.words.contains("expired") == true)
    #expect(tls?.remedy?.contains("renewed") == true)
    endpoint.stop()
    let free = try freePort()
    try mirror.configure { $0.port = free }
    (status, findings) = try examine(mirror)
    #expect(status == 69 && findings.contains { $0.check == "connection" && $0.state == "wrong" })
    #expect(findings.contains { $0.check == "state" }, "the tree is looked at all the same")
  }

  @Test(.enabled(if: SendScenario.isPossible))
  func `the outgoing server is looked at, and nothing is sent`() throws {
    let send = try SendScenario(.implicit)
    #expect(try send.mirror.run(["pull"]).status == 0)
    try send.sendmail("Subject: x\n\nx\n", "bob@example.org")
    var (status, findings) = try examine(send.mirror)
    #expect(status == 0, "\(findings)")
    let checks = findings.filter { $0.check.hasPrefix("smtp-") && $0.state == "fine" }.map(\.check)
    #expect(checks == ["smtp-name", "smtp-connection", "smtp-tls", "smtp-log-in"], "\(findings)")
    let sending = findings.first { $0.check == "sending" }?.words ?? ""
    #expect(sending.hasPrefix("messages of up to 210 MB; PIPELINING"), "\(sending)")
    #expect(findings.first { $0.check == "queue" }?.words == "1 waiting for the next push")
    #expect(try send.outbox().first?["attempts"] as? Int == 0)

    let refusing = try SendScenario(.implicit, smtp: "password = \"wrong\"")
    (status, findings) = try examine(refusing.mirror)
    let refused = findings.first { $0.state == "wrong" }
    #expect(status == 77 && refused?.check == "smtp-log-in", "\(findings)")
    #expect(findings.contains { $0.check == "log-in" && $0.state == "fine" })
  }
}
