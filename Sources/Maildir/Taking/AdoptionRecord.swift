/// `.mirror/adopted`: which other trees were taken over into this one, a line each, so that nothing is taken twice.
///
/// What a person deletes here after that must not come back from there.
extension AccountTree {
  private static let recordName = "adopted"
  private static let longestRecord = 1 << 20

  package func adopted() throws(MaildirError) -> [String] {
    let bytes = try OwnFile.read(Self.recordName, in: control, atMost: Self.longestRecord) ?? []
    return bytes.split(separator: ASCII.lf).map { String(decoding: $0, as: UTF8.self) }
  }

  /// - Parameter line: without a line feed.
  package func noteAdopted(_ line: String, fsync: Bool) throws(MaildirError) {
    let known = try adopted()
    guard !known.contains(line) else { return }
    let text = (known + [line]).joined(separator: "\n") + "\n"
    try OwnFile.write(Array(text.utf8), to: Self.recordName, in: control, fsync: fsync)
  }
}
