import CLISupport
import MailCore
import Setup

/// `mirror adopt` for people.
enum AdoptText {
  static func lines(_ move: MoveReport, isVerbose: Bool) -> [String] {
    var lines = ["\(move.account): \(sentence(move))"]
    guard isVerbose else { return lines }
    for folder in move.folders {
      var words = "  \(folder.mailbox): \(Quantities.count(folder.messages, "message"))"
      if folder.present > 0 { words += ", \(folder.present) here already" }
      lines.append(words + ", from \(folder.directory)")
    }
    return lines
  }

  private static func sentence(_ move: MoveReport) -> String {
    let folders = Quantities.count(move.folders.count, "folder")
    let all = "\(folders) with \(Quantities.count(move.messages, "message"))"
    let (would, are) = move.isDryRun ? ("would ", "be") : ("", "are")
    switch move.mode {
    case .inPlace:
      return move.isDryRun
        ? "\(all) would stay where they are, in \(move.source)"
        : "\(all) stay where they are, in \(move.source)"
    case .before: return "\(move.source) was taken over before: nothing is taken twice"
    case .linked, .copied:
      let verb = move.mode == .linked ? "linked" : "copied"
      var text =
        "\(Quantities.count(move.taken, "message")) in \(folders) \(would)\(are) \(verb)"
        + " from \(move.source) into \(move.target)"
      if move.present > 0 { text += "; \(move.present) were there already" }
      return text
    }
  }

  static func lines(_ tags: TagReport, isDryRun: Bool) -> [String] {
    let would = isDryRun ? "would get" : "got"
    var lines = ["tags: \(Quantities.count(tags.files, "file")) \(would) keywords"]
    if tags.unchanged > 0 { lines[0] += ", \(tags.unchanged) had them already" }
    for tag in tags.keywords {
      lines.append("  \(tag.tag): \(Quantities.count(tag.files, "file"))")
    }
    for tag in tags.leftOut {
      lines.append(
        "  \(tag.tag): left out of \(Quantities.count(tag.files, "file")), \(tag.reason ?? "")")
    }
    if tags.notFound > 0 {
      lines.append("  \(Quantities.count(tags.notFound, "tagged message")) not in these trees")
    }
    return lines
  }

  static func next(_ outcome: AdoptOutcome) -> String {
    let names = outcome.moves.reduce(into: [String]()) { names, move in
      if !names.contains(move.account) { names.append(move.account) }
    }
    return "Next: mirror pull \(names.joined(separator: " "))"
  }
}
