import MailCore
import Maildir

/// Makes plans: which file changes how. Reads the tree and changes nothing, but that a folder may be made.
package struct Sorter {
  private let tree: SortingTree
  /// What could not be planned, in words for a person.
  package private(set) var leftOut: [(subject: String, reason: String)] = []

  package init(_ tree: SortingTree) { self.tree = tree }

  /// Files that have what is to be set already are left as they are.
  package mutating func mark(_ files: [ChosenFile], _ change: MarkChange) throws -> [SortingStep] {
    var steps: [SortingStep] = []
    for chosen in files {
      let policy = tree.policy(chosen.account)
      if change.touchesKeywords, policy.keywords == .none {
        throw SortingError.keywordsOff(account: chosen.account)
      }
      guard let (folder, file) = try find(chosen) else { continue }
      let local =
        change.touchesKeywords
        ? try folder.localKeywords(of: file, policy: policy)
        : LocalKeywords(own: nil, elsewhere: .none)
      let own = local.own ?? .none
      let before = FileMarks(flags: file.fileName.flags, keywords: own)
      let wanted = change.applied(to: own).subtracting(local.elsewhere.subtracting(own))
      let after = FileMarks(flags: change.applied(to: before.flags), keywords: wanted)
      if !change.removedKeywords.intersection(local.elsewhere).isEmpty {
        leave(chosen, "it has the keyword in a header of its own, which stays as it came")
      }
      if before != after { steps.append(SortingStep(chosen, .mark(before: before, after: after))) }
    }
    return steps
  }

  /// One file of each message goes; a message that lies in several folders is left, unless the query named one of them.
  package mutating func move(_ files: [ChosenFile], to name: String, creates: Bool) throws
    -> [SortingStep]
  {
    var targets: [String: String] = [:]
    for account in Set(files.map(\.account)) {
      if let path = try tree.path(named: name, account: account) {
        targets[account] = path
      } else if creates {
        targets[account] = try tree.make(named: name, account: account)
      } else {
        throw SortingError.unknownFolder(
          name, account: account, nearest: try tree.nearest(to: name, account: account))
      }
    }
    return try move(files, to: targets, from: nil)
  }

  /// To the account's Archive, out of INBOX where a message lies in several folders.
  package mutating func archive(_ files: [ChosenFile]) throws -> [SortingStep] {
    var targets: [String: String] = [:]
    for account in Set(files.map(\.account)) {
      let isGmail = tree.hasLabels(account)
      guard let path = try tree.path(of: isGmail ? .all : .archive, account: account) else {
        throw isGmail
          ? SortingError.gmailArchive(account: account)
          : SortingError.noSpecialUse(.archive, account: account)
      }
      targets[account] = path
    }
    return try move(files, to: targets, from: "INBOX")
  }

  /// To the Trash; out of there, or where deletions are final, out of the tree.
  package mutating func delete(_ files: [ChosenFile]) throws -> [SortingStep] {
    var steps: [SortingStep] = []
    for account in Set(files.map(\.account)).sorted() {
      let isFinal = tree.settings(account)?.sync.deletions == .expunge
      let trash = isFinal ? nil : try tree.path(of: .trash, account: account)
      if !isFinal, trash == nil { throw SortingError.noSpecialUse(.trash, account: account) }
      for chosen in files where chosen.account == account {
        guard try find(chosen) != nil else { continue }
        if let trash, chosen.folder.text != trash {
          steps.append(SortingStep(chosen, .move(to: trash)))
        } else {
          steps.append(SortingStep(chosen, .setAside))
        }
      }
    }
    return steps
  }

  // MARK: Pieces

  private mutating func move(
    _ files: [ChosenFile], to targets: [String: String], from preferred: String?
  ) throws -> [SortingStep] {
    var steps: [SortingStep] = []
    for (_, copies) in files.grouped(by: \.message) {
      guard let account = copies.first?.account, let target = targets[account] else { continue }
      var sources = copies.filter { $0.folder.text != target }
      if sources.count > 1, let preferred {
        let better = sources.filter { $0.folderName == preferred }
        if !better.isEmpty { sources = better }
      }
      guard let source = sources.first else { continue }
      guard sources.count == 1 else {
        let names = sources.map(\.folderName).sorted().joined(separator: ", ")
        leave(source, "it lies in \(names); name one: folder:\(sources[0].folderName)")
        continue
      }
      guard !copies.contains(where: { $0.folder.text == target }) else {
        leave(source, "the target has it already; delete it here, or leave it")
        continue
      }
      if try find(source) != nil { steps.append(SortingStep(source, .move(to: target))) }
    }
    return steps
  }

  private mutating func find(_ chosen: ChosenFile) throws -> (MaildirFolder, MessageFile)? {
    guard tree.settings(chosen.account) != nil else {
      leave(chosen, "its account is none of the configuration's")
      return nil
    }
    do {
      let folder = try tree.folder(chosen.folder.text)
      if let file = try tree.locate(chosen.file.base, in: folder, guess: chosen.file) {
        return (folder, file)
      }
    } catch MaildirError.notMaildir {
      // The folder went away since the index was made.
    }
    leave(chosen, "it is no longer there")
    return nil
  }

  private mutating func leave(_ chosen: ChosenFile, _ reason: String) {
    let subject = chosen.subject.isEmpty ? "message \(chosen.message)" : "“\(chosen.subject)”"
    leftOut.append((subject, reason))
  }
}

extension Array {
  /// Groups in the order of their first elements.
  fileprivate func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(Key, [Element])] {
    var places: [Key: Int] = [:]
    var groups: [(Key, [Element])] = []
    for element in self {
      let own = key(element)
      if let place = places[own] {
        groups[place].1.append(element)
      } else {
        places[own] = groups.count
        groups.append((own, [element]))
      }
    }
    return groups
  }
}
