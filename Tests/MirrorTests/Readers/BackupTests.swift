import Foundation
import MailTestKit
import Testing

/// `contrib/backup`: a tree that is copied away, lost, and brought back.
@Suite(
  .onBlockingThreads, .enabled(if: Machine.hasDovecot && findProgram("rsync") != nil))
struct BackupTests {
  private let bed: ReaderBed
  private let store: TemporaryDirectory

  init() throws {
    bed = try ReaderBed()
    store = try TemporaryDirectory("backup")
  }

  private func backup(_ arguments: String = "", status: Int32 = 0) throws {
    let outcome = try bed.shell(
      "\(ReaderBed.contrib)/backup/backup \(store.path)/Mail \(arguments)")
    #expect(outcome.status == status, "\(outcome.summary)")
  }

  private func restore(_ arguments: String = "") throws -> Outcome {
    bed.scenario.proxy.forget()
    return try bed.shell("\(ReaderBed.contrib)/backup/restore \(store.path)/Mail \(arguments)")
  }

  @Test func `what a backup cannot have is told`() throws {
    try bed.mirror.configure { $0.sync = "on-demand = \"20kB\"" }
    try bed.scenario.client.append([OnDemandMail.mixed("large")])
    #expect(try bed.mirror.run(["pull"]).status == 0)
    let outcome = try bed.shell("\(ReaderBed.contrib)/backup/backup \(store.path)/Mail")
    #expect(outcome.status == 0 && outcome.errorText.contains("1 in all"), "\(outcome.summary)")
    #expect(try bed.mirror.run(["fill", "--all"]).status == 0)
    #expect(try bed.shell("\(ReaderBed.contrib)/backup/backup \(store.path)/Mail").errorText == "")
  }

  @Test func `a restored tree is taken over: nothing is downloaded, nothing sent twice`() throws {
    let queued = try bed.shell(
      "printf 'Subject: waits\\nTo: bob@example.org\\n\\nx\\n' | mirror sendmail -t")
    #expect(queued.status == 0, "\(queued.summary)")
    let apple = try #require(try bed.scenario.local("apple"))
    try Reader(bed.mirror).setFlags(apple, "FS")
    try backup()
    let kept = TreeSnapshot(store.path + "/Mail").files.keys
    let left = kept.filter { path in
      ["state.db", "lock", "index.db"].contains { path.split(separator: "/").last == Substring($0) }
        || path.contains("/tmp/")
    }
    #expect(left.sorted() == [])
    #expect(kept.contains("personal/.mirror/state.backup.db"))

    // A second backup, after a message was gone and another one came, is as the tree is.
    try bed.scenario.append(["fresh"])
    try bed.pull()
    try backup()

    removeTree(bed.mirror.root)
    let outcome = try restore()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(bed.scenario.bodyFetches == [])
    #expect(bed.scenario.proxy.changingCommands == [])
    #expect(outcome.outputText.contains("mirror outbox release"), "\(outcome.summary)")
    #expect(try bed.mirror.run(["outbox"]).outputText.contains("  held  "))
    // What was not yet pushed is not forgotten, and what waits does not leave by itself.
    try bed.expectPushed("apple", ["\\Flagged", "\\Seen"])
    #expect(try bed.mirror.run(["outbox"]).outputText.contains("  held  "))
    try bed.scenario.expectMirrored()
    #expect(try bed.mirror.run(["search", "subject:plum", "--count"]).outputText == "1\n")
  }

  @Test func `what came after the backup is downloaded, and nothing counts as deleted`() throws {
    try backup()
    try bed.scenario.append(["fresh"])
    try bed.pull()
    removeTree(bed.mirror.root)
    let outcome = try restore()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(bed.scenario.bodyFetches.count == 1)
    #expect(try bed.mirror.run(["push"]).status == 0)
    try bed.scenario.expectMirrored()
  }

  @Test func `an empty tree never replaces a backup, a backup never a tree`() throws {
    try backup()
    let before = TreeSnapshot(store.path)
    let empty = try TemporaryDirectory("empty")
    try backup(empty.path, status: 65)
    #expect(before.changes(to: TreeSnapshot(store.path)) == [])
    #expect(try restore().status == 65)
    try bed.scenario.expectMirrored()
  }

  @Test(arguments: ["its mount point", "nothing", "a link to where it was"])
  func `an account whose disk is not mounted keeps its backup`(left: String) throws {
    // A second account, under a name that rsync would take for a pattern.
    let work = bed.mirror.root + "/wo[r]k"
    for part in ["/.mirror", "/INBOX/cur", "/INBOX/new", "/INBOX/tmp"] {
      try runSuccessfully(["mkdir", "-p", work + part])
    }
    try writeFile(work + "/.mirror/state.backup.db", "state")
    try writeFile(work + "/INBOX/cur/1.a.h:2,S", "Subject: kept\n\nx\n")
    try backup()
    let kept = TreeSnapshot(store.path + "/Mail/wo[r]k")
    #expect(kept.files.keys.contains("INBOX/cur/1.a.h:2,S"))

    try runSuccessfully(["mv", work, store.path + "/disk"])
    if left == "its mount point" { try makeDirectory(work) }
    if left == "a link to where it was" {
      try FileManager.default.createSymbolicLink(atPath: work, withDestinationPath: "/nowhere")
    }
    let apple = try #require(try bed.scenario.local("apple"))
    try runSuccessfully(["rm", bed.mirror.account + "/" + apple.path])
    let outcome = try bed.shell("\(ReaderBed.contrib)/backup/backup \(store.path)/Mail")
    #expect(outcome.status == 1 && outcome.errorText.contains(work), "\(outcome.summary)")
    #expect(kept.changes(to: TreeSnapshot(store.path + "/Mail/wo[r]k")) == [])
    // The other account is backed up as ever.
    let copy = store.path + "/Mail/personal/" + apple.path
    #expect(!exists(copy), "\(copy)")

    try runSuccessfully(["rm", "-rf", work])
    try runSuccessfully(["mv", store.path + "/disk", work])
    try runSuccessfully(["rm", work + "/INBOX/cur/1.a.h:2,S"])
    try backup()
    #expect(!exists(store.path + "/Mail/wo[r]k/INBOX/cur/1.a.h:2,S"))
  }

  @Test func `a tree that is brought back elsewhere is pulled there`() throws {
    try backup()
    removeTree(bed.mirror.root)
    let place = bed.home + "/else \"where\""
    let outcome = try restore("'\(place)'")
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(bed.scenario.bodyFetches == [])
    #expect(!exists(bed.mirror.root))
    #expect(exists(place + "/personal/.mirror/state.db"))
    #expect(outcome.outputText.contains("root = \"\(place)\""), "\(outcome.summary)")
  }
}
