/// The quirks that the configuration forces on or off.
package struct QuirkSettings: Sendable, Equatable {
  package var forced: Set<Quirk> = []
  package var excluded: Set<Quirk> = []

  /// Names that an earlier program had, and that configurations may still hold: they mean nothing any more.
  private static let retired = ["no-keywords"]
  /// What the configuration may name.
  package static let names = Quirk.allCases.map(\.rawValue) + retired

  package init() {}

  /// Reads `["broken-qresync", "-no-move"]`; a name that is no quirk's comes back in `unknown`.
  package init(names: [String], unknown: inout [String]) {
    for name in names {
      let isExcluded = name.hasPrefix("-")
      let bare = isExcluded ? String(name.dropFirst()) : name
      if Self.retired.contains(bare) { continue }
      guard let quirk = Quirk(rawValue: bare) else {
        unknown.append(name)
        continue
      }
      if isExcluded { excluded.insert(quirk) } else { forced.insert(quirk) }
    }
  }

  /// The quirks that hold for a server, the user's word last.
  package func quirks(for evidence: ServerFamily.Evidence) -> Set<Quirk> {
    var quirks = forced
    for family in ServerFamily.detect(evidence) { quirks.formUnion(family.quirks) }
    return quirks.subtracting(excluded).union(forced)
  }
}
