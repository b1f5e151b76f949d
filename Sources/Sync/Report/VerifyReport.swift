import SyncPlan

/// What a verification compares beyond flags, keywords, sizes and what is there.
package struct VerifyOptions: Sendable {
  /// Mailbox names to keep to; empty means every mailbox that the settings mirror.
  package var mailboxes: [String]
  /// Every header.
  package var headers: Bool
  /// The bytes of so many messages of each mailbox, chosen anew each time; nil for none.
  package var sample: Int?

  package init(mailboxes: [String] = [], headers: Bool = false, sample: Int? = nil) {
    self.mailboxes = mailboxes
    self.headers = headers
    self.sample = sample
  }
}

/// What `mirror verify` found: tree, state and server held against each other.
package struct VerifyReport: Sendable, Codable {
  package var account: String
  package var mailboxesChecked = 0
  package var messagesChecked = 0
  /// Messages whose size on the server was held against the file's.
  package var sizesCompared = 0
  /// Messages whose header was fetched and compared.
  package var headersCompared = 0
  /// Messages whose bytes were fetched and compared.
  package var bodiesCompared = 0
  /// Of the messages checked, those that are here in part: their parts on the server were not compared.
  package var stubs = 0
  package var findings: [RunProblem] = []
  package var exitStatus: Int32 = 0
}
