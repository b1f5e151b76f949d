extension IndexSchema {
  /// Dates are Unix seconds, sizes bytes. Numbers of other rows are called after their table.
  static let tables = """
    -- Facts about the index: max_shift (the farthest that a message's id lies beyond the minute of its
    -- date), threads_stale (a first build has not come to its threads yet), unexamined_below (messages of the first
    -- build that were not looked through for warnings yet: up to this id), messages (how many there are) …
    CREATE TABLE meta(key TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;

    -- path: below the root, empty for the root itself.
    CREATE TABLE account(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL);

    -- name: the folder as people see it, "/" between levels; path: below the root. The times are those
    -- of the directories when they were last read, in nanoseconds; inodes: which directories those were; settled: 1
    -- where new's times can be relied on, 2 where cur's can, 3 where both can. role: as MailboxRole names it, or NULL.
    -- new_names, new_files, cur_names, cur_files: sums over the files of each directory, as DirectorySum has them.
    CREATE TABLE mailbox(
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, name TEXT NOT NULL,
      path TEXT NOT NULL UNIQUE, new_modified INTEGER NOT NULL DEFAULT 0,
      cur_modified INTEGER NOT NULL DEFAULT 0, new_inode INTEGER NOT NULL DEFAULT 0,
      cur_inode INTEGER NOT NULL DEFAULT 0, settled INTEGER NOT NULL DEFAULT 0,
      is_sent INTEGER NOT NULL DEFAULT 0, role TEXT,
      total INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0,
      new_names INTEGER NOT NULL DEFAULT 0, new_files INTEGER NOT NULL DEFAULT 0,
      cur_names INTEGER NOT NULL DEFAULT 0, cur_files INTEGER NOT NULL DEFAULT 0);

    -- id: minutes since 1970 of the date, or the next number that is free. link: where parent comes
    -- from (0 none, 1 In-Reply-To, 2 References, 3 Thread-Index, 4 subject). message_key: Message-ID
    -- without <>, or NULL. addresses: how many rows message_address has. list_id: the first of its
    -- files'. sender_address: NULL where it is the one in sender. flags: 1 seen 2 replied 4 flagged 8 draft 16 trashed 32 passed. text_cut: 1 where the search text is not
    -- all there is. absent_parts: how many stay on the server.
    CREATE TABLE message(
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, thread INTEGER, parent INTEGER,
      link INTEGER NOT NULL DEFAULT 0, content_hash INTEGER NOT NULL, date INTEGER NOT NULL,
      flags INTEGER NOT NULL, size INTEGER NOT NULL, attachments INTEGER NOT NULL,
      absent_parts INTEGER NOT NULL DEFAULT 0,
      addresses INTEGER NOT NULL DEFAULT 0, text_cut INTEGER NOT NULL DEFAULT 0, message_key TEXT,
      sender TEXT NOT NULL, sender_address TEXT, recipients TEXT NOT NULL,
      cc TEXT NOT NULL, subject TEXT NOT NULL, list_id TEXT, snippet TEXT NOT NULL);

    -- subdirectory: 0 new, 1 cur. name_hash: of subdirectory and name. inode as the directory tells it.
    -- modified in nanoseconds. keywords: from the file's header, letters: from its name; a line each,
    -- \\n and \\\\ for what would not stand in one. list_id: of this copy of the message.
    CREATE TABLE file(
      id INTEGER PRIMARY KEY, message INTEGER NOT NULL, mailbox INTEGER NOT NULL,
      subdirectory INTEGER NOT NULL, name_hash INTEGER NOT NULL, inode INTEGER NOT NULL,
      flags INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      name TEXT NOT NULL, keywords TEXT, letters TEXT, list_id TEXT);

    CREATE TABLE keyword(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
    CREATE TABLE message_keyword(
      keyword INTEGER NOT NULL, message INTEGER NOT NULL, PRIMARY KEY(keyword, message)
    ) WITHOUT ROWID;

    -- section: as in IMAP's BODY[1.2]. is_here: 0 where it stays on the server. warning: NULL, or the class of a dangerous type. hash: XXH3 of the decoded
    -- content, NULL where there is none.
    CREATE TABLE attachment(
      message INTEGER NOT NULL, section TEXT NOT NULL, file_name TEXT, media_type TEXT NOT NULL,
      size INTEGER NOT NULL, disposition TEXT, content_id TEXT, warning TEXT, hash INTEGER,
      is_here INTEGER NOT NULL DEFAULT 1,
      PRIMARY KEY(message, section)
    ) WITHOUT ROWID;

    -- kind: as MessageWarning names it.
    CREATE TABLE warning(
      message INTEGER NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY(message, kind)
    ) WITHOUT ROWID;
    -- Messages that came after the first build and were not looked through for warnings yet.
    CREATE TABLE unexamined(message INTEGER PRIMARY KEY);

    -- address: as written, compared without case. sent: own messages to it; received: messages from it.
    CREATE TABLE address(
      id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE COLLATE NOCASE,
      name TEXT NOT NULL DEFAULT '', name_date INTEGER NOT NULL DEFAULT 0,
      sent INTEGER NOT NULL DEFAULT 0, received INTEGER NOT NULL DEFAULT 0,
      last_sent INTEGER NOT NULL DEFAULT 0, last_received INTEGER NOT NULL DEFAULT 0,
      is_own INTEGER NOT NULL DEFAULT 0);
    -- role: 1 From, 2 To, 3 Cc, 4 Bcc.
    CREATE TABLE message_address(
      message INTEGER NOT NULL, role INTEGER NOT NULL, address INTEGER NOT NULL,
      PRIMARY KEY(message, role, address)
    ) WITHOUT ROWID;

    -- root, last: the messages whose subject and snippet are the thread's; latest: the last one's date. subject: NULL
    -- where the root's has no prefix that goes.
    CREATE TABLE thread(
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, latest INTEGER NOT NULL,
      count INTEGER NOT NULL, unread INTEGER NOT NULL, root INTEGER NOT NULL,
      last INTEGER NOT NULL, subject TEXT);

    -- Rows of message_text whose message is gone.
    CREATE TABLE dead(id INTEGER PRIMARY KEY);

    CREATE TABLE send_entry(
      account INTEGER NOT NULL, id TEXT NOT NULL, message_key TEXT, subject TEXT,
      queued INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
      next_attempt INTEGER, error TEXT, recipients TEXT NOT NULL, PRIMARY KEY(account, id)
    ) WITHOUT ROWID;

    """

  static let indexes = """
    CREATE INDEX IF NOT EXISTS message_scan
      ON message(id DESC, date, flags, size, account, attachments);
    -- The same for marks that few messages have.
    CREATE INDEX IF NOT EXISTS message_unread
      ON message(id DESC, date, flags, size, account, attachments) WHERE flags & 1 = 0;
    CREATE INDEX IF NOT EXISTS message_flagged
      ON message(id DESC, date, flags, size, account, attachments) WHERE flags & 4 <> 0;
    CREATE INDEX IF NOT EXISTS message_draft
      ON message(id DESC, date, flags, size, account, attachments) WHERE flags & 8 <> 0;
    CREATE INDEX IF NOT EXISTS message_trashed
      ON message(id DESC, date, flags, size, account, attachments) WHERE flags & 16 <> 0;
    CREATE INDEX IF NOT EXISTS message_large
      ON message(id DESC, date, flags, size, account, attachments) WHERE size >= 1048576;
    CREATE INDEX IF NOT EXISTS message_stub ON message(id) WHERE absent_parts > 0;
    CREATE INDEX IF NOT EXISTS message_content ON message(content_hash);
    CREATE INDEX IF NOT EXISTS message_thread ON message(thread);
    -- A directory's files are read at once. Earlier builds had another in its place.
    DROP INDEX IF EXISTS file_name;
    CREATE INDEX IF NOT EXISTS file_place ON file(mailbox, subdirectory, name_hash, inode);
    CREATE INDEX IF NOT EXISTS file_message ON file(message, mailbox);
    CREATE INDEX IF NOT EXISTS file_list ON file(list_id, message) WHERE list_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS file_mailbox ON file(mailbox, message);
    CREATE INDEX IF NOT EXISTS keyword_message ON message_keyword(message);
    CREATE INDEX IF NOT EXISTS address_message ON message_address(address, message);
    CREATE INDEX IF NOT EXISTS attachment_type ON attachment(media_type, message);
    CREATE INDEX IF NOT EXISTS thread_latest ON thread(latest);

    """

  static let textTable = """
    CREATE VIRTUAL TABLE message_text USING fts5(
      subject, sender, recipients, cc, body, attachment,
      content='', tokenize="unicode61 remove_diacritics 2");

    """

  /// Subject counts ten times body.
  static let textRanking = """
    INSERT INTO message_text(message_text, rank) VALUES('rank', 'bm25(10.0, 4.0, 3.0, 2.0, 1.0, 2.0)');

    """
}
