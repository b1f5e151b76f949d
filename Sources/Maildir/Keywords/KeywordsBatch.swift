/// Many rewrites of keywords lines that share their syncs.
package struct KeywordsBatch {
  private let policy: MaildirPolicy
  private var staged: [StagedRewrite] = []

  package init(policy: MaildirPolicy) { self.policy = policy }

  /// Each holds an open file, so commit every few hundred.
  package var count: Int { staged.count }
  package mutating func add(_ rewrite: StagedRewrite) { staged.append(rewrite) }

  package mutating func discard() {
    for rewrite in staged { rewrite.discard() }
    staged = []
  }

  /// Puts the files in place and syncs the directories. The batch is empty afterwards.
  ///
  /// - Returns: for each rewrite, in the order of adding, the file as it is called now, or what
  ///   stopped it: then the old file is there, or the new one is but may not survive a power cut.
  package mutating func commit() -> [Result<MessageFile, MaildirError>] {
    let rewrites = staged
    staged = []
    var syncsEach = policy.fsync
    do throws(MaildirError) {
      if policy.fsync { syncsEach = try !BatchSync.syncTogether(rewrites.map(\.folder.tmp)) }
    } catch {
      for rewrite in rewrites { rewrite.discard() }
      return rewrites.map { _ in .failure(error) }
    }
    var results: [Result<MessageFile, MaildirError>] = []
    for rewrite in rewrites {
      do throws(MaildirError) {
        if syncsEach { try rewrite.part.sync() }
        results.append(.success(try rewrite.replace(policy)))
      } catch {
        rewrite.discard()
        results.append(.failure(error))
      }
    }
    guard policy.fsync else { return results }
    do throws(MaildirError) {
      try Self.syncDirectories(of: rewrites)
      return results
    } catch {
      return rewrites.map { _ in .failure(error) }
    }
  }

  private static func syncDirectories(of rewrites: [StagedRewrite]) throws(MaildirError) {
    var done: Set<ObjectIdentifier> = []
    for rewrite in rewrites {
      let directory = rewrite.folder.directory(of: rewrite.file.subdirectory)
      if done.insert(ObjectIdentifier(directory)).inserted { try directory.sync() }
    }
  }
}
