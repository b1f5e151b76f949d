import Foundation
import MailTestKit
import Testing

/// Mail with large attachments, and the oddities that senders leave around and between parts.
enum OnDemandMail {
  /// Base64 of random bytes: so many, encoded, at least.
  static func base64(_ octets: Int, seed: UInt64) -> String {
    var random = SeededGenerator(seed: seed)
    var lines: [String] = []
    for _ in 0...(octets / 78) {
      let bytes = (0..<57).map { _ in UInt8.random(in: 0...255, using: &random) }
      lines.append(Data(bytes).base64EncodedString())
    }
    return lines.joined(separator: "\n")
  }

  /// Text, and one file.
  static func mixed(
    _ token: String, octets: Int = 200_000, name: String = "report.pdf",
    type: String = "application/pdf", preamble: String = "", epilogue: String = "",
    text: String = "Hello.", header: String = "", date: Int64 = 1_600_000_000,
    flags: [String] = [], seed: UInt64 = 1
  ) -> SampleMessage {
    let body = """
      \(header)From: Alice <alice@example.org>
      To: bob@example.org
      Subject: Files \(token)
      Date: Sun, 13 Sep 2020 12:26:40 +0000
      Message-ID: <\(token)@example.org>
      MIME-Version: 1.0
      Content-Type: multipart/mixed; boundary="b-\(token)"

      \(preamble)--b-\(token)
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit

      \(text)
      \(token)
      --b-\(token)
      Content-Type: \(type);
       name="\(name)"
      Content-Transfer-Encoding: base64
      Content-Disposition: attachment; filename="\(name)"

      \(base64(octets, seed: seed))
      --b-\(token)--
      \(epilogue)
      """
    return SampleMessage(bytes: crlf(body), date: date, flags: flags)
  }

  /// Each another shape.
  static func corpus(octets: Int = 60_000) -> [SampleMessage] {
    let big = base64(octets, seed: 7)
    let header = { (token: String, type: String) in
      """
      From: Alice <alice@example.org>
      To: bob@example.org
      Subject: Shape \(token)
      Date: Sun, 13 Sep 2020 12:26:40 +0000
      Message-ID: <\(token)@example.org>
      MIME-Version: 1.0
      Content-Type: \(type)


      """
    }
    let texts: [String] = [
      // A large part before the text, and two of them.
      header("first", "multipart/mixed; boundary=x") + """
        --x
        Content-Type: image/jpeg; name=a.jpg
        Content-Transfer-Encoding: base64

        \(big)
        --x
        Content-Type: text/plain

        after
        --x
        Content-Type: video/mp4
        Content-Disposition: attachment; filename*=utf-8''f%C3%BCr%20dich.mp4
        Content-Transfer-Encoding: base64

        \(big)
        --x--

        """,
      // Alternative in related in mixed.
      header("nested", "multipart/mixed; boundary=\"outer\"") + """
        preamble
        --outer
        Content-Type: multipart/related; boundary="inner"

        --inner
        Content-Type: multipart/alternative; boundary="alt"

        --alt
        Content-Type: text/plain

        plain
        --alt
        Content-Type: text/html

        <p>html</p>
        --alt--
        --inner
        Content-Type: image/png; name="logo.png"
        Content-ID: <logo>
        Content-Transfer-Encoding: base64

        \(base64(900, seed: 3))
        --inner--
        --outer
        Content-Type: application/zip; name="all.zip"
        Content-Disposition: attachment
        Content-Transfer-Encoding: base64

        \(big)
        --outer--
        epilogue
        """,
      // An attached message, large itself.
      header("letter", "multipart/mixed; boundary=x") + """
        --x

        no header at all
        --x
        Content-Type: message/rfc822

        From: carol@example.org
        Subject: inside
        Content-Type: multipart/mixed; boundary=y

        --y
        Content-Type: text/plain

        inner text
        --y
        Content-Type: application/octet-stream
        Content-Transfer-Encoding: base64

        \(big)
        --y--

        --x--

        """,
      // Single part.
      header("single", "application/pdf; name=one.pdf") + big + "\n",
      // Signed.
      header("signed", "multipart/signed; boundary=x; protocol=\"application/pgp-signature\"") + """
        --x
        Content-Type: multipart/mixed; boundary=y

        --y
        Content-Type: text/plain

        signed text
        --y
        Content-Type: application/pdf; name=s.pdf
        Content-Transfer-Encoding: base64

        \(big)
        --y--
        --x
        Content-Type: application/pgp-signature

        -----BEGIN PGP SIGNATURE-----
        -----END PGP SIGNATURE-----
        --x--

        """,
      // Encrypted.
      header("secret", "multipart/encrypted; boundary=x; protocol=\"application/pgp-encrypted\"")
        + """
        --x
        Content-Type: application/pgp-encrypted

        Version: 1
        --x
        Content-Type: application/octet-stream; name=encrypted.asc

        \(big)
        --x--

        """,
      // No closing boundary, no final line end.
      header("cut", "multipart/mixed; boundary=x") + """
        --x
        Content-Type: text/plain

        text
        --x
        Content-Type: application/pdf
        Content-Transfer-Encoding: base64

        \(big)
        """,
      // A boundary that a part of the text holds as well, but for a letter.
      header("like", "multipart/mixed; boundary=x") + """
        --x
        Content-Type: text/plain

        --xy
        --x-
        text
        --x
        Content-Type: text/plain; name=log.txt
        Content-Disposition: attachment; filename=log.txt

        \(String(repeating: "a line of a log\n", count: octets / 16))
        --x--

        """,
      // Text of any size stays.
      header("book", "multipart/mixed; boundary=x") + """
        --x
        Content-Type: text/plain; charset=iso-8859-1
        Content-Transfer-Encoding: quoted-printable

        \(String(repeating: "a line of a book =FCber\n", count: octets / 12))
        --x
        Content-Type: application/pdf
        Content-Transfer-Encoding: base64

        \(big)
        --x--

        """,
    ]
    var messages = texts.enumerated().map { number, text in
      SampleMessage(bytes: crlf(text), date: 1_600_000_000 + Int64(number))
    }
    messages += [
      mixed("plain", octets: octets, date: 1_600_000_100),
      mixed("seen", octets: octets, date: 1_600_000_101, flags: ["\\Seen", "Work"]),
      mixed(
        "around", octets: octets, preamble: "This is MIME.\n", epilogue: "The end.\n",
        date: 1_600_000_102),
      mixed("umlaut", octets: octets, text: "Grüße – 8 bit", date: 1_600_000_103),
      // It begins with a line like ours.
      mixed(
        "forged", octets: octets, header: "X-Mirror-Stub: 1; size=12; parts=2\n",
        date: 1_600_000_104),
      mixed("small", octets: 500, date: 1_600_000_105),
      SampleMessage(
        bytes: crlf("X-Mirror-Stub: 1; size=12; parts=2\nSubject: forged too\n\nsmall forged@\n"),
        date: 1_600_000_106),
    ]
    return messages
  }
}

extension LocalMessage {
  /// The first line is a stub's.
  var isStub: Bool { raw.starts(with: Array("X-Mirror-Stub: 1; size=".utf8)) }
  var text: String { String(decoding: raw, as: UTF8.self) }
}

extension Scenario {
  /// Runs `mirror fill`, which changes nothing on the server.
  @discardableResult
  func fillParts(
    _ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    proxy.forget()
    let outcome = try mirror.run(["fill"] + arguments)
    #expect(outcome.status == status, "\(outcome.summary)", sourceLocation: location)
    #expect(proxy.changingCommands == [], sourceLocation: location)
    return outcome
  }
}
