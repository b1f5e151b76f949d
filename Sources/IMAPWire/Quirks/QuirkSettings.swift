/// The quirks that the configuration forces on or off.
package struct QuirkSettings: Sendable, Equatable {
  package var forced: Set<Quirk> = []
  package var excluded: Set<Quirk> = []

  package init() {}

  /// Reads `["broken-qresync", "-no-move"]`; a name that is no quirk's comes back in `unknown`.
  package init(names: [String], unknown: inout [String]) {
    for name in names {
      let isExcluded = name.hasPrefix("-")
      guard let quirk = Quirk(rawValue: isExcluded ? String(name.dropFirst()) : name) else {
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
