import Sync
import SyncPlan
import Testing

@testable import MirrorCLI

@Suite struct SummaryLineTests {
  private var summary: PullSummary {
    var summary = PullSummary(account: "personal")
    summary.new = 12
    summary.changed = 3
    summary.gone = 1
    summary.mailboxesChanged = 4
    summary.mailboxesTotal = 35
    summary.bytes = 1_234_567
    summary.seconds = 0.8
    return summary
  }

  @Test func `the line is the one that scripts know`() {
    #expect(
      SummaryLine.text(summary)
        == "personal: 12 new, 3 changed, 1 gone in 4 of 35 mailboxes, 1.2 MB, 0.8 s")
  }

  @Test func `nothing new has the same form`() {
    var nothing = PullSummary(account: "personal")
    nothing.mailboxesTotal = 1
    nothing.seconds = 0.04
    #expect(
      SummaryLine.text(nothing)
        == "personal: 0 new, 0 changed, 0 gone in 0 of 1 mailbox, 0 B, 0.0 s")
  }

  @Test func `a dry run says so`() {
    var dry = summary
    dry.dryRun = true
    #expect(SummaryLine.text(dry).hasPrefix("personal: dry run: 12 new, "))
  }

  @Test func `a mailbox tells what is not zero`() {
    var outcome = MailboxOutcome(mailbox: "Archive/2024")
    outcome.new = 2
    outcome.pruned = 1
    outcome.bytes = 5000
    outcome.renamedFrom = "Old"
    #expect(
      SummaryLine.text(outcome, account: "work")
        == "work/Archive/2024: was Old, 2 new, 1 out of the window, 5.0 kB")
  }
}
