import MailCore

extension SortingStep {
  /// What a person is asked before so much is done: `Move 40 messages to personal/Archive?`
  package static func question(_ steps: [SortingStep]) -> String {
    var marked: Set<Int64> = []
    var moved: [String: Set<Int64>] = [:]
    var taken: [String: Set<Int64>] = [:]
    var removed: [String: Set<Int64>] = [:]
    for step in steps {
      switch step.action {
      case .mark: marked.insert(step.message)
      case .move(let path): moved[step.target ?? path, default: []].insert(step.message)
      case .setAside:
        let folder = "\(step.account)/\(step.folderName)"
        if step.staysElsewhere == true {
          taken[folder, default: []].insert(step.message)
        } else {
          removed[folder, default: []].insert(step.message)
        }
      }
    }
    var parts = moved.sorted { $0.key < $1.key }.map { target, messages in
      "move \(Quantities.count(messages.count, "message")) to \(target)"
    }
    parts += taken.sorted { $0.key < $1.key }.map { folder, messages in
      "take \(Quantities.count(messages.count, "message")) out of \(folder)"
    }
    parts += removed.sorted { $0.key < $1.key }.map { folder, messages in
      "delete \(Quantities.count(messages.count, "message")) from \(folder) for good"
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
