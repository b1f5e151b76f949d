/// The tables that threads are computed from. Private to the index: readers look at the views.
///
/// `thread_node` says of each message what it offers and claims, and is enough to make all the rest
/// again; the other tables are its inversions. The tables `message` and `thread` are the index's own
/// and must exist before these statements run.
package enum ThreadSchema {
  static let sql = """
    -- One row a message: ThreadFacts, packed.
    CREATE TABLE thread_node(
      message INTEGER PRIMARY KEY,
      facts BLOB NOT NULL
    );
    -- Who holds or names a key (64-bit hash of account and id); role: LinkRole.
    CREATE TABLE thread_key(
      key INTEGER NOT NULL,
      message INTEGER NOT NULL,
      role INTEGER NOT NULL,
      PRIMARY KEY (key, message)
    ) WITHOUT ROWID;
    -- Messages of one normalised subject in their order; seeks: 1 where the subject is all there is to
    -- thread the message by.
    CREATE TABLE thread_subject(
      key INTEGER NOT NULL,
      date INTEGER NOT NULL,
      rank INTEGER NOT NULL,
      message INTEGER NOT NULL,
      seeks INTEGER NOT NULL,
      PRIMARY KEY (key, date, rank, message)
    ) WITHOUT ROWID;
    -- Keys that join nothing, because only junk shares them.
    CREATE TABLE thread_hub(key INTEGER PRIMARY KEY);

    """

  /// Beside the index's own `message_thread`. Made after a first build, like all indexes.
  static let indexes = """
    CREATE INDEX IF NOT EXISTS message_thread_unread ON message(thread) WHERE flags & 1 = 0;

    """
}

/// What a message has to do with a key, as bits of `thread_key.role`.
struct LinkRole: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// The message's own id.
  static let own = LinkRole(rawValue: 1)
  /// Named in In-Reply-To, or last in References: what the message replies to, if anything.
  static let direct = LinkRole(rawValue: 2)
  /// Named elsewhere in References.
  static let distant = LinkRole(rawValue: 4)
  /// The Outlook conversation that the message belongs to.
  static let conversation = LinkRole(rawValue: 8)
  /// …and the message has nothing else to be threaded by.
  static let seeksConversation = LinkRole(rawValue: 16)

  /// Roles that count when a key is judged a hub.
  static let evidence: LinkRole = [.own, .direct, .conversation]
}
