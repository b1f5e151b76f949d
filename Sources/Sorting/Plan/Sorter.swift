import MailCore
import Maildir

/// Makes plans: which file changes how. Reads the tree and changes nothing until ``makeFolders(for:)``.
package struct Sorter {
  let tree: SortingTree
  /// What could not be planned, in words for a person.
  package internal(set) var leftOut: [(subject: String, reason: String)] = []
  private var newFolders: [NewFolder] = []
  /// Of folders in which a file is no longer called as it was.
  var names: [String: FolderNames] = [:]
  private var trashes: [String: String?] = [:]

  package init(_ tree: SortingTree) { self.tree = tree }

  /// Files that have what is to be set already are left as they are.
  package mutating func mark(_ files: [ChosenFile], _ change: MarkChange) throws -> [SortingStep] {
    let tree = tree
    let files = try possible(files) { account in
      if change.touchesKeywords, tree.policy(account).keywords == .none {
        throw SortingError.keywordsOff(account: account)
      }
    }
    let rules = LetterRules(tree, AgreedFiles(tree, files))
    var steps: [SortingStep] = []
    for chosen in files {
      guard let (folder, file) = try find(chosen) else { continue }
      if change.touchesKeywords, let reason = try rules.hindrance(toMark: chosen) {
        leave(chosen, reason)
        continue
      }
      let (before, after) = try marks(of: file, chosen, change, in: folder)
      if before != after { steps.append(SortingStep(chosen, .mark(before: before, after: after))) }
    }
    return steps
  }

  private mutating func marks(
    of file: MessageFile, _ chosen: ChosenFile, _ change: MarkChange, in folder: MaildirFolder
  ) throws -> (before: FileMarks, after: FileMarks) {
    let policy = tree.policy(chosen.account)
    let local =
      change.touchesKeywords
      ? try folder.localKeywords(of: file, policy: policy)
      : LocalKeywords(own: nil, elsewhere: .none)
    let own = local.own ?? .none
    // What the message brought along in its header is no mark of its reader's.
    var wanted = change.applied(to: own)
    if policy.keywords == .dovecot, !change.addedKeywords.isEmpty {
      let unlettered = try DovecotKeywords.read(in: folder).leftOut(of: wanted)
      for keyword in unlettered {
        leave(chosen, "its folder has no letter left for the keyword “\(keyword)”")
      }
      wanted = wanted.subtracting(unlettered)
    }
    if !change.removedKeywords.intersection(local.elsewhere).isEmpty {
      leave(chosen, "it has the keyword in a header of its own, which stays as it came")
    }
    let flags = file.fileName.flags
    return (
      FileMarks(flags: flags, keywords: own),
      FileMarks(flags: change.applied(to: flags), keywords: wanted)
    )
  }

  /// A message goes out of one folder; one that lies in several is left, unless the query named one of them.
  ///
  /// - Parameter creates: a folder that is missing is made by ``makeFolders(for:)``, once the plan is agreed to.
  package mutating func move(_ files: [ChosenFile], to name: String, creates: Bool) throws
    -> [SortingStep]
  {
    let tree = tree
    var targets: [String: String] = [:]
    var new: [NewFolder] = []
    let files = try possible(files) { account in
      if let path = try tree.path(named: name, account: account) {
        targets[account] = path
      } else if creates {
        let folder = try tree.newFolder(named: name, account: account)
        new.append(folder)
        targets[account] = folder.path
      } else {
        throw SortingError.unknownFolder(
          name, account: account, nearest: try tree.nearest(to: name, account: account))
      }
    }
    newFolders += new
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
  /// On Gmail what All Mail holds is archived once it has left INBOX, or the folder that the query names. Where All Mail is
  /// not mirrored, its folder is where the messages wait for the push.
  package mutating func archive(_ files: [ChosenFile]) throws -> [SortingStep] {
    let tree = tree
    var targets: [String: String] = [:]
    var new: [NewFolder] = []
    let files = try possible(files) { account in
      let isGmail = tree.hasLabels(account)
      if isGmail, try tree.leavesArchiveOut(account) {
        throw SortingError.gmailArchive(account: account)
      } else if let path = try tree.path(of: isGmail ? .all : .archive, account: account) {
        targets[account] = path
      } else if let folder = try tree.archiveToBe(account) {
        new.append(folder)
        targets[account] = folder.path
      } else {
        throw isGmail
          ? SortingError.gmailArchive(account: account)
          : SortingError.noSpecialUse(.archive, account: account)
      }
    }
    newFolders += new
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
    let tree = tree
    var places: [String: String] = [:]
    var new: [NewFolder] = []
    let files = try possible(files) { account in
      if tree.settings(account)?.sync.deletions == .expunge { return }
      if let trash = try tree.path(of: .trash, account: account) {
        places[account] = trash
      } else if let folder = try tree.trashToBe(account) {
        new.append(folder)
        places[account] = folder.path
      } else {
        throw SortingError.noSpecialUse(.trash, account: account)
      }
    }
    newFolders += new
    let agreed = AgreedFiles(tree, files)
    var rules = LetterRules(tree, agreed)
    var steps: [SortingStep] = []
    for chosen in files.grouped(by: \.account).sorted(by: { $0.0 < $1.0 }).flatMap(\.1) {
      guard let trash = places[chosen.account], chosen.folder.text != trash else {
        guard let (_, file) = try find(chosen) else { continue }
        if places[chosen.account] != nil, try isOnItsWay(chosen, agreed) {
          leave(chosen, "its move to the trash is not pushed yet; push, and delete it then")
        } else {
          steps.append(SortingStep(chosen, .setAside, file))
        }
        continue
      }
      if let step = try moving(chosen, to: trash, &rules) { steps.append(step) }
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
    var rules = LetterRules(tree, AgreedFiles(tree, files))
    for (_, chosen) in files.grouped(by: \.message) {
      guard let first = chosen.first, let target = targets[first.account] else { continue }
      let sources = try withoutTrash(chosen.filter { $0.folder.text != target })
      guard let source = sources.first else { continue }
      if try holds(target, source) {
        leave(source, "\(source.name(of: target)) has it already; \(source.removal)")
        continue
      }
      for source in oneFolder(of: sources, preferred) {
        if let step = try moving(source, to: target, &rules) { steps.append(step) }
      }
    }
    return steps
  }

  private mutating func moving(
    _ chosen: ChosenFile, to target: String, _ rules: inout LetterRules
  ) throws -> SortingStep? {
    guard let (_, file) = try find(chosen) else { return nil }
    if let reason = try rules.hindrance(toMove: chosen, file, to: target) {
      leave(chosen, reason)
      return nil
    }
    let new = newFolders.first { $0.path == target }
    return SortingStep(chosen, .move(to: target), file, target: new?.title ?? tree.title(target))
  }

  /// What the trash holds besides was thrown away: it counts where the query names it, or nothing else is there.
  private mutating func withoutTrash(_ files: [ChosenFile]) throws -> [ChosenFile] {
    guard let first = files.first else { return files }
    let trash: String?
    if let known = trashes[first.account] {
      trash = known
    } else {
      trash = try tree.path(of: .trash, account: first.account)
      trashes[first.account] = .some(trash)
    }
    let kept = files.filter { $0.isNamed || $0.folder.text != trash }
    return kept.isEmpty ? files : kept
  }

  /// Gmail keeps in All Mail what leaves another folder: the push takes that folder's label off, and nothing else.
  private mutating func unlabel(_ chosen: [ChosenFile], keptIn all: String) throws -> [SortingStep]
  {
    var sources = chosen.filter { $0.folder.text != all }
    let isNamed = sources.count == chosen.count
    let inbox = sources.filter { $0.folderName == Self.inbox }
    if !inbox.isEmpty { sources = inbox } else if !isNamed { return [] }  // It is archived already.
    var steps: [SortingStep] = []
    for source in oneFolder(of: sources, nil) {
      guard let (_, file) = try find(source) else { continue }
      var step = SortingStep(source, .setAside, file)
      step.staysElsewhere = true
      steps.append(step)
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
}
