import MailCore

/// A message that stands complete in `tmp/` and waits for its batch. Worth nothing until the batch
/// is committed.
package struct StagedMessage: Sendable {
  package let digest: MessageDigest
  package let folder: MaildirFolder
  /// Keywords that found no letter (`keywords = "dovecot"` knows 26 a folder).
  package let keywordsLeftOut: Keywords
  let temporaryName: [UInt8]
  let subdirectory: Subdirectory
  let name: MaildirFileName
  let separator: InfoSeparator
  let facts: FileFacts

  /// Bytes on disk.
  package var size: UInt64 { facts.size }

  /// Unseen and flagless mail is new; all else has its flags in `cur/`.
  ///
  /// A keyword letter needs `cur/` as well: names in `new/` carry no letters.
  static func place(base: [UInt8], flags: MessageFlags, letters: KeywordLetters)
    -> (Subdirectory, MaildirFileName)
  {
    if flags.isEmpty, letters.isEmpty { return (.new, MaildirFileName(base: base)) }
    let info = MaildirFileName.Info(flags: flags, keywordLetters: letters)
    return (.cur, MaildirFileName(base: base, info: info))
  }
}

/// A message in its folder, safe on disk as far as the policy asks.
package struct DeliveredMessage: Sendable, Hashable {
  package let folder: FolderPath
  package let file: MessageFile
  package let digest: MessageDigest
  package let facts: FileFacts
}
