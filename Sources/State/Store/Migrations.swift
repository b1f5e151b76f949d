import GRDB
import Ledger
import MailCore

extension DatabaseMigrator {
  /// The schema of state.db. Each step is frozen once released.
  static var state: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: mailboxes, messages, failures, runs") { db in
      try db.execute(
        sql: """
          CREATE TABLE mailbox (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            rawNameBlob TEXT NOT NULL,
            delimiter TEXT,
            folder TEXT NOT NULL,
            mailboxID TEXT,
            specialUse TEXT,
            uidValidity INTEGER NOT NULL,
            uidNext INTEGER NOT NULL,
            "exists" INTEGER NOT NULL,
            highestModSeq INTEGER NOT NULL,
            forwardCursor INTEGER NOT NULL,
            backwardCursor INTEGER NOT NULL,
            isDirty INTEGER NOT NULL,
            newModified INTEGER NOT NULL,
            curModified INTEGER NOT NULL,
            isGone INTEGER NOT NULL,
            windowStart INTEGER,
            needsAdoption INTEGER NOT NULL
          );
          CREATE TABLE message (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            uid INTEGER NOT NULL,
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
            PRIMARY KEY (mailbox, uid)
          ) WITHOUT ROWID;
          CREATE INDEX messageUnapplied ON message(mailbox) WHERE remoteFlags IS NOT NULL;
          CREATE INDEX messageToUnlink ON message(mailbox) WHERE traits & 16;
          CREATE INDEX messageByEmailID ON message(emailID) WHERE emailID IS NOT NULL;
          CREATE TABLE failure (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            uid INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            lastAttempt INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (mailbox, uid)
          ) WITHOUT ROWID;
          CREATE TABLE run (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            started INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            exitStatus INTEGER NOT NULL,
            summary TEXT NOT NULL
          );
          CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("2: surplus files") { db in
      try db.execute(
        sql: """
          CREATE TABLE surplus (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            nameHash INTEGER NOT NULL,
            contentHash INTEGER NOT NULL,
            PRIMARY KEY (mailbox, nameHash)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("3: steps, refusals and scans of a push") { db in
      try db.execute(
        sql: """
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
            kind TEXT NOT NULL,
            source INTEGER NOT NULL,
            sourceUID INTEGER NOT NULL,
            sourceValidity INTEGER NOT NULL,
            sourceHeaderHash INTEGER NOT NULL,
            sourceContentHash INTEGER NOT NULL,
            uidValidity INTEGER NOT NULL,
            uidNext INTEGER NOT NULL,
            copyUID INTEGER NOT NULL,
            PRIMARY KEY (target, number)
          ) WITHOUT ROWID;
          CREATE TABLE pushRefusal (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            subject TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            lastAttempt INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (mailbox, subject)
          ) WITHOUT ROWID;
          CREATE TABLE pushScan (
            mailbox INTEGER PRIMARY KEY REFERENCES mailbox(id) ON DELETE CASCADE,
            newModified INTEGER NOT NULL,
            curModified INTEGER NOT NULL,
            scanned INTEGER NOT NULL,
            compared INTEGER NOT NULL
          );
          """)
    }
    migrator.registerMigration("4: which directories were scanned") { db in
      for (table, column) in [
        ("mailbox", "newInode"), ("mailbox", "curInode"), ("pushScan", "newInode"),
        ("pushScan", "curInode"),
      ] {
        // None that was scanned before is known: each folder is looked into once more.
        try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
      }
    }
    migrator.registerMigration("5: a scan holds as long as what it was held against") { db in
      // A folder that comes back from elsewhere has its directories and times still.
      let changes = [
        // Also of rows without a file: they may replace one that had a file.
        ("Insert", "INSERT", "NEW.mailbox"), ("Delete", "DELETE", "OLD.mailbox"),
        (
          "Update", "UPDATE OF mailbox, name, flags, keywords, contentHash, traits",
          "OLD.mailbox, NEW.mailbox"
        ),
      ]
      for (name, event, mailboxes) in changes {
        try db.execute(
          sql: """
            CREATE TRIGGER endScanBy\(name) AFTER \(event) ON message
            BEGIN DELETE FROM pushScan WHERE mailbox IN (\(mailboxes)); END
            """)
      }
    }
    migrator.registerMigration("6: deletions of the last day") { db in
      try db.execute(
        sql: """
          CREATE TABLE carriedDeletions (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            uidValidity INTEGER NOT NULL,
            uidNext INTEGER NOT NULL,
            size INTEGER NOT NULL,
            uids TEXT NOT NULL,
            PRIMARY KEY (mailbox, time)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("7: which directories were folders") { db in
      // Of those that were seen before nothing is known.
      try db.execute(
        sql: """
          CREATE TABLE folderIdentity (
            mailbox INTEGER PRIMARY KEY REFERENCES mailbox(id) ON DELETE CASCADE,
            value INTEGER NOT NULL
          );
          """)
    }
    migrator.registerMigration("8: a failure may stand for many") { db in
      try db.execute(sql: "ALTER TABLE failure ADD COLUMN others INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("9: messages out of view") { db in
      try db.execute(
        sql: "CREATE INDEX messageOutOfView ON message(mailbox) WHERE traits & 128")
    }
    migrator.registerMigration("10: what came since the last whole pull") { db in
      try db.execute(
        sql: """
          ALTER TABLE mailbox ADD COLUMN settledCursor INTEGER NOT NULL DEFAULT 0;
          UPDATE mailbox SET settledCursor = forwardCursor;
          """)
    }
    migrator.registerTypedLedger()
    migrator.registerMigration("15: lost connections by a column", foreignKeyChecks: .immediate) {
      try $0.execute(
        sql: """
          ALTER TABLE failure ADD COLUMN isCut INTEGER NOT NULL DEFAULT 0;
          UPDATE failure SET isCut = 1
            WHERE reason = 'the connection was lost each time it was asked for';
          """)
    }
    migrator.registerMigration(
      "16: how much the server has", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(sql: "ALTER TABLE mailbox ADD COLUMN announced INTEGER")
    }
    migrator.registerMigration(
      "17: the oldest that pulls of the last day deleted", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(
        sql: """
          CREATE TABLE followedDeletions (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            uidValidity INTEGER NOT NULL,
            uidNext INTEGER NOT NULL,
            size INTEGER NOT NULL,
            uids TEXT NOT NULL,
            PRIMARY KEY (mailbox, time)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration(
      "18: since when a mailbox is behind itself", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(sql: "ALTER TABLE mailbox ADD COLUMN behindSince INTEGER")
    }
    migrator.registerMigration(
      "19: what a list left out once", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(
        sql: """
          CREATE TABLE missedOnce (
            mailbox INTEGER PRIMARY KEY NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            uidValidity INTEGER NOT NULL,
            uids TEXT NOT NULL
          );
          """)
    }
    migrator.registerMigration("20: stubs", foreignKeyChecks: .immediate) { db in
      try db.execute(
        sql: """
          CREATE INDEX messageOnDemand ON message(mailbox, traits) WHERE traits & 7680;
          CREATE INDEX messageOnDemandWork ON message(mailbox) WHERE traits & 7168;
          """)
    }
    migrator.registerMigration(
      "21: files whose message may be in another mailbox", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(
        sql: """
          ALTER TABLE surplus ADD COLUMN isUndecided INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE surplus ADD COLUMN wasHere INTEGER NOT NULL DEFAULT 0;
          CREATE INDEX surplusUndecided ON surplus(mailbox) WHERE isUndecided;
          """)
    }
    migrator.registerMigration("22: what is being reverted", foreignKeyChecks: .immediate) { db in
      // It was a deletion held back, of which a mailbox has one for one reason.
      try db.execute(sql: "CREATE INDEX messageReverted ON message(mailbox) WHERE traits & 8192")
      let held = "SELECT mailbox, uids FROM deletionHold WHERE cause = 'reverted'"
      for row in try Row.fetchAll(db, sql: held) {
        // Without numbers it stands for whatever is gone, and waits as such.
        guard let uids = UIDSet(stored: row["uids"] ?? "") else { continue }
        try StateTransaction(db: db).setReverted(true, uids, in: row["mailbox"])
      }
      try db.execute(
        sql: """
          DELETE FROM deletionHold WHERE cause = 'reverted' AND uids IS NOT NULL;
          UPDATE deletionHold SET cause = 'half' WHERE cause = 'reverted';
          """)
    }
    migrator.registerMigration(
      "23: what stands in the way of a refused change", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(sql: "ALTER TABLE pushRefusal ADD COLUMN obstacle TEXT")
    }
    migrator.registerMigration(
      "24: mailboxes that hold what others hold", foreignKeyChecks: .immediate
    ) { db in
      try db.execute(
        sql: """
          ALTER TABLE account ADD COLUMN views TEXT;
          ALTER TABLE mailbox ADD COLUMN isLeftOut INTEGER NOT NULL DEFAULT 0;
          """)
    }
    migrator.registerMigration(
      "25: a scan ends without a list of mailboxes", foreignKeyChecks: .immediate
    ) { db in
      // `IN (…)` makes a table in memory for each row: a third of what storing a message cost. And a trigger at each
      // new record has SQLite keep a journal of the statement: `StateTransaction.put` ends the scan itself.
      let columns = "mailbox, name, flags, keywords, contentHash, traits"
      try db.execute(
        sql: """
          DROP TRIGGER endScanByInsert; DROP TRIGGER endScanByDelete; DROP TRIGGER endScanByUpdate;
          CREATE TRIGGER endScanByDelete AFTER DELETE ON message
          BEGIN DELETE FROM pushScan WHERE mailbox = OLD.mailbox; END;
          CREATE TRIGGER endScanByUpdate AFTER UPDATE OF \(columns) ON message
          BEGIN
            DELETE FROM pushScan WHERE mailbox = OLD.mailbox;
            DELETE FROM pushScan WHERE mailbox = NEW.mailbox;
          END;
          """)
    }
    migrator.registerMigration("26: files found in other folders", foreignKeyChecks: .immediate) {
      try $0.execute(
        sql: "CREATE INDEX messageFoundElsewhere ON message(mailbox) WHERE traits & 32768")
    }
    migrator.registerMigration("27: no marks for those", foreignKeyChecks: .immediate) { db in
      // Their mailboxes are matched anew, which tells moved files from copies without marks.
      try db.execute(
        sql: """
          UPDATE mailbox SET needsAdoption = 1
          WHERE id IN (SELECT mailbox FROM message WHERE traits & 32768);
          UPDATE message SET traits = traits & ~32768 WHERE traits & 32768;
          DROP INDEX messageFoundElsewhere;
          """)
    }
    migrator.registerMigration("28: numbers of before", foreignKeyChecks: .immediate) { db in
      try db.execute(
        sql: "ALTER TABLE mailbox ADD COLUMN earlierNumbers INTEGER NOT NULL DEFAULT 0")
    }
    return migrator
  }
}
