import Testing

@testable import MailIndex

/// Cases of threads that only whole mails show, each indexed at once, mail by mail in this order and the other, and by
/// a build on all cores.
struct ThreadMailTests {
  /// - Parameter mails: each with a Message-ID of its own, whose text is what stands in the view.
  /// - Returns: the parent of each message by Message-ID and source; threads as sets of Message-IDs.
  private func threads(of mails: [String]) throws -> Threads {
    var all: [Threads] = []
    for isBuilt in [false, true] {
      let lab = try IndexLab()
      for (number, mail) in mails.enumerated() {
        try lab.put("home/INBOX", "cur/\(number).a:2,S", mail)
      }
      try lab.update(bulkFrom: isBuilt ? 1 : 1000)
      all.append(try Threads(lab))
      try lab.expectSound()
    }
    for order in [Array(mails.enumerated()), mails.enumerated().reversed()] {
      let lab = try IndexLab()
      for (number, mail) in order {
        try lab.put("home/INBOX", "cur/\(number).a:2,S", mail)
        try lab.update()
      }
      all.append(try Threads(lab))
    }
    for other in all { #expect(other == all[0]) }
    return all[0]
  }

  private struct Threads: Equatable {
    let groups: [[String]]
    /// `reply < parent source`
    let parents: [String]

    init(_ lab: IndexLab) throws {
      groups = try lab.strings(
        """
        SELECT group_concat(i, ' ') FROM (SELECT thread_id AS t, message_id AS i FROM messages ORDER BY 2)
        GROUP BY t ORDER BY 1
        """
      ).map { $0.split(separator: " ").map { String($0.prefix { $0 != "@" }) } }
      parents = try lab.strings(
        """
        SELECT m.message_id || ' < ' || p.message_id || ' ' || m.parent_source
        FROM messages AS m JOIN messages AS p ON p.id = m.parent_id ORDER BY 1
        """)
    }
  }

  private let lab: IndexLab

  init() throws { lab = try IndexLab() }

  @Test func `ids inside a digest join nothing`() throws {
    let digest = """
      From: List <list@example.org>
      Subject: tea Digest, Vol 3, Issue 7
      Date: 9 Jan 2024 10:00:00 +0000
      Message-ID: <digest@example.org>
      MIME-Version: 1.0
      Content-Type: multipart/digest; boundary="d"

      --d

      From: Alice <alice@example.org>
      Subject: cups
      Message-ID: <inside@example.org>
      In-Reply-To: <asked@example.org>
      References: <first@example.org> <asked@example.org>

      Which cups?

      --d
      Content-Type: message/rfc822

      From: Bob <bob@example.org>
      Subject: Re: cups
      Message-ID: <copy@example.org>
      In-Reply-To: <inside@example.org>

      The blue ones.

      --d--

      """
    let seen = try threads(of: [
      digest, lab.mail("first", subject: "one"), lab.mail("asked", subject: "two", day: 2),
      lab.mail("copy", subject: "three", day: 3),
      lab.mail("late", subject: "four", day: 4, replyTo: "inside"),
    ])
    #expect(seen.groups == [["asked"], ["copy"], ["digest"], ["first"], ["late"]])
    #expect(seen.parents == [])
  }

  @Test func `ids in RFC 2047 words are ids`() throws {
    let quoted = "=?utf-8?Q?=3Croot=40example=2Eorg=3E?="
    let encoded = "=?us-ascii?B?PHJvb3RAZXhhbXBsZS5vcmc+IDxxdW90ZWRAZXhhbXBsZS5vcmc+?="
    let seen = try threads(of: [
      lab.mail("root"), lab.mail("quoted", day: 2, extra: "In-Reply-To: \(quoted)\n"),
      lab.mail("encoded", day: 3, extra: "References: \(encoded)\n"),
    ])
    #expect(seen.groups == [["encoded", "quoted", "root"]])
    #expect(
      seen.parents == [
        "encoded@example.org < quoted@example.org references",
        "quoted@example.org < root@example.org in-reply-to",
      ])
  }

  /// Exchange makes `multipart/mixed` of `multipart/encrypted`, with an empty text before its parts; its copy and the
  /// sender's own have one Message-ID and different content.
  @Test func `what Exchange mixed up stays in its thread`() throws {
    func secret(_ type: String, _ parts: String) -> String {
      """
      From: Bob <bob@example.org>
      To: Alice <alice@example.org>
      Subject: ...
      Date: 2 Jan 2024 10:00:00 +0000
      Message-ID: <secret@example.org>
      In-Reply-To: <root@example.org>
      References: <root@example.org>
      MIME-Version: 1.0
      Content-Type: \(type); boundary="b"

      \(parts)--b
      Content-Type: application/pgp-encrypted
      Content-Description: PGP/MIME version identification

      Version: 1

      --b
      Content-Type: application/octet-stream; name="encrypted.asc"

      -----BEGIN PGP MESSAGE-----

      hQEMA9d2
      -----END PGP MESSAGE-----

      --b--

      """
    }
    let mixedUp = secret("multipart/mixed", "--b\nContent-Type: text/plain; charset=us-ascii\n\n\n")
    let own = secret(
      "multipart/encrypted; protocol=\"application/pgp-encrypted\"", "")
    let root = lab.mail("root", subject: "the plan")
    let reply = lab.mail("reply", subject: "Re: ...", day: 3, replyTo: "secret")
    let seen = try threads(of: [root, mixedUp, reply])
    #expect(seen.groups == [["reply", "root", "secret"]])
    #expect(
      seen.parents == [
        "reply@example.org < secret@example.org in-reply-to",
        "secret@example.org < root@example.org in-reply-to",
      ])
    let both = try threads(of: [root, mixedUp, own, reply])
    #expect(both.groups == [["reply", "root", "secret", "secret"]])
    #expect(both.parents.count == 3)
  }

  @Test func `a quoted local part is the same id without its quotes`() throws {
    func mail(_ id: String, _ references: String, day: Int) -> String {
      """
      From: Alice <alice@example.org>
      Subject: no \(day)
      Date: \(day) Jan 2024 10:00:00 +0000
      Message-ID: \(id)
      References: \(references)

      text \(day)

      """
    }
    let seen = try threads(of: [
      mail("<\"01KF8JCEOCBS0045PS\"@example.org>", "<>", day: 1),
      mail("<plain@example.org>", "<01KF8JCEOCBS0045PS@example.org>", day: 2),
      mail("<third@example.org>", "<\"pl\\ain\"@example.org>", day: 3),
      // What needs its quotes keeps them, and letters keep their case.
      mail("<\"a@b\"@example.org>", "<>", day: 4),
      mail("<other@example.org>", "<a@b@example.org>", day: 5),
      mail("<small@example.org>", "<PLAIN@example.org>", day: 6),
    ])
    #expect(seen.groups.count == 4)
    #expect(seen.groups.contains(["01KF8JCEOCBS0045PS", "plain", "third"]))
    #expect(
      seen.parents == [
        "plain@example.org < 01KF8JCEOCBS0045PS@example.org references",
        "third@example.org < plain@example.org references",
      ])
  }

  /// - Parameter body: of the one that comes again: as it was, or another.
  @Test(arguments: ["Shall we have tea?", "Shall we have coffee?"])
  func `a message that goes and comes again under its id takes its place again`(body: String) throws
  {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.put("home/INBOX", "cur/2.a:2,S", lab.mail("b", day: 2, replyTo: "a"))
    try lab.put("home/INBOX", "cur/3.a:2,S", lab.mail("c", day: 3, replyTo: "b"))
    try lab.put("home/INBOX", "cur/4.a:2,S", lab.mail("d", day: 4, replyTo: "c"))
    try lab.update()
    let whole = try Threads(lab)
    #expect(whole.groups == [["a", "b", "c", "d"]])
    for round in 0..<3 {
      try lab.remove("home/INBOX/cur/2\(round == 0 ? "" : ".\(round)").a:2,S")
      try lab.update()
      let without = try Threads(lab)
      #expect(without.groups == [["a"], ["c", "d"]])
      #expect(without.parents == ["d@example.org < c@example.org in-reply-to"])
      try lab.put(
        "home/INBOX", "cur/2.\(round + 1).a:2,S", lab.mail("b", day: 2, replyTo: "a", body: body))
      try lab.update()
      #expect(try Threads(lab) == whole)
      try lab.expectSound()
    }
    // All go and come.
    let files = try lab.strings("SELECT path FROM files")
    for file in files { try lab.remove(file) }
    try lab.update()
    #expect(try Threads(lab).groups == [])
    for (number, mail) in [
      lab.mail("d", day: 4, replyTo: "c"), lab.mail("b", day: 2, replyTo: "a"),
      lab.mail("a"), lab.mail("c", day: 3, replyTo: "b"),
    ].enumerated() {
      try lab.put("home/INBOX", "cur/9\(number).a:2,S", mail)
      try lab.update()
    }
    #expect(try Threads(lab) == whole)
    try lab.expectSound()
  }
}
