import MailCore
import Maildir

/// Gives the messages of a tree their notmuch tags as keywords. Call it under the account's lock.
package struct TagRun {
  private let dump: NotmuchDump
  private let isRehearsal: Bool
  private let isStopped: @Sendable () -> Bool
  private var report = TagReport()
  private var taken: [String: Int] = [:]
  private var leftOut: [String: [TagRule: Int]] = [:]
  private var found: Set<String> = []
  /// Each staged rewrite holds an open file.
  private static let batchSize = 200

  package init(
    _ dump: NotmuchDump, isRehearsal: Bool, isStopped: @escaping @Sendable () -> Bool
  ) {
    self.dump = dump
    self.isRehearsal = isRehearsal
    self.isStopped = isStopped
  }

  /// - Parameter mailbox: the folder's name, levels joined by slashes.
  /// - Throws: ``MovingError/interrupted``, or what stops everything.
  package mutating func mark(_ folder: MaildirFolder, mailbox: String, policy: MaildirPolicy) throws
  {
    // All names before the first rewrite, which makes a new one.
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: folder) { files.append($0) }
    var batch = KeywordsBatch(policy: policy)
    var names: [MessageFile] = []
    defer { batch.discard() }
    for file in files {
      if isStopped() { throw MovingError.interrupted }
      do {
        guard let wanted = try keywords(of: file, in: folder, mailbox, policy) else { continue }
        if isRehearsal {
          report.files += 1
        } else if policy.keywords.line == nil {
          let set = try folder.setKeywords(wanted, of: file, policy: policy)
          note(set.leftOut.isEmpty ? nil : "no letter is left for a keyword", file, folder)
        } else if let rewrite = try folder.stageKeywords(wanted, of: file, policy: policy) {
          batch.add(rewrite)
          names.append(file)
          if batch.count >= Self.batchSize { try commit(&batch, &names, folder) }
        } else {
          report.unchanged += 1
        }
      } catch let error as MaildirError where !error.stopsRun {
        note(error.explanation.problem, file, folder)
      }
    }
    try commit(&batch, &names, folder)
    if policy.fsync, !isRehearsal, policy.keywords.line == nil { try folder.syncDirectories() }
  }

  /// The sums. Call it once, at the end.
  package func finish() -> TagReport {
    var told = report
    told.keywords = taken.map { TagReport.Count(tag: $0.key, files: $0.value) }
      .sorted { $0.tag < $1.tag }
    told.leftOut = leftOut.flatMap { tag, reasons in
      reasons.map { TagReport.Count(tag: tag, files: $0.value, reason: $0.key.reason) }
    }.sorted { ($0.tag, $0.reason ?? "") < ($1.tag, $1.reason ?? "") }
    told.notFound = dump.tags.count { id, tags in
      !found.contains(id) && tags.contains { TagRule($0, in: "") == .keyword }
    }
    return told
  }

  /// What the file is to have; nil where that is what it has, or no tag is for it.
  private mutating func keywords(
    of file: MessageFile, in folder: MaildirFolder, _ mailbox: String, _ policy: MaildirPolicy
  ) throws(MaildirError) -> Keywords? {
    let header = try folder.header(of: file, policy: policy)
    guard let value = HeaderFields.value("message-id", in: header) else { return nil }
    let id = NotmuchDump.id(value)
    guard let tags = dump.tags[id] else { return nil }
    found.insert(id)
    var added: [String] = []
    for tag in tags {
      let rule = TagRule(tag, in: mailbox)
      if rule == .keyword {
        added.append(tag)
        taken[tag, default: 0] += 1
      } else {
        leftOut[tag, default: [:]][rule, default: 0] += 1
      }
    }
    guard !added.isEmpty else { return nil }
    let local = try folder.localKeywords(of: file, policy: policy)
    let own = local.own ?? .none
    // What a header of the message's own says need not be said again.
    let wanted = own.union(Keywords(added)).subtracting(local.elsewhere.subtracting(own))
    if wanted == own {
      report.unchanged += 1
      return nil
    }
    return wanted
  }

  private mutating func commit(
    _ batch: inout KeywordsBatch, _ files: inout [MessageFile], _ folder: MaildirFolder
  ) throws {
    let results = batch.commit()
    defer { files = [] }
    for (file, result) in zip(files, results) {
      switch result {
      case .success: note(nil, file, folder)
      case .failure(let error):
        if error.stopsRun { throw error }
        note(error.explanation.problem, file, folder)
      }
    }
  }

  private mutating func note(_ problem: String?, _ file: MessageFile, _ folder: MaildirFolder) {
    if let problem {
      report.failed.append(
        MovePlan.LeftOut("\(folder.directory.path)/\(file.description)", problem))
    } else {
      report.files += 1
    }
  }
}
