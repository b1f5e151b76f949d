import IMAPWire

extension ServerFamily {
  /// Whose software it is, in a person's words.
  var title: String {
    switch self {
    case .gmail: "Gmail"
    case .exchange: "Microsoft Exchange or Outlook"
    case .iCloud: "iCloud"
    case .yahoo: "Yahoo or AOL"
    case .fastmail: "Fastmail"
    case .cyrus: "Cyrus"
    case .dovecot: "Dovecot"
    case .courier: "Courier"
    case .protonBridge: "Proton Mail Bridge"
    case .stalwart: "Stalwart"
    case .coremail: "Coremail (163, 126)"
    case .qq: "QQ Mail"
    case .zoho: "Zoho"
    case .yandex: "Yandex"
    case .strato: "Strato"
    case .hMailServer: "hMailServer"
    case .dbmail: "DBMail"
    case .domino: "HCL Domino"
    case .kerio: "Kerio Connect"
    case .axigen: "Axigen"
    case .rackspace: "Rackspace"
    case .free: "Free (Zimbra at free.fr)"
    case .davMail: "DavMail"
    }
  }
}

extension Quirk {
  /// What the server does wrong, and what that costs; nil of what is no fault.
  var cost: String? {
    switch self {
    case .brokenQresync:
      "its QRESYNC does not work: expunged messages are searched for, with a list of all"
    case .brokenModSeq:
      "its change counters do not work: each pull asks for the flags of every message"
    case .noMove: "its MOVE is not used: a moved message is copied, and then expunged"
    case .noExtendedList: "it lists mailboxes only one by one: a look at all takes longer"
    case .noUIDExpunge, .actsOnNextUID:
      "single messages cannot be expunged there: they are marked as deleted, and stay until another program expunges them"
    case .noInitialResponse, .capabilityAfterLogin: "a log-in takes one more round trip"
    case .idBeforeSelect: "it wants to know the program's name, and is told “mirror”"
    case .rawMailboxID: "a mailbox that was renamed there is known again only when it is opened"
    case .brokenESearch: "its ESEARCH is not used: searches answer in more bytes"
    case .longCommands: nil
    case .shortCommands: "it takes short commands only: changes of many messages take more of them"
    case .noHeaderSearch:
      "it cannot search headers: sent mail is looked for by fetching what is recent"
    case .checkAfterAppend: "it shows new messages late: each is looked for once more"
    case .finalLineEnd: "a message that does not end in a line end gets one there"
    case .flagsAfterAppend: "it forgets flags of new messages: they are set once more"
    case .wrongSizes: "its sizes are wrong: none is believed"
    case .missingBodies:
      "it sends a text of its own in place of messages that it cannot render: those are left out, told, and tried again"
    case .broadVanished:
      "it tells of too many expunged messages: each pull with one holds them against a list"
    case .partialView:
      "it shows the newest messages only: what is older stays here, also when it was deleted elsewhere"
    case .limitedView:
      "a setting of yours may show the newest messages only: where it seems so, what is older stays here"
    case .twoLooks:
      "its lists differ from look to look: a deletion elsewhere is followed by the second pull, three minutes later or more"
    case .unstableUIDs:
      "its numbers may come to mean other messages: each is looked at before it is changed"
    case .sessionsDiffer:
      "its connections see changes late: what was just sent may show in a later run"
    case .gmail: "labels are mailboxes: a deletion moves a message to Trash"
    case .outboxSends: "what is put into its Outbox is sent: that mailbox is left alone"
    case .oneConnection:
      "more than one connection mixes messages up: one is used, whatever connections says"
    case .serialAppend: "new messages are sent one by one"
    }
  }
}
