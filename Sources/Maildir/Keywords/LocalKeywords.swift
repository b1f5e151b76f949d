import MailCore

/// The keywords that a file in the tree shows, whoever wrote them.
package struct LocalKeywords: Equatable, Sendable {
  /// From our line at the top, or the letters in the name; nil where there is no line.
  package var own: Keywords?
  /// From label headers (`X-Keywords`, `X-Label`, `Keywords`, the tree's own) elsewhere in the
  /// header.
  package var elsewhere: Keywords
  /// The only ones that the folder has letters for; nil where a file can hold any.
  package var lettered: Keywords?

  package init(own: Keywords?, elsewhere: Keywords, lettered: Keywords? = nil) {
    self.own = own
    self.elsewhere = elsewhere
    self.lettered = lettered
  }

  /// What a person has set: our line, and what label headers hold beyond those that the message
  /// brought along (``MessageDigest/nativeLabels``). So a reader may move our line, or add its own
  /// header: both count.
  ///
  /// - Parameter agreed: of these, nobody has taken off what no letter stands for: the name never showed it.
  package func set(beyond nativeLabels: Keywords, agreed: Keywords = .none) -> Keywords {
    let shown = (own ?? .none).union(elsewhere.subtracting(nativeLabels))
    guard let lettered else { return shown }
    return shown.union(agreed.subtracting(lettered))
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
      let table = try DovecotKeywords.read(in: self)
      return LocalKeywords(
        own: table.keywords(of: file.fileName.keywordLetters), elsewhere: .none,
        lettered: table.lettered)
    case .header(let line): return try headerKeywords(of: file, line, policy)
    }
  }

  private func headerKeywords(of file: MessageFile, _ line: KeywordsLine, _ policy: MaildirPolicy)
    throws(MaildirError) -> LocalKeywords
  {
    let ownLine = try MessageSource.open(file, in: self).front(policy).keywords
    let own = ownLine.withUnsafeBytes { line.decode($0) }
    let header = try header(of: file, policy: policy)
    let digest = header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: policy.labelName)
    }
    return LocalKeywords(own: own, elsewhere: digest.nativeLabels)
  }
}
