import MailCore
import SASL
import Testing
import Transport

struct SelectionTests {
  private let everything = SASLMechanism.allCases.map(\.rawValue)
  private let binding = ChannelBinding(kind: .tlsExporter, data: [1])

  private func candidates(
    _ offered: [String], _ choice: SASLChoice = .automatic,
    kind: SASLCredential.Kind = .password, isEncrypted: Bool = true, bound: Bool = false
  ) throws -> [SASLMechanism] {
    try SASLMechanism.candidates(
      offered: offered, choice: choice, kind: kind,
      context: context(isEncrypted: isEncrypted, channelBinding: bound ? binding : nil))
  }

  @Test func `the strongest comes first`() throws {
    #expect(
      try candidates(everything.reversed(), bound: true) == [
        .scramSHA256Plus, .scramSHA256, .scramSHA1Plus, .scramSHA1, .plain, .login, .cramMD5,
      ])
    #expect(try candidates(["login", "Plain"]) == [.plain, .login])
  }

  @Test func `without TLS the password is shown last`() throws {
    #expect(
      try candidates(["PLAIN", "CRAM-MD5", "LOGIN"], isEncrypted: false)
        == [.cramMD5, .plain, .login])
  }

  @Test func `PLUS needs a channel to bind to`() throws {
    #expect(try candidates(everything).contains { $0.isChannelBound } == false)
    #expect(throws: SASLError.self) { try candidates(["SCRAM-SHA-1-PLUS"]) }
  }

  @Test func `a token and a password are never mixed up`() throws {
    #expect(try candidates(everything, kind: .accessToken) == [.oauthBearer, .xoauth2])
    #expect(throws: SASLError.self) { try candidates(["PLAIN"], kind: .accessToken) }
    #expect(throws: SASLError.self) { try candidates(["XOAUTH2"]) }
    #expect(try candidates(everything, kind: .none) == [.external])
  }

  @Test func `a choice by name is kept to`() throws {
    #expect(try candidates(everything, .only(.cramMD5)) == [.cramMD5])
    #expect(
      try candidates(everything, .only(.scramSHA1), bound: true) == [.scramSHA1Plus, .scramSHA1])
    #expect(
      throws: SASLError.noCommonMechanism(offered: ["PLAIN"], wanted: ["CRAM-MD5"])
    ) { try candidates(["PLAIN"], .only(.cramMD5)) }
  }

  @Test func `settings name the mechanisms in lower case`() {
    #expect(SASLChoice(setting: "auto") == .automatic)
    for name in [
      "plain", "login", "cram-md5", "scram-sha-1", "scram-sha-256", "xoauth2", "oauthbearer",
      "external",
    ] {
      #expect(SASLChoice(setting: name) != nil, "\(name)")
    }
    #expect(SASLChoice(setting: "gssapi") == nil)
  }
}
