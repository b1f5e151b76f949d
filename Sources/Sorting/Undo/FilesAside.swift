import Foundation
import MailCore
import Maildir
import SyncPlan

/// Texts that were set aside and lie in an account's `.mirror/undo` still: no folder has them, and no server.
///
/// The files tell how many there are, and a record of undo only tells more of one. What a command deleted for good lies
/// there, too, for its undo: a person wanted that gone, and it does not count here.
package struct FilesAside: Sendable, Equatable {
  /// Where they lie.
  package let place: String
  /// Their files' names, by which two looks can be compared.
  package private(set) var texts: Set<String> = []
  /// Of these, those of which no record tells: no undo brings them back.
  package private(set) var unrecorded: Set<String> = []
  /// Why there may be more.
  package private(set) var doubt: String?

  package init(place: String) { self.place = place }

  /// Reads what is there, and changes nothing. **Blocks**.
  ///
  /// - Parameters:
  ///   - account: whose.
  ///   - root: where the records lie.
  ///   - path: the account's directory, where it was put out of its place.
  package static func look(account: String, root: String, at path: String? = nil) -> FilesAside {
    let home = root + "/" + account
    var found = FilesAside(place: home + "/.mirror/undo")
    do {
      let entries = try AsideEntries.read(account: path ?? home)
      // Records may be long, and most trees have nothing aside.
      guard !entries.isEmpty else { return found }
      let steps = AsideSteps(UndoFile(root: root).readable().records, account)
      for entry in entries {
        let own = steps.near(entry).filter(entry.mayBeSetAside)
        let isEdit = own.contains { $0.isEdit == true }
        if !isEdit, own.contains(where: entry.isSetAside) { continue }
        found.texts.insert(entry.file.description)
        if !isEdit { found.unrecorded.insert(entry.file.description) }
      }
    } catch {
      found.doubt = error.explanation.problem
    }
    return found
  }

  package var isNothing: Bool { texts.isEmpty && doubt == nil }

  /// Whether all of it was there at an earlier look, too.
  package func isKnown(from earlier: FilesAside) -> Bool {
    texts.isSubset(of: earlier.texts) && (doubt == nil || earlier.doubt != nil)
  }

  /// How many, for people.
  package var reasons: [String] {
    let edits = texts.count - unrecorded.count
    var reasons: [String] = []
    if edits > 0 {
      reasons.append(Quantities.count(edits, "edit") + " that `mirror revert` set aside")
    }
    if !unrecorded.isEmpty {
      reasons.append(
        Quantities.count(unrecorded.count, "text") + " set aside of which no record of undo tells")
    }
    if let doubt { reasons.append(doubt.withoutPeriod) }
    return reasons
  }

  /// What a person can do about each of these.
  package var remedies: [String] {
    var words: [String] = []
    if texts.count > unrecorded.count {
      words.append(
        "`mirror undo` brings back what was set aside; where its folder is gone, or it is not wanted, move the file out "
          + "of \(place) into a folder of mail under another name, or remove it.")
    }
    if !unrecorded.isEmpty {
      words.append(
        "What no record tells of, look at: to keep it, move it into a folder of mail under another name; else remove "
          + "it.")
    }
    if doubt != nil { words.append("Make that directory readable.") }
    return words
  }

  /// The same as lines that stand for themselves; notices only, since nothing went wrong.
  package var notes: [RunProblem] {
    zip(reasons, remedies).map {
      RunProblem(problem: "\($0) (\(place)).", remedy: $1, exitStatus: .done)
    }
  }
}

/// The files of an account's `.mirror/undo`, also where that is no whole Maildir any more, as in a copy that left empty
/// directories out.
enum AsideEntries {
  /// None where nothing was ever put there.
  static func read(account path: String) throws(MaildirError) -> [TreeFiles.Entry] {
    var entries: [TreeFiles.Entry] = []
    for subdirectory in Subdirectory.allCases {
      let place: Directory
      do throws(MaildirError) {
        place = try Directory.open(path: "\(path)/.mirror/undo/\(subdirectory.name)")
      } catch {
        guard case .treeVanished = error else { throw error }
        continue
      }
      var names: [[UInt8]] = []
      try DirectoryNames.forEach(in: place) { name, kind in
        if kind != .directory, name[0] != UInt8(ascii: ".") { names.append(Array(name)) }
      }
      for name in names {
        guard let facts = try place.entryFacts(name) else { continue }
        entries.append(
          TreeFiles.Entry(
            file: MessageFile(subdirectory: subdirectory, name: name),
            identity: FileIdentity(facts)))
      }
    }
    return entries
  }
}

/// What records tell of the files of an account that were taken out of its folders.
private struct AsideSteps {
  private var byName: [[UInt8]: [SortingStep]] = [:]
  private var byInode: [UInt64: [SortingStep]] = [:]

  init(_ records: [UndoRecord], _ account: String) {
    for step in records.lazy.flatMap(\.steps)
    where step.account == account && step.action == .setAside {
      byName[RewrittenName.original(of: [UInt8](step.doneAs ?? step.base)), default: []].append(
        step)
      if let inode = step.file?.inode { byInode[inode, default: []].append(step) }
    }
  }

  /// Those of its name or inode.
  func near(_ entry: TreeFiles.Entry) -> [SortingStep] {
    (byName[RewrittenName.original(of: entry.file.base)] ?? [])
      + (byInode[entry.identity.inode] ?? [])
  }
}

extension TreeFiles.Entry {
  /// Whether it is surely the file that this step set aside: the very file, or in a copy of the tree one of its name, size
  /// and time.
  func isSetAside(by step: SortingStep) -> Bool {
    guard let file = step.file else { return isNamed(step.doneAs ?? step.base) }
    return identity == file
      || isNamed(step.doneAs ?? step.base) && (step.doneAs != nil || identity.isCopied(from: file))
  }

  /// Whether it may be: what a text is kept by must not be given up for a doubt.
  func mayBeSetAside(by step: SortingStep) -> Bool {
    isSetAside(by: step) || isNamed(step.doneAs ?? step.base)
  }
}
