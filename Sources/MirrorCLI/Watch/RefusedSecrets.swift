/// What secrets looked like when a server refused one: by service, since one may be put right while the other is refused.
struct RefusedSecrets<Stamp: Equatable> {
  enum Service { case imap, smtp }

  private var stamps: [Service: Stamp] = [:]

  mutating func refused(by service: Service, _ stamp: Stamp) { stamps[service] = stamp }

  /// Whether one that was refused may be another by now, as long as it is not known what it looked like; once for each
  /// change.
  mutating func haveChanged(to stamp: Stamp) -> Bool {
    guard stamps.isEmpty || stamps.values.contains(where: { $0 != stamp }) else { return false }
    stamps = stamps.isEmpty ? [.imap: stamp] : stamps.mapValues { _ in stamp }
    return true
  }
}
