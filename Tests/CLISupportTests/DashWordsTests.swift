import CLISupport
import Testing

@Suite struct DashWordsTests {
  @Test(arguments: [
    ("flag -vip id:1", "flag -- -vip id:1"),
    ("flag -yes id:1 -y", "flag -y -- -yes id:1"),
    ("flag +todo -yellow id:1", "flag -- +todo -yellow id:1"),
    ("flag -hy id:1", "flag -- -hy id:1"),
    ("flag -q1 --root d id:1 --dry-run", "flag --root d --dry-run -- -q1 id:1"),
    ("delete a -body:hi -from:harry -q", "delete -q -- a -body:hi -from:harry"),
    (
      "search folder:INBOX -folder:Archive --limit 5",
      "search --limit 5 -- folder:INBOX -folder:Archive"
    ),
    ("search -y", "search -- -y"),
    ("search a -b --no-such", "search --no-such -- a -b"),
    ("show -qy", "show -- -qy"),
    ("attachments --save d -x", "attachments --save d -- -x"),
    // Behind the end of the options all are words; flag has an end of its changes, too.
    ("search -a -- -q --limit", "search -- -a -q --limit"),
    ("flag -vip -- -v", "flag -- -vip -- -v"),
    // Nothing to protect.
    ("flag -- -vip id:1", "flag -- -vip id:1"),
    ("flag +seen id:1 -vv -y --format json", "flag +seen id:1 -vv -y --format json"),
    ("delete -qv a", "delete -qv a"),
    ("delete -h", "delete -h"),
    ("search --help", "search --help"),
    ("search", "search"),
    // Verbs that take no query.
    ("pull -x", "pull -x"),
    ("outbox show -x", "outbox show -x"),
    ("sendmail -oi -fa", "sendmail -oi -fa"),
    ("", ""),
  ]) func `a query's words are no options`(typed: String, expected: String) {
    let words = typed.split(separator: " ").map(String.init)
    #expect(DashWords.protected(words).joined(separator: " ") == expected)
  }
}
