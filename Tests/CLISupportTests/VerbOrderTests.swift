import CLISupport
import Testing

@Suite struct VerbOrderTests {
  @Test(arguments: [
    ("--config f pull", "pull --config f"),
    ("--config=f pull x", "pull --config=f x"),
    ("-q pull", "pull -q"),
    ("-vv --format json pull a b", "pull -vv --format json a b"),
    ("--dry-run --progress pull --no-index", "pull --dry-run --progress --no-index"),
    ("-qv pull", "pull -qv"),
    ("--root d search x", "search --root d x"),
    // A verb of a verb stays behind it.
    ("--root d index update", "index update --root d"),
    ("-q index", "index -q"),
    ("-q index --help", "index -q --help"),
    ("outbox --format json list", "outbox list --format json"),
    ("-q outbox --config f hold a", "outbox hold -q --config f a"),
    ("outbox --format json", "outbox --format json"),
    ("outbox --format", "outbox --format"),
    ("trust -v --bogus list", "trust -v --bogus list"),
    // Behind the verb nothing moves.
    ("pull --config f", "pull --config f"),
    ("pull -- -q", "pull -- -q"),
    ("-q sendmail -f a -- -x", "sendmail -q -f a -- -x"),
    // What is no common option stays, so that its error is told.
    ("--help", "--help"),
    ("--version", "--version"),
    ("--bogus pull", "--bogus pull"),
    ("-x pull", "-x pull"),
    ("--config", "--config"),
    ("--config f", "--config f"),
    ("--config f --bogus pull", "--config f --bogus pull"),
    ("-", "-"),
    ("", ""),
  ]) func `common options move behind the verb`(typed: String, expected: String) {
    let words = typed.split(separator: " ").map(String.init)
    #expect(VerbOrder.normalised(words).joined(separator: " ") == expected)
  }

  @Test func `a file called like a verb is still the option's value`() {
    #expect(VerbOrder.normalised(["--config", "pull", "pull"]) == ["pull", "--config", "pull"])
  }
}
