import Foundation
import MailTestKit
import Testing

/// Promise 8 on the way out: the wire is shown, and no secret with it.
@Suite(.enabled(if: SendScenario.isPossible)) struct SendSecrecyTests {
  @Test(arguments: ["scram-sha-256", "scram-sha-1", "cram-md5", "plain", "login"])
  func `the log of the wire shows a log-in, and nothing that was said in it`(mechanism: String)
    throws
  {
    let send = try SendScenario(.startTLS, smtp: "auth = \"\(mechanism)\"")
    #expect(try send.sendmail("Subject: x\n\nx\n", "bob@example.org").status == 0)
    let outcome = try send.mirror.run(["push", "-vv"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let log = outcome.errorText
    #expect(log.contains("-> AUTH") && log.contains("<- 235 "), "\(log)")
    #expect(log.contains("MAIL FROM:"), "\(log)")
    if mechanism != "plain" { #expect(log.contains("334 <hidden>"), "\(log)") }
    // Base64 of what a log-in consists of: names, challenges, nonces, salts, proofs.
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    for token in log.split(whereSeparator: { !alphabet.contains($0) }) {
      #expect(token != "cHc=", "the password")
      guard token.count >= 8, let bytes = Data(base64Encoded: String(token)) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      let isSaid =
        [send.user, "n,,n=", ",s=", "c=biws", "Username:", "Password:"].contains(
          where: text.contains)
        || text.hasPrefix("v=") && token.count > 30 || text.hasPrefix("<") && text.hasSuffix(">")
      #expect(!isSaid, "\(token): \(text)")
    }
  }
}
