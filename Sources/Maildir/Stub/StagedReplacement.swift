import MailCore

/// A message that stands complete in `tmp/`, and is to take the place of a file that has more or less of it.
package struct StagedReplacement {
  package let digest: MessageDigest
  fileprivate let rewrite: StagedRewrite

  /// Takes the file's place, durably, under the next ``RewrittenName``: what readers remember of the old bytes holds for
  /// another name.
  ///
  /// - Returns: the file as it is called now, and its size.
  /// - Throws: `vanished` where the file is not as it was seen, or was renamed: nothing has changed then.
  package func replace(policy: MaildirPolicy) throws(MaildirError) -> (
    file: MessageFile, size: UInt64
  ) {
    do throws(MaildirError) {
      if policy.fsync { try rewrite.part.sync() }
      let file = try rewrite.replace(policy)
      if policy.fsync { try rewrite.folder.directory(of: file.subdirectory).sync() }
      return (file, rewrite.made.size)
    } catch {
      rewrite.discard()
      throw error
    }
  }

  package func discard() { rewrite.discard() }
}

extension DeliveryWriter {
  /// Completes the message under way to take the place of a file in the same folder.
  ///
  /// - Parameters:
  ///   - seen: the file's facts from before it was read.
  ///   - keywords: that the file has now.
  package func finish(
    replacing file: MessageFile, asSeen seen: FileFacts, keywords: Keywords, internalDate: Int64
  ) throws(MaildirError) -> StagedReplacement {
    let (folder, part, digest) = try finishPart(keywords)
    do throws(MaildirError) {
      try part.setMode(seen.permissions)
      let made = try part.complete(modified: internalDate)
      return StagedReplacement(
        digest: digest,
        rewrite: StagedRewrite(folder: folder, file: file, old: seen, part: part, made: made))
    } catch {
      part.discard()
      throw error
    }
  }
}
