import Foundation
import MailCore
import Maildir

/// What became of each step of a record: found out before anything is taken back, and changing nothing.
struct FoundSteps {
  enum Fate {
    /// Its file lies there, and the step can be taken back.
    case found(String, TreeFiles.Entry)
    /// The same of a file that was edited; what the server has came in its place since, and lies there as it came.
    case replaced(String, TreeFiles.Entry, by: MessageFile)
    /// The next pull is to bring what the server has: it would take this file for it.
    case awaited
    /// It was cut off before it was done, or somebody took it back already.
    case undone
    case pushed
    /// A move to another file system that was cut off between copy and unlink: this is the copy.
    case copied(String, TreeFiles.Entry)
    /// A move that somebody carried on.
    case elsewhere(String)
    /// It has letters for keywords, and lies in another folder since, of which no push heard: nobody can tell which
    /// table they are of.
    case unreadable(String)
    case lost
  }

  /// Last to first: as they are to be taken back.
  private(set) var steps: [(SortingStep, Fate)] = []
  private let tree: SortingTree
  private let nextUIDs: [String: UInt32]
  /// As they lie once the steps that were found are taken back.
  private(set) var files: TreeFiles
  private var states: [String: AgreedState] = [:]

  /// - Parameter files: as they lie once later records are taken back; nil for as they lie now.
  init(_ record: UndoRecord, _ tree: SortingTree, _ files: TreeFiles? = nil) throws {
    self.tree = tree
    nextUIDs = record.nextUIDs ?? [:]
    self.files = files ?? TreeFiles(tree, for: record.steps)
    for (account, steps) in Dictionary(grouping: record.steps, by: \.account) {
      states[account] = try AgreedState(account, tree)
      try states[account]?.learn(
        steps.flatMap { [$0.base, $0.doneAs] }.compactMap { $0.map { [UInt8]($0) } })
    }
    for step in record.steps.reversed() {
      do {
        let fate = try locate(step)
        switch fate {
        case .found(let path, let entry), .copied(let path, let entry),
          .replaced(let path, let entry, _):
          self.files.take(entry, from: path)
        case .undone, .awaited, .pushed, .elsewhere, .unreadable, .lost: break
        }
        steps.append((step, fate))
      } catch let error as MaildirError where !error.stopsRun {
        steps.append((step, .lost))
      }
    }
    try tellPushed()
  }

  // MARK: Where the files are

  private mutating func locate(_ step: SortingStep) throws -> Fate {
    switch step.action {
    case .mark:
      if let entry = try marked(step) {
        return isSurelyUndone(step, entry) ? .undone : .found(step.folder, entry)
      }
      return try away(step, from: [step.folder]).map { .found($0.path, $0.entry) } ?? .lost
    case .move(let target): return try locate(step, movedTo: target)
    case .setAside:
      let path = tree.asidePath(step.account)
      if let entry = try editAside(step, path) { return try edit(step, path, entry) }
      let fate = try locate(step, movedTo: path)
      guard step.isEdit == true, case .found(let path, let entry) = fate else { return fate }
      return try edit(step, path, entry)
    }
  }

  /// An edited file lies aside or does not, whatever has come in its place at home: also in a copy of the tree, where every
  /// file is another one.
  private mutating func editAside(_ step: SortingStep, _ path: String) throws -> TreeFiles.Entry? {
    guard step.isEdit == true else { return nil }
    let isHome = try? files.same(step.file, named: step.base, in: step.folder) != nil
    if step.doneAs == nil, isHome == true { return nil }
    do {
      let all = try files.entries(in: path).filter { $0.isSetAside(by: step) }
      return all.first { $0.identity == step.file } ?? all.first
    } catch MaildirError.notMaildir {
      return nil
    }
  }

  /// An edited file that lies aside: where it belongs, the server's message may lie by now, or be about to come.
  private func edit(_ step: SortingStep, _ path: String, _ entry: TreeFiles.Entry) throws -> Fate {
    guard let agreed = step.agreed, let state = states[step.account] else {
      return .found(path, entry)
    }
    switch try state.fate(of: agreed) {
    case .unknown: return .found(path, entry)
    case .gone: return state.awaits(agreed) ? .awaited : .found(path, entry)
    case .here(let message):
      let folder = try tree.folder(message.folder)
      guard let file = try tree.locate([UInt8](message.name), in: folder, guess: nil)
      else { return .found(path, entry) }
      let isAsItCame =
        try file.fileName.flags == message.marks.flags
        && folder.digest(of: file, policy: tree.policy(step.account)).contentHash
          == message.contentHash
      // Another undo may have been killed when it had put the edited one there.
      let isDone = try !isAsItCame && tree.folder(path).holdsSame(entry.file, as: file, in: folder)
      return isAsItCame || isDone ? .replaced(path, entry, by: file) : .found(path, entry)
    }
  }

  /// A marked file where it was marked.
  private mutating func marked(_ step: SortingStep) throws -> TreeFiles.Entry? {
    let base = step.doneAs ?? step.base
    do {
      if let entry = try files.same(step.file, named: base, in: step.folder) { return entry }
      return try named(base, in: step.folder, step)
    } catch MaildirError.notMaildir {
      return nil  // The folder was moved or removed.
    }
  }

  /// A command that was killed writes the keywords line first, which makes another file, then renames it for all flags
  /// at once.
  private func isSurelyUndone(_ step: SortingStep, _ entry: TreeFiles.Entry) -> Bool {
    guard step.doneAs == nil, entry.identity == step.file,
      case .mark(let before, let after) = step.action
    else { return false }
    if before.keywords != after.keywords, tree.policy(step.account).keywords.line != nil {
      return true
    }
    let changed = before.flags.symmetricDifference(after.flags)
    return before.keywords == after.keywords
      && entry.file.fileName.flags.intersection(changed) != after.flags.intersection(changed)
  }

  /// By its name, unless the state tells that another message has had it there since before the command.
  private mutating func named(_ base: Data, in path: String, _ step: SortingStep) throws
    -> TreeFiles.Entry?
  {
    guard let entry = try files.named(base, in: path) else { return nil }
    let known = states[step.account]?.messages(entry.file.base, in: path) ?? []
    if known.contains(where: { step.agreed?.isAt($0) == true }) { return entry }
    let isStranger = known.contains { $0.uid < nextUIDs[path] ?? 0 }
    return isStranger ? nil : entry
  }

  /// A rename keeps the file: where it lies tells whether it was done. A name alone tells that only of a step that is
  /// noted as done: another message may have it.
  private mutating func locate(_ step: SortingStep, movedTo target: String) throws -> Fate {
    let home = try? files.same(step.file, named: step.base, in: step.folder)
    if step.doneAs == nil, let home, home.isNamed(step.base) {
      return try copied(step, to: target).map { .copied(target, $0) } ?? .undone
    }
    let base = step.doneAs ?? step.base
    do {
      if let entry = try files.same(step.file, named: base, in: target) {
        return .found(target, entry)
      }
      if step.doneAs != nil, let entry = try named(base, in: target, step) {
        return .found(target, entry)
      }
      if home != nil { return .undone }
      if step.doneAs == nil {
        if (try? files.named(step.base, in: step.folder)) != nil { return .undone }
        // A move to another file system copies.
        if let entry = try files.named(base, in: target), let file = step.file,
          entry.identity.isCopied(from: file)
        {
          return .found(target, entry)
        }
      }
    } catch MaildirError.notMaildir {
      if home != nil { return .undone }
    }
    return try away(step, from: [step.folder, target]).map { .elsewhere($0.path) } ?? .lost
  }

  /// What a move to another file system leaves when it is killed: two files, of which the second is no message of the
  /// server's and no other step's.
  private mutating func copied(_ step: SortingStep, to target: String) throws -> TreeFiles.Entry? {
    guard let file = step.file else { return nil }
    do {
      let name = Data(files.nameElsewhere(step.base))
      guard let entry = try files.named(name, in: target), entry.identity.isCopied(from: file),
        !files.isMeant(entry),
        states[step.account]?.messages(entry.file.base, in: target) ?? [] == []
      else { return nil }
      return entry
    } catch MaildirError.notMaildir {
      return nil
    }
  }

  /// Somewhere else in the account: moved by a mail reader, or by another client and a pull.
  private mutating func away(_ step: SortingStep, from tried: Set<String>) throws
    -> (path: String, entry: TreeFiles.Entry)?
  {
    for path in try tree.folders(of: step.account) where !tried.contains(path) {
      if let entry = try? files.same(step.file, named: step.doneAs ?? step.base, in: path) {
        return (path, entry)
      }
    }
    guard let agreed = step.agreed, let state = states[step.account] else { return nil }
    let arrivals = try state.arrivals(of: agreed, since: nextUIDs)
    // Of two that arrived, nobody can tell which was meant.
    guard arrivals.count == 1, let arrival = arrivals.first, !tried.contains(arrival.folder),
      let folder = try? tree.folder(arrival.folder),
      let file = try tree.locate([UInt8](arrival.name), in: folder, guess: nil),
      let facts = try FolderEntries.facts(file, in: folder)
    else { return nil }
    return (arrival.folder, TreeFiles.Entry(file: file, identity: FileIdentity(facts)))
  }

  // MARK: What was pushed

  private mutating func tellPushed() throws {
    for (account, state) in states {
      try state.learn(
        steps.compactMap { step, fate in
          guard step.account == account, case .found(_, let entry) = fate else { return nil }
          return entry.file.base
        })
    }
    for index in steps.indices {
      let (step, fate) = steps[index]
      guard case .found(let path, let entry) = fate else { continue }
      if let state = states[step.account], try isPushed(step, path, entry, state) {
        steps[index].1 = isAwaited(step, state) ? .awaited : .pushed
        files.put(entry, in: path)
      } else if case .mark = step.action {
        files.put(entry, in: path)
      } else {
        comesHome(entry, by: index)
      }
    }
    for index in steps.indices {
      let (step, fate) = steps[index]
      if case .found(let path, let entry) = fate, !isReadable(step, path, entry) {
        steps[index].1 = .unreadable(path)
      }
    }
  }

  /// A file that is moved back has the marks that it was given before that taken off where it comes to.
  private mutating func comesHome(_ entry: TreeFiles.Entry, by index: Int) {
    let (move, _) = steps[index]
    files.put(entry, in: move.folder)
    for earlier in steps.indices.dropFirst(index + 1) {
      let (step, fate) = steps[earlier]
      guard case .lost = fate, case .mark = step.action, step.folder == move.folder,
        step.file == entry.identity
      else { continue }
      steps[earlier].1 = isSurelyUndone(step, entry) ? .undone : .found(step.folder, entry)
    }
  }

  private func isReadable(_ step: SortingStep, _ path: String, _ entry: TreeFiles.Entry) -> Bool {
    guard case .dovecot = tree.policy(step.account).keywords, path != step.folder,
      case .mark(let before, let after) = step.action, before.keywords != after.keywords
    else { return true }
    return states[step.account]?.message(entry.file.base, in: path) != nil
  }

  /// What both sides agree on now, and did not when the command was given, went over the wire.
  private func isPushed(
    _ step: SortingStep, _ path: String, _ entry: TreeFiles.Entry, _ state: AgreedState
  ) throws -> Bool {
    switch step.action {
    case .mark(let before, let after):
      let now = state.message(entry.file.base, in: path)
      return try marksNow(step, now, state).map {
        StepMarks(before, after).isDone(in: $0, since: step.agreed?.marks)
      } ?? false
    case .move:
      // The server gives what is moved a new UID. An older one of the name is another message's.
      return state.messages(entry.file.base, in: path).contains { message in
        message.uid >= nextUIDs[path] ?? 0 && step.agreed?.isAt(message) != true
      }
    case .setAside:
      // An edit was never on its way to a server.
      guard step.isEdit != true, let agreed = step.agreed, case .gone = try state.fate(of: agreed)
      else { return false }
      return true
    }
  }

  /// A deletion that was given up since: the next pull brings the message, or finds that it is gone.
  private func isAwaited(_ step: SortingStep, _ state: AgreedState) -> Bool {
    guard step.action == .setAside, let agreed = step.agreed else { return false }
    return state.awaits(agreed)
  }

  /// A message that was moved and not pushed is still known where it was.
  private func marksNow(_ step: SortingStep, _ now: AgreedMessage?, _ state: AgreedState) throws
    -> FileMarks?
  {
    if let now { return now.marks }
    guard let agreed = step.agreed, case .here(let known) = try state.fate(of: agreed) else {
      return nil
    }
    return known.marks
  }
}
