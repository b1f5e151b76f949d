import Foundation
import MailTestKit
import Testing

/// Signed and encrypted mail with `on-demand`: gpg says of it what it says of the server's bytes.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot && findProgram("gpg") != nil))
final class SecretMailTests {
  private let scenario: Scenario
  private let home: String

  init() throws {
    scenario = try Scenario(sync: "on-demand = \"20kB\"")
    home = scenario.mirror.home + "/gnupg"
    try makeDirectory(home, mode: 0o700)
    try gpg(
      "--passphrase", "", "--quick-gen-key", "alice@example.org", "default", "default", "never")
  }

  deinit { _ = try? run(["gpgconf", "--homedir", home, "--kill", "all"]) }

  @discardableResult private func gpg(_ words: String...) throws -> Outcome {
    let outcome = try run(
      ["gpg", "--homedir", home, "--batch", "--yes", "--trust-model", "always"] + words, limit: 180)
    #expect(outcome.status == 0, "\(outcome.summary)")
    return outcome
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = home + "/" + name
    try writeFile(path, bytes)
    return path
  }

  private func header(_ token: String, _ type: String) -> String {
    """
    From: Alice <alice@example.org>
    Subject: Secrets \(token)
    Date: Sun, 13 Sep 2020 12:26:40 +0000
    Message-ID: <\(token)@example.org>
    MIME-Version: 1.0
    Content-Type: \(type)


    """
  }

  private func armoured(_ words: String..., of bytes: [UInt8]) throws -> String {
    let source = try file("source", bytes)
    _ = try run(
      [
        "gpg", "--homedir", home, "--batch", "--yes", "--trust-model", "always", "--armor", "-o",
        home + "/made",
      ] + words + [source])
    return String(decoding: try readFile(home + "/made"), as: UTF8.self)
  }

  /// With a large file in the signed part.
  private func signed() throws -> SampleMessage {
    let inner = """
      Content-Type: multipart/mixed; boundary=i

      --i
      Content-Type: text/plain

      signed text
      --i
      Content-Type: application/pdf; name=s.pdf
      Content-Transfer-Encoding: base64

      \(OnDemandMail.base64(60_000, seed: 4))
      --i--
      """
    let signature = try armoured("--detach-sign", of: crlf(inner))
    return SampleMessage(
      bytes: crlf(
        header("signed", "multipart/signed; boundary=o; protocol=\"application/pgp-signature\"")
          + "--o\n\(inner)\n--o\nContent-Type: application/pgp-signature; name=signature.asc\n\n"
          + signature + "\n--o--\n"))
  }

  private func encrypted() throws -> SampleMessage {
    let inner = "Content-Type: text/plain\n\n" + OnDemandMail.base64(60_000, seed: 5) + "\n"
    let secret = try armoured("-r", "alice@example.org", "--encrypt", of: crlf(inner))
    let type = "multipart/encrypted; boundary=o; protocol=\"application/pgp-encrypted\""
    return SampleMessage(
      bytes: crlf(
        header("secret", type) + "--o\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n\n"
          + "--o\nContent-Type: application/octet-stream; name=encrypted.asc\n\n\(secret)\n--o--\n")
    )
  }

  /// Ordinary mail with an encrypted file, and the signature of it: that file is not here before a fill.
  private func enclosing() throws -> (message: SampleMessage, content: [UInt8]) {
    let content = crlf(OnDemandMail.base64(60_000, seed: 6))
    _ = try armoured("-r", "alice@example.org", "--encrypt", of: content)
    let secret = try readFile(home + "/made")
    let signature = try armoured("--detach-sign", of: secret)
    return (
      SampleMessage(
        bytes: crlf(
          header("enclosed", "multipart/mixed; boundary=o") + "--o\n\nsee the files\n--o\n"
            + "Content-Type: application/octet-stream; name=letter.asc\n"
            + "Content-Disposition: attachment; filename=letter.asc\n"
            + "Content-Transfer-Encoding: base64\n\n"
            + Data(secret).base64EncodedString(options: [
              .lineLength76Characters, .endLineWithLineFeed,
            ])
            + "\n--o\nContent-Type: text/plain; name=letter.sig\n"
            + "Content-Disposition: attachment; filename=letter.sig\n\n" + signature
            + "\n--o--\n")), content
    )
  }

  /// What stands between two lines, in a message's file, with CRLF.
  private func part(after start: String, before end: String, of token: String) throws -> [UInt8] {
    let text = try #require(try scenario.local("<\(token)@")).text
    let from = try #require(text.range(of: start))
    let to = try #require(text.range(of: end, range: from.upperBound..<text.endIndex))
    return crlf(String(text[from.upperBound..<to.lowerBound]))
  }

  @Test func `signatures hold, and what was encrypted can be read, before and after a fill`() throws
  {
    let enclosing = try enclosing()
    try scenario.client.append([try signed(), try encrypted(), enclosing.message])
    try scenario.pull()
    for token in ["signed", "secret"] {
      #expect(try scenario.local("<\(token)@")?.isStub == false, "\(token)")
    }
    #expect(try scenario.local("<enclosed@")?.isStub == true)
    let text = try file(
      "signed", part(after: "signature\"\n\n--o\n", before: "\n--o\n", of: "signed"))
    let sign = try file(
      "signature", part(after: "signature.asc\n\n", before: "\n--o--", of: "signed"))
    try gpg("--verify", sign, text)
    let secret = try file(
      "secret", part(after: "encrypted.asc\n\n", before: "\n--o--", of: "secret"))
    let read = try gpg("--decrypt", secret).outputText
    #expect(read.contains(OnDemandMail.base64(60_000, seed: 5).prefix(70)))
    #expect(try scenario.mirror.run(["index"]).status == 0)
    // The part alone, from the server; then the same of the whole message.
    for isFilled in [false, true] {
      if isFilled { _ = try scenario.fillParts("--all") }
      let saved = scenario.mirror.home + "/saved-\(isFilled)"
      try makeDirectory(saved)
      let outcome = try scenario.mirror.run([
        "attachments", "--save", saved, "id:enclosed@example.org",
      ])
      #expect(outcome.status == 0, "\(outcome.summary)")
      try gpg("--verify", saved + "/letter.sig", saved + "/letter.asc")
      #expect(try gpg("--decrypt", saved + "/letter.asc").output == enclosing.content)
    }
    try scenario.expectMirrored()
  }
}
