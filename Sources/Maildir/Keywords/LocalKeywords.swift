import MailCore

/// The keywords that a file in the tree shows, whoever wrote them.
package struct LocalKeywords: Equatable, Sendable {
  /// From our line at the top, or the letters in the name; nil where there is no line.
  package var own: Keywords?
  /// From label headers (`X-Keywords`, `X-Label`, `Keywords`, the tree's own) elsewhere in the
  /// header.
  package var elsewhere: Keywords

  package init(own: Keywords?, elsewhere: Keywords) {
    self.own = own
    self.elsewhere = elsewhere
  }

  /// What a person has set: our line, and what label headers hold beyond those that the message
  /// brought along (``MessageDigest/nativeLabels``). So a reader may move our line, or add its own
  /// header: both count.
  package func set(beyond nativeLabels: Keywords) -> Keywords {
    (own ?? .none).union(elsewhere.subtracting(nativeLabels))
  }
}

extension MaildirFolder {
  /// Reads the keywords of a file; at most 256 KiB of its header.
  package func localKeywords(of file: MessageFile, policy: MaildirPolicy) throws(MaildirError)
    -> LocalKeywords
  {
    switch policy.keywords {
    case .none: return LocalKeywords(own: nil, elsewhere: .none)
    case .dovecot:
      let letters = file.fileName.keywordLetters
      let own = letters.isEmpty ? .none : try DovecotKeywords.read(in: self).keywords(of: letters)
      return LocalKeywords(own: own, elsewhere: .none)
    case .header(let line): return try headerKeywords(of: file, line, policy)
    }
  }

  private func headerKeywords(of file: MessageFile, _ line: KeywordsLine, _ policy: MaildirPolicy)
    throws(MaildirError) -> LocalKeywords
  {
    let ownLine = try MessageSource.open(file, in: self).ownLine(policy)
    let own = ownLine.withUnsafeBytes { line.decode($0) }
    let header = try header(of: file, policy: policy)
    let digest = header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: policy.labelName)
    }
    return LocalKeywords(own: own, elsewhere: digest.nativeLabels)
  }
}
