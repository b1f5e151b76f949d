import MailCore

extension SortingStep {
  /// What a person is asked before so much is done: `Move 40 messages to personal/Archive?`
  ///
  /// - Parameter staysElsewhere: what is removed is still in another folder, as on Gmail what is archived.
  package static func question(_ steps: [SortingStep], staysElsewhere: Bool = false) -> String {
    var marked: Set<Int64> = []
    var moved: [String: Set<Int64>] = [:]
    var removed: [String: Set<Int64>] = [:]
    for step in steps {
      switch step.action {
      case .mark: marked.insert(step.message)
      case .move(let target): moved[target, default: []].insert(step.message)
      case .setAside:
        removed["\(step.account)/\(step.folderName)", default: []].insert(step.message)
      }
    }
    var parts = moved.sorted { $0.key < $1.key }.map { target, messages in
      "move \(Quantities.count(messages.count, "message")) to \(target)"
    }
    parts += removed.sorted { $0.key < $1.key }.map { folder, messages in
      staysElsewhere
        ? "take \(Quantities.count(messages.count, "message")) out of \(folder)"
        : "delete \(Quantities.count(messages.count, "message")) from \(folder) for good"
    }
    if !marked.isEmpty {
      let changes = Set(steps.flatMap { $0.change.split(separator: " ").dropFirst() })
      let words = changes.sorted().joined(separator: " ")
      parts.append("mark \(Quantities.count(marked.count, "message")) \(words)")
    }
    let text = parts.joined(separator: ", ")
    return text.prefix(1).uppercased() + text.dropFirst() + "?"
  }
}
