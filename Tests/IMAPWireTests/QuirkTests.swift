import IMAPWire
import MailCore
import Testing

struct QuirkTests {
  private typealias Evidence = ServerFamily.Evidence

  private static let servers = [
    Case(.gmail, "Gimap ready for requests from 127.0.0.1 i9if7359725qay.199", "", ""),
    Case(.gmail, "", "", "IMAP4rev1 X-GM-EXT-1"),
    Case(.exchange, "The Microsoft Exchange IMAP4 service is ready. [TQBXAEg]", "", ""),
    Case(.iCloud, "", "p42-imap.mail.me.com", ""),
    Case(.yahoo, "", "imap.mail.yahoo.com", ""),
    Case(.fastmail, "", "imap.fastmail.com", ""),
    Case(.cyrus, "vm Cyrus IMAP 3.6.1-Debian-3.6.1-4+deb12u5 server ready", "", ""),
    Case(.dovecot, "Dovecot ready.", "", ""),
    Case(.courier, "Courier-IMAP ready. Copyright 1998-2011 Double Precision, Inc.", "", ""),
    Case(.coremail, "Coremail System IMap Server Ready(163com)", "", ""),
    Case(.qq, "QQMail IMAP4Server ready", "", ""),
    Case(.zoho, "svwall.zoho.com IMAP4 Server (Zoho Mail IMAP4rev1 Server version 1.0)", "", ""),
    Case(.yandex, "Yandex IMAP4rev1 at sas8-bccc92f57f23.qloud-c.yandex.net:993 ready", "", ""),
    Case(
      .domino, "Domino IMAP4 Server Release 10.0.1FP3 ready Wed, 30 Oct 2019 09:28:06 +0100", "", ""
    ),
    Case(.strato, "", "imap.strato.de", ""),
    Case(.rackspace, "", "secure.emailsrvr.com", ""),
    Case(.stalwart, "Stalwart IMAP4rev2 at your service.", "", ""),
    Case(.protonBridge, "", "", "", id: "Proton Mail Bridge"),
  ]

  @Test(arguments: servers)
  private func `a server is known by what it says`(server: Case) {
    let evidence = Evidence(
      host: server.host, greeting: server.greeting,
      capabilities: CapabilitySet(server.capabilities.split(separator: " ").map(String.init)),
      id: server.id.map { ServerID(["name": $0]) })
    #expect(ServerFamily.detect(evidence) == [server.family])
  }

  private struct Case: CustomTestStringConvertible {
    var family: ServerFamily
    var greeting: String
    var host: String
    var capabilities: String
    var id: String?
    init(
      _ family: ServerFamily, _ greeting: String, _ host: String, _ capabilities: String,
      id: String? = nil
    ) {
      self.family = family
      self.greeting = greeting
      self.host = host
      self.capabilities = capabilities
      self.id = id
    }
    var testDescription: String { family.rawValue }
  }

  @Test func `an unknown server has no quirks`() {
    let evidence = Evidence(host: "imap.example.org", greeting: "IMAP4rev1 Service Ready")
    #expect(QuirkSettings().quirks(for: evidence) == [])
    #expect(ServerFamily.detect(Evidence(host: "notmail.me.com.example.org")) == [])
  }

  @Test func `the configuration has the last word`() {
    var unknown: [String] = []
    let settings = QuirkSettings(
      names: ["no-move", "-broken-qresync", "no-such", "-nor-this"], unknown: &unknown)
    #expect(unknown == ["no-such", "-nor-this"])
    let quirks = settings.quirks(for: Evidence(host: "imap.mail.me.com"))
    #expect(quirks.contains(.noMove))
    #expect(!quirks.contains(.brokenQresync))
    #expect(quirks.contains(.capabilityAfterLogin))
  }

  @Test(arguments: Quirk.allCases) func `every quirk's name is fit for the configuration`(
    quirk: Quirk
  ) {
    #expect(quirk.rawValue.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) })
    var unknown: [String] = []
    #expect(QuirkSettings(names: [quirk.rawValue], unknown: &unknown).forced == [quirk])
    #expect(QuirkSettings(names: ["-" + quirk.rawValue], unknown: &unknown).excluded == [quirk])
    #expect(unknown.isEmpty)
  }

  @Test(arguments: [
    (Quirk.brokenQresync, Capability.qresync), (.brokenModSeq, .condstore), (.noMove, .move),
    (.noExtendedList, .listStatus), (.noInitialResponse, .saslInitialResponse),
    (.brokenESearch, .esearch),
  ])
  func `a quirk takes a capability away, also where IMAP4rev2 implies it`(
    quirk: Quirk, capability: Capability
  ) {
    let all = CapabilitySet([
      "QRESYNC", "CONDSTORE", "MOVE", "LIST-STATUS", "SASL-IR", "ESEARCH", "IMAP4rev2", "IDLE",
    ])
    #expect(all.contains(capability))
    #expect(!all.without([quirk]).contains(capability))
    #expect(all.without([quirk]).sorted.contains("IDLE"))
  }

  @Test func `IMAP4rev2 brings its extensions along`() {
    let set = CapabilitySet(["imap4REV2", "auth=PLAIN", "AppendLimit=35651584"])
    for capability: Capability in [
      .uidPlus, .move, .esearch, .listStatus, .literalMinus, .enable, .unselect,
    ] {
      #expect(set.contains(capability))
    }
    #expect(!set.contains(.condstore) && !set.contains(.specialUse))
    #expect(set.mechanisms == ["PLAIN"])
    #expect(set.appendLimit == 35_651_584)
  }

  @Test func `a name that was a quirk's is taken, and means nothing`() {
    var unknown: [String] = []
    let settings = QuirkSettings(
      names: ["no-keywords", "-no-keywords", "no-move", "nonsense"], unknown: &unknown)
    #expect(settings.forced == [.noMove] && settings.excluded == [] && unknown == ["nonsense"])
    #expect(QuirkSettings.names.contains("no-keywords"))
  }

  @Test func `every quirk is some server's, or for the configuration to set`() {
    let known = ServerFamily.allCases.reduce(into: Set<Quirk>()) { $0.formUnion($1.quirks) }
    // Exchange 2013's broken MOVE can't be told from the MOVE of its successors.
    #expect(Set(Quirk.allCases).subtracting(known) == [.noMove])
  }

  @Test(arguments: [
    (ServerFamily.iCloud, Quirk.brokenQresync), (.zoho, .brokenModSeq), (.strato, .noExtendedList),
    (.protonBridge, .noUIDExpunge), (.protonBridge, .unstableUIDs), (.coremail, .idBeforeSelect),
    (.coremail, .noInitialResponse), (.cyrus, .rawMailboxID), (.cyrus, .broadVanished),
    (.fastmail, .broadVanished), (.exchange, .wrongSizes), (.exchange, .missingBodies),
    (.exchange, .brokenESearch), (.exchange, .checkAfterAppend), (.exchange, .flagsAfterAppend),
    (.yahoo, .partialView), (.coremail, .partialView), (.qq, .partialView),
    (.yahoo, .noHeaderSearch), (.gmail, .limitedView),
    (.yahoo, .finalLineEnd),
    (.yahoo, .shortCommands), (.rackspace, .shortCommands), (.hMailServer, .oneConnection),
    (.domino, .oneConnection), (.kerio, .oneConnection), (.axigen, .oneConnection),
    (.stalwart, .serialAppend), (.dbmail, .actsOnNextUID),
    (.gmail, .gmail), (.exchange, .outboxSends), (.davMail, .outboxSends),
    (.gmail, .sessionsDiffer), (.exchange, .capabilityAfterLogin),
    (.iCloud, .capabilityAfterLogin), (.dovecot, .longCommands),
  ])
  func `a server's deviations are its quirks`(family: ServerFamily, quirk: Quirk) {
    #expect(family.quirks.contains(quirk))
  }
}
