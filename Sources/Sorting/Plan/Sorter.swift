import MailCore
import Maildir

/// Makes plans: which file changes how. Reads the tree and changes nothing until ``makeFolders(for:)``.
package struct Sorter {
  private let tree: SortingTree
  /// What could not be planned, in words for a person.
  package private(set) var leftOut: [(subject: String, reason: String)] = []
  private var newFolders: [NewFolder] = []

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
      var wanted = change.applied(to: own).subtracting(local.elsewhere.subtracting(own))
      if policy.keywords == .dovecot, !change.addedKeywords.isEmpty {
        let unlettered = try DovecotKeywords.read(in: folder).leftOut(of: wanted)
        for keyword in unlettered {
          leave(chosen, "its folder has no letter left for the keyword “\(keyword)”")
        }
        wanted = wanted.subtracting(unlettered)
      }
      let after = FileMarks(flags: change.applied(to: before.flags), keywords: wanted)
      if !change.removedKeywords.intersection(local.elsewhere).isEmpty {
        leave(chosen, "it has the keyword in a header of its own, which stays as it came")
      }
      if before != after { steps.append(SortingStep(chosen, .mark(before: before, after: after))) }
    }
    return steps
  }

  /// A message goes out of one folder; one that lies in several is left, unless the query named one of them.
  ///
  /// - Parameter creates: a folder that is missing is made by ``makeFolders(for:)``, once the plan is agreed to.
  package mutating func move(_ files: [ChosenFile], to name: String, creates: Bool) throws
    -> [SortingStep]
  {
    var targets: [String: String] = [:]
    for account in Set(files.map(\.account)) {
      if let path = try tree.path(named: name, account: account) {
        targets[account] = path
      } else if creates {
        let folder = try tree.newFolder(named: name, account: account)
        newFolders.append(folder)
        targets[account] = folder.path
      } else {
        throw SortingError.unknownFolder(
          name, account: account, nearest: try tree.nearest(to: name, account: account))
      }
    }
    return try move(files, to: targets, from: nil)
  }

  /// The folders that these steps need and that are not there yet.
  package func missingFolders(for steps: [SortingStep]) -> [NewFolder] {
    newFolders.filter { folder in steps.contains { $0.action == .move(to: folder.path) } }
  }

  package func makeFolders(for steps: [SortingStep]) throws {
    for folder in missingFolders(for: steps) { try tree.make(folder) }
  }

  /// To the account's Archive, out of INBOX where a message lies in several folders.
  ///
  /// On Gmail what All Mail holds is archived once it has left INBOX, or the folder that the query names.
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
    var steps: [SortingStep] = []
    var others: [ChosenFile] = []
    for (_, chosen) in files.grouped(by: \.message) {
      if let first = chosen.first, tree.hasLabels(first.account),
        let all = targets[first.account], try holds(all, first)
      {
        steps += try unlabel(chosen, keptIn: all)
      } else {
        others += chosen
      }
    }
    return steps + (try move(others, to: targets, from: Self.inbox))
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

  private static let inbox = "INBOX"

  /// All files of a message in one folder go: there it is one message.
  private mutating func move(
    _ files: [ChosenFile], to targets: [String: String], from preferred: String?
  ) throws -> [SortingStep] {
    var steps: [SortingStep] = []
    for (_, chosen) in files.grouped(by: \.message) {
      guard let first = chosen.first, let target = targets[first.account] else { continue }
      let sources = chosen.filter { $0.folder.text != target }
      guard let source = sources.first else { continue }
      if try holds(target, source) {
        leave(source, "\(source.name(of: target)) has it already; \(source.removal)")
        continue
      }
      for source in oneFolder(of: sources, preferred) where try find(source) != nil {
        steps.append(SortingStep(source, .move(to: target)))
      }
    }
    return steps
  }

  /// Gmail keeps in All Mail what leaves another folder: the push takes that folder's label off, and nothing else.
  private mutating func unlabel(_ chosen: [ChosenFile], keptIn all: String) throws -> [SortingStep]
  {
    var sources = chosen.filter { $0.folder.text != all }
    let isNamed = sources.count == chosen.count
    let inbox = sources.filter { $0.folderName == Self.inbox }
    if !inbox.isEmpty { sources = inbox } else if !isNamed { return [] }  // It is archived already.
    var steps: [SortingStep] = []
    for source in oneFolder(of: sources, nil) where try find(source) != nil {
      steps.append(SortingStep(source, .setAside))
    }
    return steps
  }

  /// The files of the only folder, or of the preferred one; none, which is told, where a person has to say which.
  private mutating func oneFolder(of sources: [ChosenFile], _ preferred: String?) -> [ChosenFile] {
    let folders = sources.grouped(by: \.folder.text).map(\.1)
    if folders.count < 2 { return sources }
    if let better = folders.first(where: { $0.first?.folderName == preferred }) { return better }
    let names = folders.compactMap(\.first?.folderName).sorted().joined(separator: ", ")
    if let first = sources.first {
      leave(first, "it lies in \(names); name one: \(first.folderWord)")
    }
    return []
  }

  /// Whether the folder holds the message: the index may be older than the tree.
  private func holds(_ path: String, _ chosen: ChosenFile) throws -> Bool {
    try chosen.copies.contains { copy in
      guard copy.folder.text == path else { return false }
      do {
        let folder = try tree.folder(path)
        return try tree.locate(copy.file.base, in: folder, guess: copy.file) != nil
      } catch MaildirError.notMaildir {
        return false
      }
    }
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
