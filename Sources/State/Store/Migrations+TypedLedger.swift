import GRDB

/// From a ledger whose meaning was in texts: facts by name, some with a mailbox's number or JSON, refusals told apart by
/// how their subject began, steps with 0 for what they did not have.
extension DatabaseMigrator {
  mutating func registerTypedLedger() {
    registerMigration("11: facts by columns", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: Self.accountTable + Self.mailboxMarks + Self.folderMoves)
    }
    registerMigration("12: steps by stage", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: Self.stages)
    }
    registerMigration("13: refusals by kind", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: Self.refusalTables)
      let rows = "SELECT * FROM refusalByText WHERE mailbox IN (SELECT id FROM mailbox)"
      for row in try Row.fetchAll(db, sql: rows) {
        try Self.put(row, db)
      }
      try db.execute(sql: "DROP TABLE refusalByText")
    }
    registerMigration("14: failures of whole mailboxes", foreignKeyChecks: .immediate) { db in
      try db.execute(
        sql: """
          ALTER TABLE failure RENAME TO failureOrZero;
          CREATE TABLE failure (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            uid INTEGER,
            attempts INTEGER NOT NULL,
            lastAttempt INTEGER NOT NULL,
            reason TEXT NOT NULL,
            others INTEGER NOT NULL
          );
          CREATE UNIQUE INDEX failureOf ON failure(mailbox, ifnull(uid, 0));
          INSERT INTO failure
            SELECT mailbox, nullif(uid, 0), attempts, lastAttempt, reason, others
            FROM failureOrZero WHERE mailbox IN (SELECT id FROM mailbox);
          DROP TABLE failureOrZero;
          """)
    }
  }

  private static let accountTable = """
    CREATE TABLE account (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      tree TEXT,
      runs INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      keywords TEXT,
      server TEXT,
      namePrefix TEXT,
      wholePull INTEGER,
      adoptsNewMailboxes INTEGER NOT NULL
    );
    INSERT INTO account SELECT 1,
      (SELECT value FROM fact WHERE name = 'tree'),
      ifnull((SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'runs'), 0),
      ifnull((SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'generation'), 0),
      (SELECT value FROM fact WHERE name = 'keywords'),
      (SELECT value FROM fact WHERE name = 'server'),
      (SELECT value FROM fact WHERE name = 'name-prefix'),
      (SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'whole-pull'),
      EXISTS (SELECT 1 FROM fact WHERE name = 'adopts-new-mailboxes');
    """

  private static let mailboxMarks = """
    ALTER TABLE mailbox ADD COLUMN pushedSince INTEGER;
    ALTER TABLE mailbox ADD COLUMN undecidedPulls INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE mailbox ADD COLUMN unlinking TEXT;
    UPDATE mailbox SET
      pushedSince = (SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'pushed since ' || id),
      undecidedPulls =
        ifnull((SELECT CAST(value AS INTEGER) FROM fact WHERE name = 'undecided ' || id), 0),
      unlinking = (SELECT value FROM fact WHERE name = 'unlinking ' || id);
    """

  /// What cannot be read was forgotten by the programs that wrote it, too.
  private static let folderMoves = """
    CREATE TABLE mailboxRename (
      mailbox INTEGER NOT NULL,
      name TEXT NOT NULL,
      folder TEXT NOT NULL,
      isToMove INTEGER NOT NULL,
      inode INTEGER
    );
    CREATE TABLE folderRelocation (
      mailbox INTEGER NOT NULL,
      name TEXT NOT NULL,
      rawNameBlob TEXT NOT NULL,
      delimiter TEXT,
      isGone INTEGER NOT NULL,
      old TEXT NOT NULL,
      new TEXT NOT NULL,
      inode INTEGER NOT NULL,
      isMerging INTEGER NOT NULL
    );
    CREATE TABLE relocatedAlong (
      mailbox INTEGER NOT NULL,
      home TEXT NOT NULL,
      inode INTEGER NOT NULL,
      stays INTEGER NOT NULL
    );
    CREATE TEMP TABLE entry AS
      SELECT name, CASE WHEN json_valid(value) THEN value ELSE '{}' END AS value FROM fact
      WHERE name IN ('renaming', 'relocating');
    INSERT OR IGNORE INTO mailboxRename
      SELECT json_extract(change.value, '$.mailbox'), json_extract(change.value, '$.name'),
        json_extract(change.value, '$.folder'), json_extract(change.value, '$.isToMove'),
        json_extract(change.value, '$.inode')
      FROM entry, json_each(entry.value, '$.changes') AS change
      WHERE entry.name = 'renaming' ORDER BY change.key;
    INSERT OR IGNORE INTO folderRelocation
      SELECT json_extract(value, '$.mailbox'), json_extract(value, '$.name'),
        ifnull((SELECT group_concat(printf('%02x', byte.value), '')
          FROM json_each(entry.value, '$.rawName') AS byte), ''),
        json_extract(value, '$.delimiter'), json_extract(value, '$.isGone'),
        json_extract(value, '$.old'), json_extract(value, '$.new'),
        json_extract(value, '$.inode'), json_extract(value, '$.isMerging')
      FROM entry WHERE name = 'relocating';
    INSERT OR IGNORE INTO relocatedAlong
      SELECT json_extract(along.value, '$.mailbox'), json_extract(along.value, '$.home'),
        json_extract(along.value, '$.inode'), json_extract(along.value, '$.stays')
      FROM entry, json_each(entry.value, '$.companions') AS along
      WHERE entry.name = 'relocating' ORDER BY along.key;
    DROP TABLE entry;
    """

  private static let stages = """
    ALTER TABLE pushStep RENAME TO stepByKind;
    CREATE TABLE pushStep (
      target INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
      number INTEGER NOT NULL UNIQUE,
      name TEXT NOT NULL,
      flags INTEGER NOT NULL,
      keywords TEXT NOT NULL,
      remoteFlags INTEGER,
      remoteKeywords TEXT,
      headerHash INTEGER NOT NULL,
      contentHash INTEGER NOT NULL,
      size INTEGER NOT NULL,
      internalDate INTEGER NOT NULL,
      traits INTEGER NOT NULL,
      emailID TEXT,
      nativeLabels TEXT NOT NULL,
      serverSize INTEGER NOT NULL,
      stage TEXT NOT NULL,
      place INTEGER,
      taken INTEGER,
      source INTEGER,
      sourceUID INTEGER,
      sourceValidity INTEGER,
      sourceHeaderHash INTEGER,
      sourceContentHash INTEGER,
      uidValidity INTEGER NOT NULL,
      uidNext INTEGER NOT NULL,
      PRIMARY KEY (target, number)
    ) WITHOUT ROWID;
    INSERT INTO pushStep
      SELECT target, number, name, flags, keywords, remoteFlags, remoteKeywords, headerHash,
        contentHash, size, internalDate, traits, emailID, nativeLabels, serverSize, kind,
        CASE WHEN kind = 'copied' OR copyUID <> 0 THEN copyUID END,
        -- What no time is known of was taken long ago.
        CASE WHEN kind = 'appended' THEN
          ifnull((SELECT CAST(value AS INTEGER) FROM fact WHERE fact.name = 'taken ' || number), 0)
        END,
        nullif(source, 0), iif(source, sourceUID, NULL), iif(source, sourceValidity, NULL),
        iif(source, sourceHeaderHash, NULL), iif(source, sourceContentHash, NULL),
        uidValidity, uidNext
      FROM stepByKind WHERE target IN (SELECT id FROM mailbox);
    DROP TABLE stepByKind;
    DROP TABLE fact;
    """

  private static let refusalTables = """
    ALTER TABLE pushRefusal RENAME TO refusalByText;
    CREATE TABLE pushRefusal (
      mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      isTry INTEGER NOT NULL,
      target INTEGER,
      name TEXT,
      uid INTEGER,
      contentHash INTEGER,
      attempts INTEGER NOT NULL,
      lastAttempt INTEGER NOT NULL,
      reason TEXT NOT NULL
    );
    CREATE INDEX pushRefusalOf ON pushRefusal(mailbox, kind);
    CREATE TABLE deletionHold (
      mailbox INTEGER PRIMARY KEY REFERENCES mailbox(id) ON DELETE CASCADE,
      cause TEXT NOT NULL,
      count INTEGER NOT NULL,
      total INTEGER NOT NULL,
      uids TEXT,
      time INTEGER NOT NULL
    );
    """

  /// What is of no kind that there was meant nothing to the programs that wrote it, either.
  private static func put(_ old: Row, _ db: Database) throws {
    let isTry = (old["subject"] as String).hasPrefix("tries ")
    let subject = (old["subject"] as String).dropFirst(isTry ? 6 : 0)
    let kind = String(subject.prefix { $0 != " " })
    let rest = String(subject.dropFirst(kind.count + 1))
    let words = rest.split(separator: " ").map(String.init)
    func hash(_ word: String?) -> Int64? {
      word.flatMap { UInt64($0, radix: 16) }.map { Int64(bitPattern: $0) }
    }
    var (target, name, uid, content): (Int64?, String?, UInt32?, Int64?)
    switch kind {
    case "mailbox", "marks", "uploads", "deletions", "labels": break
    case "rename", "create", "flag", "keyword": name = rest
    case "moves": target = Int64(rest)
    case "upload": content = hash(rest)
    case "lost": uid = UInt32(rest)
    case "edit" where words.count == 2: (uid, content) = (UInt32(words[0]), hash(words[1]))
    case "held" where words.count == 3:
      return try db.execute(
        // Of two, as no program wrote them, both hold.
        sql: "INSERT INTO deletionHold VALUES (?, ?, ?, ?, nullif(?, '*'), ?) ON CONFLICT DO "
          + "UPDATE SET count = count + excluded.count, uids = uids || ',' || excluded.uids",
        arguments: [
          old["mailbox"], words[0], Int(words[1]) ?? 0, Int(words[2]) ?? 0, old["reason"],
          old["lastAttempt"],
        ])
    default: return
    }
    try db.execute(
      sql: "INSERT INTO pushRefusal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        old["mailbox"], kind, isTry, target, name, uid, content, old["attempts"],
        old["lastAttempt"], old["reason"],
      ])
  }
}
