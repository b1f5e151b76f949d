import MailCore

/// Server software that is known to deviate, and how each is told.
package enum ServerFamily: String, CaseIterable, Sendable {
  case gmail, exchange, iCloud, yahoo, fastmail, cyrus, dovecot, courier, protonBridge, stalwart
  case coremail, qq, zoho, yandex, strato, hMailServer, dbmail, domino, kerio, axigen, rackspace
  case free, davMail

  /// What is known of a server at some point of its session.
  package struct Evidence: Sendable {
    package var host: String
    package var greeting: String
    package var capabilities: CapabilitySet
    package var id: ServerID?

    package init(
      host: String = "", greeting: String = "", capabilities: CapabilitySet = CapabilitySet(),
      id: ServerID? = nil
    ) {
      self.host = host
      self.greeting = greeting
      self.capabilities = capabilities
      self.id = id
    }
  }

  /// The families that fit. Hosted software may be two: Fastmail is Cyrus too.
  package static func detect(_ evidence: Evidence) -> [ServerFamily] {
    let host = Keywords.fold(evidence.host)
    let greeting = Keywords.fold(evidence.greeting)
    let id = Keywords.fold(
      [evidence.id?.name, evidence.id?.vendor].compactMap { $0 }.joined(separator: " "))
    return allCases.filter { family in
      let traits = family.traits
      return traits.hosts.contains { host == $0 || host.hasSuffix("." + $0) }
        || traits.greetings.contains { greeting.contains($0) }
        || traits.ids.contains { id.contains($0) }
        || traits.capabilities.contains { evidence.capabilities.contains(Capability(rawValue: $0)) }
    }
  }

  /// Any one of them tells the family. Words are in lower case, capabilities in capitals.
  private struct Traits {
    var hosts: [String] = []
    var greetings: [String] = []
    var ids: [String] = []
    var capabilities: [String] = []
  }

  private var traits: Traits {
    switch self {
    case .gmail:
      Traits(
        hosts: ["imap.gmail.com", "imap.googlemail.com"], greetings: ["gimap ready"],
        ids: ["gimap"], capabilities: ["X-GM-EXT-1"])
    case .exchange:
      Traits(
        hosts: ["outlook.office365.com", "office365.us", "imap-mail.outlook.com"],
        greetings: ["microsoft exchange"], ids: ["microsoft.exchange", "microsoft exchange"])
    case .iCloud:
      Traits(
        hosts: ["mail.me.com", "mail.icloud.com"], greetings: ["icloud"],
        ids: ["icloud", "icmail"],
        capabilities: ["AUTH=ATOKEN"])
    case .yahoo:
      Traits(
        hosts: ["mail.yahoo.com", "imap.aol.com", "mail.yahoo.co.jp"],
        greetings: ["imapgate", "yahoo"], ids: ["yahoo"], capabilities: ["XYMHIGHESTMODSEQ"])
    case .fastmail: Traits(hosts: ["fastmail.com", "messagingengine.com"], ids: ["fastmail"])
    case .cyrus: Traits(greetings: ["cyrus imap"], ids: ["cyrus"])
    case .dovecot: Traits(greetings: ["dovecot"], ids: ["dovecot"])
    case .courier: Traits(greetings: ["courier-imap"], ids: ["courier"])
    case .protonBridge: Traits(greetings: ["proton"], ids: ["proton", "gluon"])
    case .stalwart: Traits(greetings: ["stalwart"], ids: ["stalwart"])
    case .coremail:
      Traits(
        hosts: [
          "imap.163.com", "imap.126.com", "imap.yeah.net", "imap.188.com", "imap.vip.163.com",
          "imap.vip.126.com", "imap.vip.188.com", "qiye.163.com", "ym.163.com",
        ],
        greetings: ["coremail"], ids: ["coremail"])
    case .qq: Traits(hosts: ["imap.qq.com", "imap.exmail.qq.com"], greetings: ["qqmail"])
    case .zoho: Traits(hosts: ["zoho.com", "zoho.eu", "zoho.in"], greetings: ["zoho mail"])
    case .yandex: Traits(hosts: ["imap.yandex.ru", "imap.yandex.com"], greetings: ["yandex imap"])
    case .strato: Traits(hosts: ["imap.strato.de", "imap.strato.com"])
    case .hMailServer: Traits(greetings: ["hmailserver"], ids: ["hmailserver"])
    case .dbmail: Traits(greetings: ["dbmail"], ids: ["dbmail"])
    case .domino: Traits(greetings: ["domino imap"])
    case .kerio: Traits(greetings: ["kerio"], ids: ["kerio"])
    case .axigen: Traits(greetings: ["axigen"], ids: ["axigen"])
    case .rackspace: Traits(hosts: ["emailsrvr.com"])
    case .free: Traits(hosts: ["imap.free.fr"])
    case .davMail: Traits(greetings: ["davmail"], ids: ["davmail"])
    }
  }

  /// Takes commands that come behind the log-in and before its answer: Dovecot's log-in process hands them on. Cyrus 3.6
  /// reads an AUTHENTICATE again that something came along with, and loses the end of it; others are not known.
  package var readsBehindLogin: Bool { self == .dovecot }

  /// Begins with a command when it is through with the one before, as far as another mailbox is concerned.
  package var answersInOrder: Bool { [.dovecot, .cyrus, .fastmail].contains(self) }

  package var quirks: Set<Quirk> {
    switch self {
    case .gmail: [.gmail, .limitedView, .sessionsDiffer, .longCommands]
    case .exchange:
      [
        .capabilityAfterLogin, .wrongSizes, .missingBodies, .checkAfterAppend, .flagsAfterAppend,
        .brokenESearch, .outboxSends,
      ]
    case .iCloud: [.brokenQresync, .capabilityAfterLogin]
    case .yahoo: [.partialView, .twoLooks, .noHeaderSearch, .finalLineEnd, .shortCommands]
    case .fastmail: [.broadVanished, .sessionsDiffer, .longCommands]
    case .cyrus: [.broadVanished, .sessionsDiffer, .rawMailboxID, .longCommands]
    case .dovecot: [.longCommands]
    case .courier: []
    case .protonBridge: [.unstableUIDs, .noUIDExpunge, .noExtendedList]
    case .stalwart: [.serialAppend]
    case .coremail: [.idBeforeSelect, .noInitialResponse, .partialView]
    case .qq: [.partialView]
    case .yandex: []
    case .zoho: [.brokenModSeq]
    case .strato: [.noExtendedList]
    case .hMailServer: [.wrongSizes, .oneConnection]
    case .dbmail: [.actsOnNextUID]
    case .domino: [.oneConnection, .twoLooks]
    case .kerio, .axigen: [.oneConnection]
    case .free: [.twoLooks]
    case .rackspace: [.shortCommands]
    case .davMail: [.wrongSizes, .partialView, .outboxSends]
    }
  }
}
